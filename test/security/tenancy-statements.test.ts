import 'reflect-metadata';
import { ApiKeysService, ApplicationsService } from '#application/applications';
import { API_KEY_SCOPES, ApplicationRepository } from '#domain/applications';
import { SYSTEM } from '#persistence';
import { feedEvent, feedText } from '../providers/ics/feed-account.js';
import { connectAccount, startFakeServer, type ConnectedAccount } from '../support/connected-account.js';
import type { FakeCalDav } from '../support/fake-caldav.js';
import { FaultServer } from '../support/fault-server.js';
import { answer as respondWith } from '../support/faults.js';
import { startObservedApi, type ObservedApi, type ObservedStatement } from '../support/observed-api.js';
import { callService, type Service } from '../support/service.js';
import {
  BROWSER_OPERATIONS,
  PAGE_ROUTES,
  plantWebhooks,
  PROVIDER_ROUTES,
  REQUESTS,
  requestOf,
} from './tenancy-routes.js';

let api: ObservedApi;
let fake: FakeCalDav;
let feeds: FaultServer;
let account: ConnectedAccount;
let call: Service['call'];

beforeAll(async () => {
  fake = await startFakeServer('mine', { login: { username: 'alice@example.test', password: 'abcd-efgh-ijkl-mnop' } });
  feeds = await FaultServer.start();
  feeds.route('/a.ics', respondWith(200, feedText(feedEvent('1@example.test', 'Lunch', '20260105T110000Z'))));
  api = await startObservedApi({
    EGRESS_ALLOW: `${fake.egressAllow},127.0.0.1:${feeds.port}`,
    APPLE_CALDAV_URL: fake.url,
  });
  const { app, baseUrl } = api;
  const { applicationId } = await app.get(ApplicationsService).create({ name: 'first' });
  const key = { applicationId, name: 'test', expires: 'never', scopes: [...API_KEY_SCOPES] };
  const { apiKey } = await app.get(ApiKeysService).create(key);
  await app.get(ApplicationRepository).update(applicationId, { pollsCalendars: true });
  api.statements.length = 0; // those of the operator
  call = (method, path, options = {}) => callService(baseUrl, apiKey, method, path, options);
  account = await connectAccount({ call, applicationId, apiKey } as Service, fake);
});

afterAll(async () => {
  await api?.stop();
  await fake.close();
  await feeds.close();
});

describe('N08 statements of the running interface', () => {
  beforeAll(async () => {
    const { applicationId, accountId: endUserAccountId, calendarId, eventId } = account;
    const webhooks = await plantWebhooks(call, account.key, { endUserAccountId, calendarId });
    const ids = { applicationId, endUserAccountId, calendarId, eventId, ...webhooks };
    const { username: email, password } = fake.login;
    for (const name of deletionsLast(Object.keys(REQUESTS))) {
      const [method, path, { body, query }] = requestOf(name, ids);
      const isLogin = typeof body === 'object' && body !== null && 'password' in body;
      const login = {
        ...(body as object),
        email,
        password,
        ...('serverUrl' in Object(body) && { serverUrl: fake.url }),
      };
      const isFeed = path.endsWith('/ics');
      const given = isFeed ? { url: `http://127.0.0.1:${feeds.port}/a.ics` } : isLogin ? login : body;
      const response = await call(method, path, { query, body: given });
      // The event has no guests to answer for, and the application nowhere to send users back to.
      const isRejected = /\/(?:rsvp|authorizationUrls|connectLinks)$/.test(name);
      expect([name, response.status]).toEqual([name, isRejected ? 400 : 200]);
    }
  });

  /** What the other operations need goes last, the innermost first. */
  function deletionsLast(names: string[]): string[] {
    const depth = (name: string) => (name.startsWith('DELETE') ? name.split('/').length : Infinity);
    return names.sort((a, b) => (depth(a) === depth(b) ? 0 : depth(b) - depth(a)));
  }

  it('carry the application in their scope and in their text, whatever was asked', () => {
    const ofTenants = api.statements.filter(({ scope }) => scope !== SYSTEM);
    expect(ofTenants.length).toBeGreaterThan(20);
    for (const { text, values, scope } of ofTenants) {
      expect([text, scope.setting]).toEqual([text, account.applicationId]);
      // Rows that are written together come column by column.
      expect([text, values.flat()]).toEqual([text, expect.arrayContaining([account.applicationId])]);
      expect(text).toMatch(/application_id|\bapplication"? (?:as "a0" )?where (?:"a0"\.)?"?id"? = \$1/);
    }
  });

  it('of no application are those that prove the key, end a sync by its lease and tend permits and request logs, and no others', () => {
    // Permits and the request log are tended now and then, and not in every run.
    const isTended = ({ text }: ObservedStatement) => /\b(?:provider_permit|request_record)\b/.test(text);
    const ofNone = api.statements.filter(({ scope }) => scope === SYSTEM);
    const tables = ofNone
      .filter((statement) => !isTended(statement))
      .map(({ text }) => /\b(?:from|update|into)\s+"?(\w+)/.exec(text)?.[1]);
    expect([...new Set(tables)].sort()).toEqual(['api_key', 'synced_calendar']);
    // What is tended is found by the application all the same.
    for (const { text, values } of ofNone.filter(({ text }) => text.includes('provider_permit')))
      expect([text, values.flat()]).toEqual([text, expect.arrayContaining([account.applicationId])]);
  });
});

describe('N09 the routes of the server itself', () => {
  /** Methods and paths as the router knows them, documented or not. */
  function routes(): string[] {
    const { router } = api.app.getHttpAdapter().getInstance() as {
      router: { stack: { route?: { path: string; methods: Record<string, boolean> } }[] };
    };
    return router.stack.flatMap(({ route }) => {
      if (route === undefined) return [];
      const methods = Object.keys(route.methods);
      return methods.length > 10 ? [`ALL ${route.path}`] : methods.map((name) => `${name.toUpperCase()} ${route.path}`);
    });
  }

  const PUBLIC = [
    'ALL /health/{*probe}', // the 404 of what is no probe
    'GET /health/live',
    'GET /health/ready',
    'GET /health/startup',
    'GET /api/openapi.json',
    'GET /api/docs',
    'GET /api/docs/start.js',
    'GET /api/docs/scalar.js',
  ];

  it('are the documented ones, those of providers and the public ones: nothing is hidden from the document', () => {
    const names = [...Object.keys(REQUESTS), ...BROWSER_OPERATIONS, ...PAGE_ROUTES, ...PROVIDER_ROUTES];
    const paths = names.map((name) => name.replace(' ', ' /api').replaceAll(/\{(\w+)\}/g, ':$1'));
    expect([...new Set(routes())].sort()).toEqual([...paths, ...PUBLIC].sort());
  });
});

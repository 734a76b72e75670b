import 'reflect-metadata';
import { jest } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { Logger, Module, type DynamicModule } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { ApiKeysService, ApplicationsService } from '#application';
import { KeyRing, PersistenceModule, SYSTEM, type Scope } from '#persistence';
import { HealthModule, loadConfig, LoggingModule, ServiceState, type Config } from '#platform';
import { ProvidersModule } from '#providers';
import { ApiModule } from '../../apps/api/src/api.module.js';
import { ApplicationModule } from '../../apps/api/src/application.module.js';
import { createApp } from '../../apps/api/src/create-app.js';
import { connectAccount, startFakeServer, type ConnectedAccount } from '../support/connected-account.js';
import type { FakeCalDav } from '../support/fake-caldav.js';
import { createTestDatabase, type TestDatabase } from '../support/postgres.js';
import { callService, type Service } from '../support/service.js';
import { BROWSER_OPERATIONS, PROVIDER_ROUTES, REQUESTS, requestOf } from './tenancy-routes.js';

/** Other suites may have the machine at the same time. */
jest.setTimeout(30_000);

/** Everything that was sent to the database, and whose rows it was allowed to see. */
const statements: { text: string; values: unknown[]; scope: Scope }[] = [];

/** The API with its real parts, in this process, so that every statement can be seen. */
@Module({})
class ObservedApi {
  static forRoot(config: Config): DynamicModule {
    return {
      module: ObservedApi,
      imports: [
        LoggingModule.forRoot({ service: 'api', level: 'silent' }),
        PersistenceModule.forRoot({
          databaseUrl: config.databaseUrl,
          keyRing: KeyRing.parse(config.encryptionKeys),
          onStatement: ({ text, values = [] }, scope) => void statements.push({ text, values, scope }),
        }),
        ProvidersModule.forRoot(config),
        HealthModule.forRoot({ useFactory: () => [] }),
        ApiModule.forRoot(config, [ApplicationModule.forRoot(config)]),
      ],
    };
  }
}

let database: TestDatabase;
let fake: FakeCalDav;
let app: NestExpressApplication;
let account: ConnectedAccount;
let call: Service['call'];

beforeAll(async () => {
  database = await createTestDatabase();
  fake = await startFakeServer('mine', { login: { username: 'alice@example.test', password: 'abcd-efgh-ijkl-mnop' } });
  const config = loadConfig({
    DATABASE_URL: database.url,
    ENCRYPTION_KEYS: `test:${randomBytes(32).toString('base64')}`,
    EGRESS_ALLOW: fake.egressAllow,
    APPLE_CALDAV_URL: fake.url,
  });
  Logger.overrideLogger(false);
  app = await createApp(ObservedApi.forRoot(config), config);
  await app.listen(0, '127.0.0.1');
  const baseUrl = await app.getUrl();
  app.get(ServiceState).started();
  const { applicationId } = await app.get(ApplicationsService).create({ name: 'first' });
  const { apiKey } = await app.get(ApiKeysService).create({ applicationId, name: 'test', expires: 'never' });
  statements.length = 0; // those of the operator
  call = (method, path, options = {}) => callService(baseUrl, apiKey, method, path, options);
  account = await connectAccount({ call, applicationId, apiKey } as Service, fake);
}, 120_000);

afterAll(async () => {
  await app?.close();
  await fake.close();
  await database.drop();
});

describe('N08 statements of the running interface', () => {
  beforeAll(async () => {
    const { applicationId, accountId: endUserAccountId, calendarId, eventId } = account;
    const ids = { applicationId, endUserAccountId, calendarId, eventId };
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
      const answer = await call(method, path, { query, body: isLogin ? login : body });
      // The event has no guests to answer for.
      expect([name, answer.status]).toEqual([name, name.endsWith('/rsvp') ? 400 : 200]);
    }
  });

  /** What the other operations need goes last, the innermost first. */
  function deletionsLast(names: string[]): string[] {
    const depth = (name: string) => (name.startsWith('DELETE') ? name.split('/').length : Infinity);
    return names.sort((a, b) => (depth(a) === depth(b) ? 0 : depth(b) - depth(a)));
  }

  it('carry the application in their scope and in their text, whatever was asked', () => {
    const ofTenants = statements.filter(({ scope }) => scope !== SYSTEM);
    expect(ofTenants.length).toBeGreaterThan(20);
    for (const { text, values, scope } of ofTenants) {
      expect([text, scope.setting]).toEqual([text, account.applicationId]);
      expect([text, values]).toEqual([text, expect.arrayContaining([account.applicationId])]);
      expect(text).toMatch(/application_id|\bapplication where id = \$1/);
    }
  });

  it('of no application are those that prove the key, and no others', () => {
    const tables = statements
      .filter(({ scope }) => scope === SYSTEM)
      .map(({ text }) => /\b(?:from|update|into)\s+"?(\w+)/.exec(text)?.[1]);
    expect([...new Set(tables)]).toEqual(['api_key']);
  });
});

describe('N09 the routes of the server itself', () => {
  /** Methods and paths as the router knows them, documented or not. */
  function routes(): string[] {
    const { router } = app.getHttpAdapter().getInstance() as {
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
    const names = [...Object.keys(REQUESTS), ...BROWSER_OPERATIONS, ...PROVIDER_ROUTES];
    const paths = names.map((name) => name.replace(' ', ' /api').replaceAll(/\{(\w+)\}/g, ':$1'));
    expect([...new Set(routes())].sort()).toEqual([...paths, ...PUBLIC].sort());
  });
});

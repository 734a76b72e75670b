import { randomUUIDv7 } from 'node:crypto';
import { GuardedEgress } from '#egress';
import { accountMessage, SigningSecret, SvixTransport, classifyAttempt, WebhookSender } from '#webhooks';
import { appleFlavor } from '../../libs/providers/apple/definition.js';
import { AccountClientCache, openConnection } from '../../libs/providers/caldav/account-client.js';
import { connectAccount } from '../../libs/providers/caldav/discovery.js';
import { CALDAV_FLAVOR, type CalDavFlavor } from '../../libs/providers/caldav/flavor.js';
import { Servers } from '../../libs/providers/caldav/servers.js';
import { Admission } from '#providers/kit/calls';
import { UnlimitedRate } from '#domain/testing/memory-stores';
import { CalDavBench, failure } from '../support/caldav-account.js';
import { connectAccount as connected, startFakeServer, type ConnectedAccount } from '../support/connected-account.js';
import type { FakeCalDav } from '../support/fake-caldav.js';
import { FaultServer } from '../support/fault-server.js';
import { startService, type Service } from '../support/service.js';

/** Every setting whose origin is trusted as configured. */
const SETTINGS = [
  'GOOGLE_API_URL',
  'GOOGLE_OAUTH_URL',
  'GOOGLE_TOKEN_URL',
  'MICROSOFT_GRAPH_URL',
  'MICROSOFT_LOGIN_URL',
  'APPLE_CALDAV_URL',
  'SVIX_SERVER_URL',
  'OIDC_ISSUER',
] as const;

describe('N22 origins that the operator configured, to a service that runs', () => {
  let roots: FaultServer[];
  /** A server that a user may connect. */
  let fake: FakeCalDav;
  let service: Service;
  let account: ConnectedAccount;

  beforeAll(async () => {
    roots = await Promise.all(SETTINGS.map(() => FaultServer.start()));
    fake = await startFakeServer('mine');
    service = await startService({
      ...Object.fromEntries(SETTINGS.map((name, at) => [name, roots[at]!.origin])),
      OIDC_CLIENT_ID: 'id',
      OIDC_CLIENT_SECRET: 'secret',
      EGRESS_ALLOW: fake.egressAllow,
    });
    account = await connected(service, fake);
  });

  afterAll(async () => {
    await service?.stop();
    await Promise.all([fake, ...(roots ?? [])].map((server) => server?.close()));
  });

  const touched = () => SETTINGS.filter((_, at) => roots[at]!.connectionCount > 0);
  const login = { email: 'alice@example.test', password: 'correct horse battery' };

  it('are no receivers of webhooks', async () => {
    for (const { origin } of roots) {
      const endpoint = { url: `${origin}/calendar/v3/x`, eventTypes: ['enduseraccount.created'] };
      const { status, body } = await service.call('POST', '/v1/webhookEndpoints', { body: endpoint });
      expect([origin, status, body.code]).toEqual([origin, 400, 'ValidationFailed']);
    }
    expect(touched()).toEqual([]);
  });

  it('are no CALDAV servers, whether a user or a server names them', async () => {
    for (const { origin } of roots) {
      const path = `/v1/basicAuth/connect/${service.applicationId}/caldav`;
      const { status, body } = await service.call('POST', path, { body: { ...login, serverUrl: origin } });
      expect([origin, status, body.code]).toEqual([origin, 400, 'ServerNotAllowed']);
      fake.switches.redirects = Object.fromEntries(
        ['/', '/.well-known/caldav', '/calendars/alice/mine/'].map((from) => [from, { status: 307, location: origin }]),
      );
      fake.switches.homeSet = [`${origin}/calendars/alice/`];
      await service.call('POST', path, { body: { ...login, serverUrl: fake.url } });
      await account.call('GET', 'events', `/${account.calendarId}`);
      Object.assign(fake.switches, { redirects: {}, homeSet: null });
    }
    expect(touched()).toEqual([]);
  });

  it('are asked by the adapters whose roots they are', async () => {
    const path = `/v1/basicAuth/connect/${service.applicationId}/apple`;
    const { status, body } = await service.call('POST', path, { body: login });
    expect([status, body.code]).toEqual([502, 'ProviderUnavailable']);
    expect(touched()).toEqual(['APPLE_CALDAV_URL']);
  });
});

describe('N22 the origin that the operator configured', () => {
  let fake: FakeCalDav;
  let egress: GuardedEgress;

  beforeAll(async () => {
    fake = await startFakeServer('mine', { login: { username: 'alice@example.test', password: 'without-blanks' } });
  });

  beforeEach(() => {
    egress = new GuardedEgress({ trustedOrigins: [fake.url] });
    fake.requests.length = 0;
  });

  afterEach(() => egress.close());
  afterAll(() => fake.close());

  const deps = () => ({
    egress,
    connections: new AccountClientCache(),
    servers: new Servers(),
    nowMs: Date.now,
  });
  const connect = (flavor: CalDavFlavor) =>
    connectAccount(flavor, deps(), {
      applicationId: 'app',
      email: fake.login.username,
      serverUrl: fake.url,
      credentials: { kind: 'password', password: fake.login.password },
      signal: AbortSignal.timeout(30_000),
    });

  it('is asked for APPLE accounts, whose root it is, and not for CALDAV ones', async () => {
    expect((await failure(connect(CALDAV_FLAVOR))).code).toBe('ServerNotAllowed');
    expect(fake.requests).toEqual([]);
    await expect(connect(appleFlavor(fake.url))).resolves.toMatchObject({ email: fake.login.username });
  });

  it('is not asked for CALDAV accounts that were connected while it was allowed', async () => {
    const bench = new CalDavBench(fake);
    const session = bench.session(await bench.connect());
    await bench.close();
    fake.requests.length = 0;
    const admission = new Admission({ budget: new UnlimitedRate(), requestsPerMinute: 240 }, session);
    const connection = await openConnection(CALDAV_FLAVOR, deps(), session, admission);
    expect((await failure(connection.freshCollections())).code).toBe('ProviderUnavailable');
    expect(fake.requests).toEqual([]);
  });

  it('gets no webhook, neither from us nor through Svix, not even on a connection that is open to it', async () => {
    const secrets = { active: SigningSecret.generate(), retiring: [] };
    const { origin } = new URL(fake.url);
    const asked = {
      method: 'GET',
      url: origin,
      poolKey: 'webhook-endpoint:endpoint',
      timeoutMs: 5_000,
      maxBytes: 4_096,
    };
    expect((await egress.request({ ...asked, trust: 'configured' })).status).toBeGreaterThan(199);
    fake.requests.length = 0;
    const delivery = {
      message: accountMessage(randomUUIDv7(), { eventType: 'enduseraccount.created', payload: {} }),
      endpoint: { id: 'endpoint', applicationId: 'application', rateLimit: null, secrets, url: origin },
      identity: { webhookSubscriptionId: null, endUserAccountId: 'account', calendarId: null },
      isByHand: false,
    };
    const svix = { egress, serverUrl: origin, token: 'token', nowMs: Date.now };
    for (const transport of [new WebhookSender(egress, { nowMs: Date.now }), new SvixTransport(svix)]) {
      const result = await transport.attempt(delivery);
      expect([result.status, result.responseText, classifyAttempt(result).kind]).toEqual([null, '', 'rejected']);
    }
    expect(fake.requests).toEqual([]);
  });
});

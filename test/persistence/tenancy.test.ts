// 20 to 30 s beside other suites: every method of every store is called with the ids of another application.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import type { EndUserAccount } from '#domain/accounts';
import type { ApplicationRef } from '#domain/applications';
import type { ClaimedReconciliation } from '#domain/channels';
import type { WebhookEndpoint } from '#domain/webhooks';
import { Database, SYSTEM, tenant, type Scope, type Statement } from '#persistence';
import { openPersistence, type Persistence } from './persistence.js';
import { authorizationRequest, connectLink } from './authorization-request.js';
import { announce, exhausted, claim, openChannel, record, SECRETS, subscribe } from './webhook-fixture.js';

const LIVE = { subscriptionId: 's', resourceId: 'r', expiresAt: new Date(0), renewAt: new Date(0) };
const CLIENT = { clientId: 'c', clientSecret: 's', scopes: null, tenant: null, expiresAt: null };
const PASSED = { email: null, grantedScopes: [], missingScopes: [], hasRefreshToken: true, error: null };
const REVOCATION = { providerType: 'GOOGLE' as const, providerAccountId: null, clientId: 'c', token: 't' };

let persistence: Persistence;
let mine: ApplicationRef;
let theirs: ApplicationRef;
let theirSyncedCalendar: string;
let theirAccount: EndUserAccount;
let theirSnapshot: string;
let theirLease: string;
let theirMessage: string;
let theirEndpoint: WebhookEndpoint;
let theirReconciliation: ClaimedReconciliation;
let theirChannel: string;
const statements: { statement: Statement; scope: Scope }[] = [];

beforeAll(async () => {
  persistence = await openPersistence({
    onStatement: (statement, scope) => void statements.push({ statement, scope }),
  });
  mine = await persistence.newApplication();
  theirs = await persistence.newApplication();
  theirAccount = await persistence.newAccount(theirs, {
    externalId: 'theirs',
    providerType: 'GOOGLE',
    serverUrl: null,
    providerAccountId: 'theirs',
  });
  await persistence.credentials.put(theirs, theirAccount.id, { kind: 'password', password: 'theirs' });
  theirLease = (await persistence.credentials.lease(theirs, theirAccount.id, 1, 600_000)) as string;
  await persistence.health.recordUse(theirs, theirAccount.id, new Date());
  await persistence.health.recordRejection(theirs, theirAccount.id, 1);
  const scope = { ...theirs, accountId: theirAccount.id, calendarId: 'c' };
  await persistence.privateProperties.save({ ...scope, iCalUid: 'u', instance: '' }, { of: 'theirs' });
  theirSnapshot = await persistence.snapshots.save(scope, { entries: { a: '1' }, changeTag: null });
  const { syncedCalendarId } = await persistence.syncedCalendars.register(theirs, theirAccount.id, 'c');
  theirSyncedCalendar = syncedCalendarId;
  theirEndpoint = await subscribe(persistence, { application: theirs, syncedCalendarId });
  [theirMessage] = (await announce(persistence, { syncedCalendarId })) as [string];
  await record(persistence, await claim(persistence, theirMessage), exhausted);
  ({ reconciliation: theirReconciliation, channelId: theirChannel } = await openChannel(
    persistence,
    theirs,
    syncedCalendarId,
  ));
});

afterAll(() => persistence.close());

/** Everything that hangs on their account, to see that nothing of it changed. */
async function theirState(): Promise<unknown> {
  return {
    account: await persistence.accounts.getOwned(theirs, theirAccount.id),
    credential: await persistence.credentials.get(theirs, theirAccount.id),
    lease: await persistence.admin('select lease_id, leased_until from credential where end_user_account_id = $1', [
      theirAccount.id,
    ]),
    health: await persistence.admin('select * from credential_check where end_user_account_id = $1', [theirAccount.id]),
    properties: await persistence.privateProperties.load({ ...theirs, accountId: theirAccount.id, calendarId: 'c' }, [
      'u',
    ]),
    webhooks: await Promise.all(
      ['synced_calendar', 'webhook_endpoint', 'webhook_message', 'delivery_attempt', 'provider_channel'].map((table) =>
        persistence.admin(`select * from ${table} where application_id = $1`, [theirs.applicationId]),
      ),
    ),
    snapshot: await persistence.snapshots.find(
      { ...theirs, accountId: theirAccount.id, calendarId: 'c' },
      theirSnapshot,
    ),
  };
}

describe('N05 ids of another application', () => {
  /** Each method that takes an account's id, called by us with theirs. */
  const calls: Record<string, () => Promise<unknown>> = {
    'accounts.getOwned': () => persistence.accounts.getOwned(mine, theirAccount.id),
    'accounts.setStatus': () => persistence.accounts.setStatus(mine, theirAccount.id, 'EXPIRED', 'invalid_grant'),
    'accounts.saveAuthorizedScopes': () => persistence.accounts.saveAuthorizedScopes(mine, theirAccount.id, ['x']),
    'accounts.findByProviderAccountId': () => persistence.accounts.findByProviderAccountId(mine, 'GOOGLE', 'theirs'),
    'accounts.saveProviderState': () =>
      persistence.accounts.saveProviderState(mine, theirAccount.id, { planted: true }),
    'accounts.delete': () => persistence.accounts.delete(mine, theirAccount.id),
    'accounts.list': () =>
      persistence.accounts.list(mine, { limit: 9, search: 'theirs', status: null, after: theirAccount }),
    'accounts.upsert': async () =>
      (await persistence.accounts.upsert(mine, { ...theirAccount, providerState: {} })).created,
    'credentials.put': () => persistence.credentials.put(mine, theirAccount.id, { kind: 'password', password: 'x' }),
    'credentials.get': () => persistence.credentials.get(mine, theirAccount.id),
    'credentials.getWithAccount': () => persistence.credentials.getWithAccount(mine, theirAccount.id),
    'credentials.version': () => persistence.credentials.version(mine, theirAccount.id),
    'credentials.lease': () => persistence.credentials.lease(mine, theirAccount.id, 1, 20_000),
    'credentials.releaseLease': () => persistence.credentials.releaseLease(mine, theirAccount.id, theirLease),
    'credentials.replace': () =>
      persistence.credentials.replace(mine, theirAccount.id, 1, { kind: 'password', password: 'x' }),
    'health.checkBy': () => persistence.health.checkBy(mine, theirAccount.id, new Date()),
    'health.recordUse': () => persistence.health.recordUse(mine, theirAccount.id, new Date()),
    'health.recordAccepted': () => persistence.health.recordAccepted(mine, theirAccount.id, new Date()),
    'health.activity': () => persistence.health.activity(mine, theirAccount.id),
    'health.recordRejection': () => persistence.health.recordRejection(mine, theirAccount.id, 1),
    'health.clearRejection': () => persistence.health.clearRejection(mine, theirAccount.id),
    'privateProperties.load': () => persistence.privateProperties.load(scope(), ['u']),
    'privateProperties.save': () =>
      persistence.privateProperties.save({ ...scope(), iCalUid: 'u', instance: '' }, { x: 'y' }),
    'privateProperties.remove': () => persistence.privateProperties.remove({ ...scope(), iCalUid: 'u' }),
    'snapshots.save': () => persistence.snapshots.save(scope(), { entries: {}, changeTag: null }),
    'snapshots.find': () => persistence.snapshots.find(scope(), theirSnapshot),
    'snapshots.replace': () => persistence.snapshots.replace(scope(), theirSnapshot, { entries: {}, changeTag: null }),
    'budget.admit': async () => {
      const operation = { requests: 2, isBackground: false };
      expect(await persistence.budget.admit(scope(), 240, operation, new AbortController().signal)).toBe(2);
    },
    'budget.correct': () => persistence.budget.correct(scope(), 240, -1),
    'budget.take': () => persistence.budget.take(scope(), 240, new AbortController().signal),
    'slots.withPermit': () =>
      persistence.slots.withPermit(scope(), 1, new AbortController().signal, async () => undefined),
    'endpoints.create': () =>
      subscribe(persistence, { application: mine, syncedCalendarId: theirReconciliation.syncedCalendarId }),
    'endpoints.get': () => persistence.endpoints.get(mine, theirEndpoint.id),
    'endpoints.count': () => persistence.endpoints.count(mine, theirReconciliation.syncedCalendarId),
    'endpoints.list': () => persistence.endpoints.list(mine, { limit: 9, after: null }),
    'endpoints.listSubscriptions': () =>
      persistence.endpoints.listSubscriptions(mine, theirAccount.id, { limit: 9, after: null }),
    'endpoints.remove': () => persistence.endpoints.remove(mine, theirEndpoint.id, theirAccount.id),
    'endpoints.changeSecrets': () => persistence.endpoints.changeSecrets(mine, theirEndpoint.id, () => SECRETS),
    'endpoints.setRateLimit': () => persistence.endpoints.setRateLimit(mine, theirEndpoint.id, 1),
    'endpoints.disable': () => persistence.endpoints.disable(mine, theirEndpoint.id, 'requested'),
    'endpoints.enable': () => persistence.endpoints.enable(mine, theirEndpoint.id),
    'messages.resend': () => persistence.messages.resend(mine, theirMessage),
    'messages.add': () =>
      persistence.messages.add(mine, theirEndpoint.id, {
        id: randomUUID(),
        eventType: 'webhook.test',
        body: Buffer.from('{}'),
      }),
    'messages.find': () => persistence.messages.find(mine, theirEndpoint.id, theirMessage),
    'messages.recover': () => persistence.messages.recover(mine, theirEndpoint.id, new Date(0)),
    'messages.list': () => persistence.messages.list(mine, theirEndpoint.id, { limit: 9, after: null, state: null }),
    'messages.attempts': () => persistence.messages.attempts(mine, theirMessage),
    'syncedCalendars.register': () => persistence.syncedCalendars.register(mine, theirAccount.id, 'c'),
    'syncedCalendars.claimInitialSync': () =>
      persistence.syncedCalendars.claimInitialSync(mine, theirSyncedCalendar, 1),
    'syncedCalendars.requestSyncOfCalendar': () =>
      persistence.syncedCalendars.requestSyncOfCalendar(mine, theirAccount.id, 'c'),
    'syncedCalendars.requestSyncOfAccount': () =>
      persistence.syncedCalendars.requestSyncOfAccount(mine, theirAccount.id),
    'channels.claimReconciliation': () =>
      persistence.channels.claimReconciliation(mine, theirReconciliation.syncedCalendarId, 1_000),
    'channels.isRegistered': () => persistence.channels.isRegistered(mine, theirReconciliation.syncedCalendarId),
    'channels.claimReconciliationsOfAccount': () =>
      persistence.channels.claimReconciliationsOfAccount(mine, theirAccount.id, 1_000),
    'channels.open': () => persistence.channels.open({ ...theirReconciliation, ...mine }, { token: 't' }),
    'channels.live': () => persistence.channels.live({ ...theirReconciliation, ...mine }, theirChannel, LIVE),
    'channels.closed': () => persistence.channels.closed({ ...theirReconciliation, ...mine }, theirChannel),
    'channels.completeReconciliation': () =>
      persistence.channels.completeReconciliation({ ...theirReconciliation, ...mine }, 1),
    'channels.delete': () => persistence.channels.delete({ ...theirReconciliation, ...mine }),
  };
  const scope = () => ({ ...mine, accountId: theirAccount.id, calendarId: 'c' });

  it('are tried on every method of every port that takes one', () => {
    const ports = [
      'accounts',
      'credentials',
      'health',
      'privateProperties',
      'snapshots',
      'budget',
      'slots',
      'endpoints',
      'messages',
      'syncedCalendars',
      'channels',
    ] as const;
    const methods = ports.flatMap((port) => {
      const contract = Object.getPrototypeOf(Object.getPrototypeOf(persistence[port])) as object;
      const own = Object.getPrototypeOf(persistence[port]) as object;
      expect(contract).not.toBe(Object.prototype);
      return Object.getOwnPropertyNames(own)
        .filter((name) => name !== 'constructor' && !PRIVATE.has(`${port}.${name}`))
        .map((name) => `${port}.${name}`);
    });
    expect(Object.keys(calls).sort()).toEqual(methods.sort());
  });

  it.each(Object.keys(calls))('%s sees and changes nothing', async (name) => {
    const before = await theirState();
    const outcome = await (calls[name] as () => Promise<unknown>)().then(
      (value) => value,
      (error: unknown) => error,
    );
    if (outcome instanceof Error) expect(outcome).toMatchObject({ code: 'NotFound' });
    else expect([undefined, null, false, 0, [], new Map(), true]).toContainEqual(outcome);
    if (outcome === true) expect(name).toBe('accounts.upsert'); // ours now, beside theirs
    const { snapshot: _a, ...unchanged } = before as Record<string, unknown>;
    const { snapshot: _b, ...now } = (await theirState()) as Record<string, unknown>;
    expect(now).toEqual(unchanged);
  });

  it('do not reach what belongs to another application as a whole', async () => {
    await persistence.oauthClients.put(theirs, 'GOOGLE', CLIENT);
    await persistence.redirectUrls.add(theirs, 'https://theirs.example/');
    const revocation = await persistence.revocations.add(theirs, REVOCATION);
    const test = await persistence.signInTests.begin(theirs, 'GOOGLE');
    expect(await persistence.signInTests.find(mine, test)).toBeNull();
    await persistence.signInTests.finish(mine, test, PASSED);
    expect(await persistence.signInTests.find(theirs, test)).toMatchObject({ state: 'running' });
    expect(await persistence.revocations.isAnyPending(mine)).toBe(false);
    expect(await persistence.oauthClients.find(mine, 'GOOGLE')).toBeNull();
    expect(await persistence.oauthClients.remove(mine, 'GOOGLE')).toBe(false);
    expect(await persistence.redirectUrls.list(mine)).toEqual([]);
    expect(await persistence.redirectUrls.remove(mine, 'https://theirs.example/')).toBe(false);
    await persistence.revocations.remove({ ...revocation, ...mine });
    expect(await persistence.admin('select 1 from grant_revocation where id = $1', [revocation.id])).toHaveLength(1);
    expect(await persistence.oauthClients.find(theirs, 'GOOGLE')).toEqual(CLIENT);
    expect(await persistence.redirectUrls.list(theirs)).toEqual(['https://theirs.example/']);
  });

  it('do not reach a foreign idempotency record', async () => {
    const theirClaim = await persistence.idempotency.claim({ ...theirs, key: 'same' }, 'f', 60_000);
    expect(theirClaim.state).toBe('claimed');
    expect((await persistence.idempotency.claim({ ...mine, key: 'same' }, 'f', 60_000)).state).toBe('claimed');
    if (theirClaim.state !== 'claimed') return;
    await persistence.idempotency.release({ ...mine, key: 'same' }, theirClaim.claimId);
    expect((await persistence.idempotency.claim({ ...theirs, key: 'same' }, 'f', 60_000)).state).toBe('inFlight');
  });
});

/** Methods that are no part of the port. */
const PRIVATE = new Set([
  'accounts.byIds',
  'credentials.ofAccounts',
  'credentials.find',
  'credentials.opener',
  'accounts.configurationId',
  'accounts.insert',
  'accounts.lockByKey',
  'accounts.reconnect',
  'accounts.now',
  'credentials.hasAccount',
  'credentials.now',
  'credentials.rowId',
  // Across applications by their nature; what they tell is no row of anybody's.
  'credentials.sharesGrant',
  'health.claimDue',
  'health.readRejected',
  'health.rejectedOf',
  'snapshots.now',
  'budget.reject',
  'budget.reserve',
  'budget.takeOne',
  'budget.turnOf',
  'budget.wait',
  'budget.waitFor',
  'slots.entryOf',
  'slots.next',
  'slots.ask',
  'slots.takeSome',
  'slots.maintain',
  'slots.renew',
  'slots.notice',
  'slots.releaseEntries',
  'endpoints.switch',
  // The system's, for all applications.
  'messages.claimForQueue',
  'messages.defer',
  'messages.claim',
  'messages.extend',
  'messages.record',
  'messages.toClaimed',
  'messages.resendMatching',
  'syncedCalendars.requestSync',
  'syncedCalendars.requestSyncAfterGap',
  'syncedCalendars.claimSyncs',
  'syncedCalendars.extend',
  'syncedCalendars.complete',
  'syncedCalendars.defer',
  'syncedCalendars.release',
  'syncedCalendars.endForSubscribers',
  'syncedCalendars.end',
  'channels.claimReconciliations',
  'channels.lost',
  'channels.renewSoon',
  'channels.recordFoundChange',
  'channels.keys',
  'channels.lease',
  'channels.channelsOf',
  'channels.lockHeld',
  'channels.toChannel',
  'channels.openToken',
]);

/** Without the quotes and the names of tables that MikroORM and Kysely write. */
const plain = (text: string) => text.replaceAll('"', '').replaceAll(/ as [a-z]\d\b|\b[a-z]\d\./g, '');

describe('N08 statements', () => {
  it('all name the application, except those of the system', () => {
    const free = new Set(
      statements
        .filter(({ scope }) => scope !== SYSTEM)
        .map(({ statement }) => plain(statement.text))
        .filter((text) => !/application_id = \$\d|values \(\$1, \$2|application where id = \$1/.test(text)),
    );
    expect([...free]).toEqual([]);
    expect(statements.length).toBeGreaterThan(50);
  });

  it('of the system are few and known', () => {
    const ofSystem = new Set(
      statements
        .filter(({ scope }) => scope === SYSTEM)
        .map(({ statement }) => statement.name ?? plain(statement.text).split(/\s+/).slice(0, 3).join(' ')),
    );
    // A process tends the permits that it holds, of all applications at once, whenever it comes to that.
    const tended = [...ofSystem].filter((name) => name.startsWith('provider-permit-'));
    expect(['provider-permit-lacking', 'provider-permit-release', 'provider-permit-renew']).toEqual(
      expect.arrayContaining(tended),
    );
    expect([...ofSystem].filter((name) => !tended.includes(name)).sort()).toEqual([
      'calendar-sync-end-for-subscribers',
      'calendar-syncs-claim',
      'insert into application',
      'select not (rolsuper',
      'webhook-attempts-record',
      'webhook-messages-claim',
      'webhook-messages-insert',
    ]);
  });
});

describe('N08 the second wall (row-level security)', () => {
  const tables = [
    'application',
    'api_key',
    'provider_configuration',
    'end_user_account',
    'credential',
    'private_property',
    'sync_snapshot',
    'idempotency_record',
    'audit_entry',
    'provider_rate',
    'provider_permit',
    'oauth_client',
    'redirect_url',
    'authorization_request',
    'sign_in_test',
    'outbox',
    'grant_revocation',
    'credential_check',
    'account_status_change',
    'failed_connect',
    'synced_calendar',
    'provider_channel',
    'webhook_endpoint',
    'webhook_message',
    'delivery_attempt',
  ];

  beforeAll(async () => {
    for (const application of [mine, theirs]) {
      const account = await persistence.newAccount(application);
      const scope = { ...application, accountId: account.id, calendarId: 'c' };
      await persistence.credentials.put(application, account.id, { kind: 'password', password: 'x' });
      const { syncedCalendarId } = await persistence.syncedCalendars.register(application, account.id, 'c');
      await subscribe(persistence, { application, syncedCalendarId });
      const [message] = (await announce(persistence, { syncedCalendarId })) as [string];
      await claim(persistence, message);
      await openChannel(persistence, application, syncedCalendarId);
      await persistence.privateProperties.save({ ...scope, iCalUid: 'u', instance: '' }, { a: 'b' });
      await persistence.snapshots.save(scope, { entries: {}, changeTag: null });
      await persistence.idempotency.claim({ ...application, key: 'k' }, 'f', 1_000);
      await persistence.budget.take(scope, 240, new AbortController().signal);
      await persistence.slots.withPermit(scope, 1, new AbortController().signal, async () => undefined);
      await persistence.audit.record({ ...application, actor: 'ops', action: 'a', subject: 's', requestId: null });
      await persistence.oauthClients.put(application, 'GOOGLE', CLIENT);
      await persistence.redirectUrls.add(application, 'https://app.example/');
      await persistence.authorizationRequests.save(authorizationRequest(application));
      await persistence.connectLinks.create(connectLink(application));
      await persistence.signInTests.begin(application, 'GOOGLE');
      await persistence.outbox.append(application, { eventType: 'enduseraccount.created', payload: {} });
      await persistence.revocations.add(application, REVOCATION);
      await persistence.connectGuard.recordRejection({
        ...application,
        actor: 'a',
        providerType: 'GOOGLE',
        login: 'l',
      });
      await persistence.apiKeys.create({
        id: `key-of-${application.applicationId}`,
        ...application,
        name: 'ci',
        scopes: ['read'],
        secretHash: Buffer.alloc(32),
        secretTail: 'abcd',
        expiresAt: null,
      });
    }
  });

  /** The same wall, whether the connection's role is an ordinary one, or one above it. */
  const roles: [string, () => string][] = [
    ['the owner of the tables', () => persistence.testDatabase.url],
    ['a superuser', () => persistence.testDatabase.adminUrl],
  ];

  describe.each(roles)('for %s', (_role, url) => {
    let database: Database;

    beforeAll(() => {
      database = new Database({ databaseUrl: url() });
    });

    afterAll(() => database.close());

    it.each(tables)('%s shows only our rows to a query without a condition', async (table) => {
      const owner = table === 'application' ? 'id' : 'application_id';
      const rows = await database.read<{ owner: string }>(tenant(mine.applicationId), {
        text: `select distinct ${owner}::text as owner from ${table}`,
      });
      expect(rows).toEqual([{ owner: mine.applicationId }]);
      const everyones = await database.read(SYSTEM, { text: `select distinct ${owner} from ${table}` });
      expect(everyones.length).toBeGreaterThanOrEqual(2);
    });

    it('changes and deletes only our rows', async () => {
      const nobody = tenant('0197a000-0000-7000-8000-000000000000');
      for (const table of tables) {
        expect((await database.write(nobody, { text: `delete from ${table}` })).count).toBe(0);
      }
      const { count } = await database.write(tenant(mine.applicationId), {
        text: 'update credential set row_version = row_version + 100',
      });
      expect(count).toBe(1);
    });

    it('takes no row of another application in', async () => {
      await expect(
        database.write(tenant(mine.applicationId), {
          text:
            'insert into audit_entry (id, application_id, actor, action, subject, recorded_at) ' +
            "values (gen_random_uuid(), $1, 'x', 'x', 'x', now())",
          values: [theirs.applicationId],
        }),
      ).rejects.toThrow('row-level security');
      await expect(
        database.write(tenant(mine.applicationId), {
          text: 'update credential set application_id = $1',
          values: [theirs.applicationId],
        }),
      ).rejects.toThrow('row-level security');
    });

    it('does not leak from one use of a connection to the next', async () => {
      const single = new Database({ databaseUrl: url(), poolSize: 1 });
      try {
        const seen = (scope: Scope) =>
          single.read<{ id: string }>(scope, { text: 'select id::text from application order by id' });
        for (const application of [mine, theirs, mine]) {
          expect(await seen(tenant(application.applicationId))).toEqual([{ id: application.applicationId }]);
        }
        await expect(
          single.transaction(tenant(mine.applicationId), async () => {
            expect(await seen(tenant(theirs.applicationId))).toEqual([{ id: theirs.applicationId }]);
            throw new Error('undo');
          }),
        ).rejects.toThrow('undo');
        for (const application of [mine, theirs]) {
          expect(await seen(tenant(application.applicationId))).toEqual([{ id: application.applicationId }]);
        }
      } finally {
        await single.close();
      }
    });
  });

  it('shows nothing to a connection without a scope', async () => {
    const client = new pg.Client({ connectionString: persistence.testDatabase.url });
    await client.connect();
    try {
      for (const table of tables) expect((await client.query(`select 1 from ${table}`)).rowCount).toBe(0);
    } finally {
      await client.end();
    }
  });

  it('stands before every table of ours', async () => {
    const open = await persistence.admin(
      "select relname from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace " +
        'and not (relrowsecurity and relforcerowsecurity)',
    );
    expect(open).toEqual([{ relname: 'mikro_orm_migrations' }]);
  });
});

// Takes long beside other suites: the rotation runs in processes, some of which are killed.
import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { ApplicationRef } from '#domain/applications';
import type { AuthorizationRequest } from '#domain/oauth';
import { encryptedColumns, KeyRing, rotateKeys, RotationFailed } from '#persistence';
import { compileLibs, type CompiledLibs } from '../support/compiled-libs.js';
import { openPersistence, type Persistence } from './persistence.js';
import { authorizationRequest, connectLink } from './authorization-request.js';
import { SECRETS, subscribe } from './webhook-fixture.js';

const [oldEntry, newEntry] = [KeyRing.generateEntry('old'), KeyRing.generateEntry('new')];
const both = KeyRing.parse(`${newEntry},${oldEntry}`);
const ACCOUNTS = 60;

const CLIENT = { clientId: 'c', clientSecret: 'of the client', scopes: null, tenant: null, expiresAt: null };
const REVOCATION = { providerType: 'GOOGLE' as const, providerAccountId: null, clientId: 'c', token: 'of the grant' };
const SSO_REQUEST = {
  stateHash: Buffer.alloc(32, 1),
  codeVerifier: 'of the sign-on',
  nonce: 'n',
  returnTo: '/dashboard/',
  linkTo: null,
  renews: null,
  expiresAt: new Date(Date.now() + 600_000),
};

let libs: CompiledLibs;
let before: Persistence;
let application: ApplicationRef;
let attempt: AuthorizationRequest;
let accountIds: string[];
let syncedCalendarId: string;
let endpointId: string;

beforeAll(async () => {
  libs = await compileLibs(['persistence']);
});

afterAll(() => libs.remove());

/** One record of every kind that is encrypted, and many credentials, all under the old key. */
beforeEach(async () => {
  before = await openPersistence({ keyRing: KeyRing.parse(oldEntry) });
  application = await before.newApplication();
  accountIds = [];
  for (let count = 0; count < ACCOUNTS; count += 1) {
    const { id } = await before.newAccount(application);
    accountIds.push(id);
    await before.credentials.put(application, id, { kind: 'password', password: `of ${id}` });
  }
  await before.privateProperties.save(
    { ...application, accountId: accountIds[0] as string, calendarId: 'c', iCalUid: 'u', instance: '' },
    { a: 'b' },
  );
  const claim = await before.idempotency.claim({ ...application, key: 'k' }, 'f', 1);
  if (claim.state !== 'claimed') throw new Error(claim.state);
  await before.idempotency.complete({ ...application, key: 'k' }, claim.claimId, {
    status: 200,
    headers: {},
    body: '1',
  });
  await before.idempotency.claim({ ...application, key: 'still running' }, 'f', 1);
  await before.oauthClients.put(application, 'GOOGLE', CLIENT);
  attempt = authorizationRequest(application);
  await before.authorizationRequests.save(attempt);
  await before.connectLinks.create(connectLink(application, { externalId: 'user-42' }));
  await before.ssoRequests.save(SSO_REQUEST);
  await before.revocations.add(application, REVOCATION);
  syncedCalendarId = (await before.syncedCalendars.register(application, accountIds[0] as string, 'c'))
    .syncedCalendarId;
  endpointId = (await subscribe(before, { application, syncedCalendarId })).id;
  const reconciliation = await before.channels.claimReconciliation(application, syncedCalendarId, 0);
  if (reconciliation === null) throw new Error('The upkeep is taken');
  await before.channels.open(reconciliation, { token: 'of the channel' });
});

async function afterwards(work: (persistence: Persistence) => Promise<void>): Promise<void> {
  const persistence = await openPersistence({ testDatabase: before.testDatabase, keyRing: KeyRing.parse(newEntry) });
  try {
    await work(persistence);
  } finally {
    await persistence.close();
    await before.close();
  }
}

async function expectAllReadable(persistence: Persistence): Promise<void> {
  for (const id of accountIds) {
    expect((await persistence.credentials.get(application, id)).credentials).toMatchObject({ password: `of ${id}` });
  }
  const properties = await persistence.privateProperties.load(
    { ...application, accountId: accountIds[0] as string, calendarId: 'c' },
    ['u'],
  );
  expect(properties.get('u')?.get('')).toEqual({ a: 'b' });
  expect(await persistence.idempotency.claim({ ...application, key: 'k' }, 'f', 1)).toMatchObject({
    state: 'completed',
    response: { body: '1' },
  });
  expect(await persistence.oauthClients.find(application, 'GOOGLE')).toEqual(CLIENT);
  await before.admin("update grant_revocation set next_attempt_at = now() - interval '1 second'");
  expect(await persistence.revocations.claimDue(9)).toEqual([expect.objectContaining(REVOCATION)]);
  expect(await persistence.authorizationRequests.take(attempt.stateHash)).toEqual(attempt);
  expect(await persistence.connectLinks.find(connectLink(application).secretHash)).toMatchObject({
    externalId: 'user-42',
  });
  await persistence.authorizationRequests.save(attempt);
  expect(await persistence.ssoRequests.take(SSO_REQUEST.stateHash)).toEqual(SSO_REQUEST);
  await persistence.ssoRequests.save(SSO_REQUEST);
  expect(await persistence.endpoints.changeSecrets(application, endpointId, (secrets) => secrets)).toEqual(SECRETS);
  const reconciliation = await persistence.channels.claimReconciliation(application, syncedCalendarId, 0);
  expect(reconciliation?.channels).toMatchObject([{ token: 'of the channel' }]);
}

const rotate = (options = {}) => rotateKeys({ databaseUrl: before.testDatabase.url, keyRing: both, ...options });

describe('T10 key rotation', () => {
  it('finds every encrypted column by its declaration', async () => {
    const columns = (await encryptedColumns()).map(({ table, column }) => `${table}.${column}`);
    expect(columns.sort()).toEqual([
      'authorization_request.secret',
      'connect_link.secret',
      'credential.secret',
      'grant_revocation.token',
      'idempotency_record.response',
      'oauth_client.client_secret',
      'operator_sso_request.secret',
      'private_property.properties',
      'provider_channel.token',
      'webhook_endpoint.secrets',
    ]);
    // What is bytea and not declared as ciphertext is known not to be secret.
    const binary = await before.admin<{ name: string }>(
      "select table_name || '.' || column_name as name from information_schema.columns " +
        "where table_schema = 'public' and data_type = 'bytea' order by 1",
    );
    const open = [
      'api_key.secret_hash',
      'authorization_request.state_hash',
      'connect_link.secret_hash',
      'failed_connect.login_hash',
      'operator_invitation.token_hash',
      'operator_session.secret_hash',
      'operator_sign_in_failure.subject_hash',
      'operator_sso_request.state_hash',
      'operator_token.secret_hash',
      'private_property.calendar_hash',
      'private_property.ical_uid_hash',
      'sync_snapshot.calendar_hash',
      'sync_snapshot.entries',
      'synced_calendar.calendar_hash',
    ];
    expect(binary.map(({ name }) => name).filter((name) => !columns.includes(name))).toEqual(open);
    await before.close();
  });

  it('visits every record; then the old key can go and everything is still readable', async () => {
    const report = await rotate({ batchSize: 7 });
    expect(report.keyId).toBe('new');
    expect(report.columns).toHaveLength((await encryptedColumns()).length);
    for (const column of report.columns) expect(column.visited).toBeGreaterThan(0);
    expect(report.columns.find(({ table }) => table === 'credential')).toMatchObject({
      visited: ACCOUNTS,
      rewritten: ACCOUNTS,
    });
    await afterwards(expectAllReadable);
  });

  it('is idempotent: a second run visits all and rewrites nothing', async () => {
    await rotate();
    const again = await rotate();
    expect(again.columns.map(({ rewritten }) => rewritten)).toEqual(Array.from({ length: 10 }, () => 0));
    expect(again.columns.map(({ visited }) => visited).reduce((a, b) => a + b)).toBe(ACCOUNTS + 9);
    await afterwards(expectAllReadable);
  });

  it('goes on where kill -9 stopped it, and counts nothing twice', async () => {
    const script = join(libs.directory, 'rotate.mjs');
    await writeFile(
      script,
      `import { KeyRing, rotateKeys } from '#persistence';
       let batches = 0;
       await rotateKeys({
         databaseUrl: process.argv[2], keyRing: KeyRing.parse(process.argv[3]), batchSize: 4,
         onProgress: ({ table }) => {
           if (table === 'credential' && (batches += 1) === 5) process.kill(process.pid, 'SIGKILL');
         },
       });`,
    );
    const child = spawn(process.execPath, [script, before.testDatabase.url, `${newEntry},${oldEntry}`], {
      cwd: libs.directory,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const signal = await new Promise((done) => child.once('exit', (_code, killedBy) => done(killedBy)));
    expect(signal).toBe('SIGKILL');
    const header = Buffer.from('\u0001\u0003new').toString('hex');
    const rewritten = async () =>
      (await before.admin(`select 1 from credential where encode(substring(secret from 1 for 5), 'hex') = '${header}'`))
        .length;
    const done = await rewritten();
    expect(done).toBeGreaterThan(0);
    expect(done).toBeLessThan(ACCOUNTS);
    // Half rotated, everything is readable with both keys.
    const meanwhile = await openPersistence({ testDatabase: before.testDatabase, keyRing: both });
    await expectAllReadable(meanwhile);
    await meanwhile.close();

    const report = await rotate();
    expect(report.columns.find(({ table }) => table === 'credential')).toMatchObject({
      visited: ACCOUNTS,
      rewritten: ACCOUNTS,
    });
    expect(await rewritten()).toBe(ACCOUNTS);
    await afterwards(expectAllReadable);
  });

  it('runs beside writers, and catches up with what they wrote under the old key', async () => {
    let writes = 0;
    const report = await rotate({
      batchSize: 5,
      onProgress: () => {
        // An instance that does not have the new ring yet, on rows that are done already.
        if (writes >= 10) return;
        writes += 1;
        void before.credentials.put(application, accountIds[0] as string, {
          kind: 'password',
          password: `of ${accountIds[0]}`,
        });
      },
    });
    expect(writes).toBe(10);
    expect(report.columns.find(({ table }) => table === 'credential')?.visited).toBeGreaterThanOrEqual(ACCOUNTS);
    await new Promise((done) => setTimeout(done, 200));
    await rotate();
    await afterwards(expectAllReadable);
  });

  it('can run twice at once', async () => {
    await Promise.all([rotate({ batchSize: 3 }), rotate({ batchSize: 3 })]);
    await afterwards(expectAllReadable);
  });

  it('names what does not open, after having done all the rest', async () => {
    await before.admin(
      'update credential set secret = set_byte(secret, 40, get_byte(secret, 40) # 1) where end_user_account_id = $1',
      [accountIds[5]],
    );
    const failed: unknown = await rotate().catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(RotationFailed);
    expect((failed as RotationFailed).failures).toEqual([expect.stringContaining('credential.secret of ')]);
    accountIds.splice(5, 1);
    await afterwards(expectAllReadable);
  });
});

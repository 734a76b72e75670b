// 45 s: a database is backed up, lost and restored, with the service at work.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { startDebianPostgres, type DebianPostgres } from '../support/debian-postgres.js';
import { TEST_CLIENT } from '../support/google-service.js';
import { OAUTH_PROVIDERS, type OAuthProviderType } from '../support/oauth-subject.js';
import { allowConnections, asAdmin } from '../support/postgres.js';
import { eventually, temporaryDirectory, type RunningProgram } from '../support/processes.js';
import { startApi } from '../support/service.js';
import { answer } from '../support/faults.js';
import { startWebhookSystem, type Subscribed, type WebhookSystem } from '../support/webhook-system.js';
import { runDocumented, runOps } from './recovery-page.js';

/** A read of a window at Google stands on a snapshot in the database, not on a token of Google's. */
const WINDOW = { startDateTime: '2026-11-30T00:00:00Z', endDateTime: '2026-12-05T00:00:00Z' };
const { TEST_DATABASE_URL: givenUrl } = process.env;

type People = Record<OAuthProviderType, Subscribed>;

let lost: DebianPostgres;
let fresh: DebianPostgres;
let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let system: WebhookSystem;
/** Of the processes on the restored database. */
let env: NodeJS.ProcessEnv;
let api: RunningProgram | undefined;

let kept: People;
/** Connected after the backup. */
let newcomers: People;
/** Of whom a message was pending. */
let waiting: Subscribed;
/** Whose refresh token was replaced after the backup. */
let rotated: Subscribed;
/** Disconnected after the backup. */
let left: Subscribed;
/** Revoked after the backup. */
let revokedKey: { apiKeyId: string; apiKey: string };
/** Of after the backup, by what they stand on. */
const tokens = { window: '', google: '' };
/** Ids of events that were written after the backup, with a key. */
const written = { GOOGLE: '', MICROSOFT: '' };

const service = () => system.fixture.service;
const call = (method: string, path: string, options = {}) => service().call(method, path, options);
const eventsOf = ({ accountId, calendarId }: Subscribed) => `/v1/events/${accountId}/${encodeURIComponent(calendarId)}`;
const status = async ({ accountId }: Subscribed) => (await call('GET', `/v1/endUserAccounts/${accountId}`)).body.status;
const everyone = async (work: (type: OAuthProviderType) => Promise<Subscribed>) => {
  const people: Partial<People> = {};
  for (const type of OAUTH_PROVIDERS) people[type] = await work(type);
  return people as People;
};

/** Writes an event under a key: the same one whenever it is asked for. @returns its id */
async function writeOnce(type: OAuthProviderType): Promise<string> {
  const { status: answered, body } = await call('POST', eventsOf(kept[type]), {
    headers: { 'idempotency-key': `of-the-lost-hour-${type}` },
    body: { title: 'Written once', start: { date: '2026-12-03' }, end: { date: '2026-12-04' } },
  });
  expect(answered).toBe(200);
  return body.id;
}

/** Somebody changes a calendar, and the application hears of it. */
async function changeIsNotified(calendar: Subscribed, title: string): Promise<void> {
  const before = system.receiver.ids(calendar.path).length;
  await system.change(calendar, title);
  await system.receiver.receives(before + 1, calendar.path);
}

async function syncToken(calendar: Subscribed, query: Record<string, string>): Promise<string> {
  const { body } = await call('GET', eventsOf(calendar), { query });
  expect(body.nextSyncToken).toEqual(expect.any(String));
  return body.nextSyncToken;
}

/** On the database that the service has now. */
function admin(text: string, values: unknown[] = []): Promise<any[]> {
  return asAdmin(adminUrl(), async (client) => (await client.query(text, values)).rows);
}

let adminUrl = () => service().adminDatabaseUrl;

beforeAll(async () => {
  [lost, fresh, directory] = await Promise.all([
    startDebianPostgres(),
    startDebianPostgres(),
    temporaryDirectory('disaster'),
  ]);
  process.env.TEST_DATABASE_URL = lost.adminUrl;
  system = await startWebhookSystem({ EXPIRY_PROBE_INTERVAL: '5' });
  await system.startWorker();
});

afterAll(async () => {
  await api?.stop();
  await system?.stop();
  await Promise.all([lost?.stop(), fresh?.stop()]);
  await directory?.remove();
  if (givenUrl === undefined) delete process.env.TEST_DATABASE_URL;
  else process.env.TEST_DATABASE_URL = givenUrl;
});

const backupFile = () => join(directory.path, 'calendar.dump');

describe('a backup', () => {
  it('is made while people, an application, the api and a worker are at work', async () => {
    kept = await everyone((type) => system.subscribe(type));
    [waiting, rotated, left] = [
      await system.subscribe('GOOGLE'),
      await system.subscribe('GOOGLE'),
      await system.subscribe('GOOGLE'),
    ];
    revokedKey = await service().ops('api-key', 'create', ...['--application', service().applicationId], '--name', 'x');
    for (const calendar of Object.values(kept)) await changeIsNotified(calendar, 'Before the backup');
    system.receiver.endpoint(waiting.path, answer(500));
    await changeIsNotified(waiting, 'Told before and after');

    const onService = new URL(service().adminDatabaseUrl);
    const env = { ADMIN_URL: onService.href, BACKUP_PASSWORD: 'backup', BACKUP_FILE: backupFile() };
    await runDocumented('make-backup-role', env);
    [onService.username, onService.password] = ['calendar_backup', 'backup'];
    const backingUp = runDocumented('back-up', { ...env, BACKUP_URL: onService.href });
    await call('POST', eventsOf(kept.GOOGLE), {
      body: { title: 'Meanwhile', start: { date: '2026-12-02' }, end: { date: '2026-12-03' } },
    });
    await backingUp;
  });

  it('is followed by work that is not in it', async () => {
    const { GOOGLE, sandbox } = system.fixture;
    system.receiver.endpoint(waiting.path, answer(204));
    await eventually('what was pending is delivered', async () => {
      const [row] = await admin("select 1 from webhook_message where endpoint_id = $1 and state = 'delivered'", [
        waiting.subscriptionId,
      ]);
      return row === undefined ? undefined : true;
    });
    for (const calendar of Object.values(kept)) await changeIsNotified(calendar, 'After the backup');
    newcomers = await everyone((type) => system.subscribe(type));
    for (const type of OAUTH_PROVIDERS) written[type] = await writeOnce(type);
    tokens.window = await syncToken(kept.GOOGLE, WINDOW);
    tokens.google = await syncToken(kept.GOOGLE, {});

    // Google: another channel in place of the one in the backup. Microsoft: none any more.
    const channels = () => admin('select id from provider_channel');
    const before = new Set((await channels()).map(({ id }) => id));
    await admin('update provider_channel set renew_at = now()');
    await admin('update synced_calendar set reconcile_at = now()');
    await eventually('Google has other channels', async () => {
      const ids = (await sandbox.channels()).map(({ id }) => id);
      return ids.length > 0 && ids.every((id) => !before.has(id)) ? true : undefined;
    });
    for (const { id, email } of await sandbox.microsoft.subscriptions()) {
      if (email === kept.MICROSOFT.email) await sandbox.microsoft.dropSubscription(id, false);
    }

    await sandbox.addClient({
      ...TEST_CLIENT,
      redirectUris: [`${service().baseUrl}/api/v1/oauth/callback/google`],
      rotateRefreshTokens: true,
    });
    await sandbox.expireAccessTokens(rotated.email);
    await GOOGLE.pass(rotated.accountId);
    expect((await GOOGLE.calendars(rotated.accountId)).status).toBe(200);

    expect((await call('DELETE', `/v1/endUserAccounts/${left.accountId}`)).status).toBe(200);
    await service().ops('api-key', 'revoke', '--id', revokedKey.apiKeyId);
    expect((await call('GET', '/v1/endUserAccounts', { key: revokedKey.apiKey })).status).toBe(401);
  });
});

describe('the database is lost, and the backup put back', () => {
  it('by the documented commands, and the service runs on it', async () => {
    await Promise.all([service().program.stop(), ...system.workers.map((worker) => worker.stop())]);
    await allowConnections({ adminUrl: service().adminDatabaseUrl }, false);

    const restored = new URL(fresh.adminUrl);
    restored.pathname = '/calendar';
    adminUrl = () => restored.href;
    const database = new URL(restored);
    [database.username, database.password] = ['calendar', 'calendar'];
    env = { ...service().env, DATABASE_URL: database.href };
    const said = await runDocumented('put-back', {
      ...{ ...env, ADMIN_URL: fresh.adminUrl, DATABASE_PASSWORD: 'calendar', BACKUP_FILE: backupFile() },
    });
    expect(said).toContain('5 calendars are synced at once, 5 push channels opened anew.');
    // It was an hour ago: no access token of then is young.
    await admin("update credential set updated_at = updated_at - interval '1 hour'");
    await system.fixture.sandbox.expireAccessTokens(rotated.email);
    await system.fixture.sandbox.clearRequests();

    ({ program: api } = await startApi(env));
    await system.startWorker({ DATABASE_URL: database.href });
    const { body } = await call('GET', '/v1/endUserAccounts');
    const expected = [...Object.values(kept), waiting, rotated, left].map(({ accountId }) => accountId);
    expect(body.data.map(({ id }: { id: string }) => id).sort()).toEqual(expected.sort());
  });

  it.each(OAUTH_PROVIDERS)('credentials of %s open, calendars are read and written', async (type) => {
    const { status: read, body } = await call('GET', eventsOf(kept[type]), { query: WINDOW });
    expect([read, body.data.map(({ title }: { title: string }) => title)]).toEqual([
      200,
      expect.arrayContaining(['Before the backup', 'After the backup']),
    ]);
    const own = { title: 'Own', start: { date: '2026-12-02' }, end: { date: '2026-12-03' } };
    expect((await call('POST', eventsOf(kept[type]), { body: own })).status).toBe(200);
  });

  it.each(OAUTH_PROVIDERS)('subscriptions to %s live, on channels of their own again', async (type) => {
    const { sandbox } = system.fixture;
    await eventually('there is a channel', async () => {
      const rows = await admin(
        "select c.id, c.subscription_id from provider_channel c join synced_calendar w on w.id = c.synced_calendar_id where w.end_user_account_id = $1 and c.state = 'live' and missed_notifications = 0",
        [kept[type].accountId],
      );
      const there =
        type === 'GOOGLE'
          ? (await sandbox.channels()).map(({ id }) => id)
          : (await sandbox.microsoft.subscriptions()).map(({ id }) => id);
      return rows.some(({ id, subscription_id }) => there.includes(type === 'GOOGLE' ? id : subscription_id))
        ? true
        : undefined;
    });
    await changeIsNotified(kept[type], 'After the restore');
  });

  it.each(OAUTH_PROVIDERS)(
    'a POST to %s that is repeated with its Idempotency-Key makes no second event',
    async (type) => {
      expect(await writeOnce(type)).toBe(written[type]);
      const { body } = await call('GET', eventsOf(kept[type]), { query: WINDOW });
      expect(body.data.filter(({ title }: { title: string }) => title === 'Written once')).toHaveLength(1);
    },
  );

  it('what was pending then and delivered since comes again, under the same id', async () => {
    const [first] = system.receiver.at(waiting.path);
    await eventually('it comes again', () => {
      const times = system.receiver.at(waiting.path).filter(({ id }) => id === first?.id);
      return times.length >= 3 ? true : undefined;
    });
  });

  it('pushes of channels that are not in the backup are refused, and cost nothing', async () => {
    const { sandbox } = system.fixture;
    const responses = () => system.receiver.at(newcomers.GOOGLE.path).length;
    const before = responses();
    await system.change(newcomers.GOOGLE, 'For nobody');
    await system.change(newcomers.MICROSOFT, 'For nobody');
    await changeIsNotified(kept.GOOGLE, 'For somebody');
    expect(responses()).toBe(before);
    expect((await sandbox.channels()).map(({ email }) => email)).toContain(newcomers.GOOGLE.email);
    expect(await call('GET', `/v1/endUserAccounts/${newcomers.GOOGLE.accountId}`)).toMatchObject({ status: 404 });
  });

  it.each(OAUTH_PROVIDERS)('who connected %s since connects again, and is told of changes', async (type) => {
    const { email, path } = newcomers[type];
    const { accountId, calendarId } = await system.fixture[type].connected(email);
    expect(accountId).not.toBe(newcomers[type].accountId);
    const { status: subscribed, body } = await call('POST', `/v1/calendarSubscriptions/${accountId}`, {
      body: { calendarId, webhookUrl: system.receiver.endpoint(path) },
    });
    expect([subscribed, body]).toEqual([200, expect.anything()]);
    await changeIsNotified({ ...newcomers[type], accountId, calendarId }, 'Again');
    if (type === 'MICROSOFT') {
      const left = (await system.fixture.sandbox.microsoft.subscriptions()).filter((one) => one.email === email);
      expect(left).toHaveLength(1);
    }
  });

  it('an account whose refresh token was replaced since is EXPIRED, and comes back under its id', async () => {
    await eventually('it is EXPIRED', async () => ((await status(rotated)) === 'EXPIRED' ? true : undefined));
    expect((await system.fixture.GOOGLE.connected(rotated.email)).accountId).toBe(rotated.accountId);
    expect(await status(rotated)).toBe('ACTIVE');
    await changeIsNotified(rotated, 'Back');
  });

  it('an account that was disconnected since is there again, and is EXPIRED, for its grant is gone', async () => {
    await eventually('it is EXPIRED', async () => ((await status(left)) === 'EXPIRED' ? true : undefined));
  });

  it('nobody else is', async () => {
    expect([await status(kept.GOOGLE), await status(kept.MICROSOFT), await status(waiting)]).toEqual([
      ...['ACTIVE', 'ACTIVE', 'ACTIVE'],
    ]);
  });

  it('sync tokens that stood on the lost part have expired, those of the provider go on', async () => {
    const read = (token: string) => call('GET', eventsOf(kept.GOOGLE), { query: { syncToken: token } });
    expect(await read(tokens.window)).toMatchObject({ status: 410, body: { code: 'SyncTokenExpired' } });
    const { status: answered, body } = await read(tokens.google);
    expect([answered, body.data.map(({ title }: { title: string }) => title)]).toEqual([
      200,
      expect.arrayContaining(['Own', 'After the restore', 'For somebody']),
    ]);
    expect(body.data).not.toContainEqual(expect.objectContaining({ title: 'After the backup' }));
  });

  it('an API key that was revoked since works again, until it is revoked again', async () => {
    const withIt = () => call('GET', '/v1/endUserAccounts', { key: revokedKey.apiKey });
    expect((await withIt()).status).toBe(200);
    await runOps(`api-key revoke --id ${revokedKey.apiKeyId}`, env);
    await eventually('it is refused', async () => ((await withIt()).status === 401 ? true : undefined));
  });
});

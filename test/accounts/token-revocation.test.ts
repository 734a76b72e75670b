import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Queue, type ConnectionOptions } from 'bullmq';
import type { ApplicationRef } from '#domain';
import { accountCheck, channelRenewal, chooseQueueBackend, tokenRevocation } from '#jobs';
import type { AccountChecks } from '../../apps/worker/src/account-checks.js';
import { ReconcileProcessor } from '../../apps/worker/src/scheduled.processors.js';
import { openPersistence, type Persistence } from '../persistence/persistence.js';
import { newWatchedCalendar } from '../persistence/webhook-world.js';
import { startRedis, type RedisServer } from '../support/redis.js';

const REVOCATION = { providerType: 'GOOGLE', providerAccountId: 'sub', clientId: 'c', token: 'refresh-token' };

describe.each(['PostgreSQL', 'Redis'] as const)('revocations that wait, with their queue on %s', (store) => {
  let persistence: Persistence;
  let redis: RedisServer | null = null;
  let queue: Queue;
  let checks: Queue;
  let renewals: Queue;
  let reconciler: ReconcileProcessor;
  let application: ApplicationRef;

  beforeAll(async () => {
    if (store === 'Redis') redis = await startRedis();
    persistence = await openPersistence();
    const connection: ConnectionOptions = chooseQueueBackend({
      databaseUrl: persistence.testDatabase.url,
      redisUrl: redis?.url ?? null,
      connectionName: 'test',
    });
    queue = new Queue(tokenRevocation.queue, { connection });
    checks = new Queue(accountCheck.queue, { connection });
    renewals = new Queue(channelRenewal.queue, { connection });
    const due = { due: (limit: number) => persistence.health.due(limit, { CALDAV: 1 }) } as AccountChecks;
    reconciler = new ReconcileProcessor(
      ...([persistence.revocations, due, persistence.channels, queue, checks, renewals] as const),
    );
    application = await persistence.newApplication();
  });
  afterEach(async () => {
    await queue.drain();
    await persistence.admin('delete from grant_revocation');
  });
  afterAll(async () => {
    await Promise.all([queue, checks, renewals].map((one) => one?.close()));
    await persistence?.close();
    await redis?.stop();
  });

  const makeDue = () => persistence.admin("update grant_revocation set next_attempt_at = now() - interval '1 second'");
  const reconcile = () => reconciler.process({ data: {} } as never);
  const jobs = async () => (await queue.getWaiting()).map(({ data }) => data);

  it('have no job until they are due, then one that holds ids alone', async () => {
    const { id: revocationId } = await persistence.revocations.add(application, REVOCATION);
    await reconcile();
    expect(await jobs()).toEqual([]);
    await makeDue();
    await reconcile();
    expect(await jobs()).toEqual([{ ...application, revocationId }]);
    await makeDue();
    await reconcile();
    expect(await jobs()).toHaveLength(1);
  });

  it('F10 are enqueued again when the queue was emptied, however many there are', async () => {
    for (let count = 0; count < 250; count += 1) await persistence.revocations.add(application, REVOCATION);
    await makeDue();
    await reconcile();
    expect(await jobs()).toHaveLength(250);
    await queue.obliterate({ force: true });
    await makeDue();
    await reconcile();
    expect(await jobs()).toHaveLength(250);
  });

  it('F10 so are checks and channels that are due: one job each, until it claims its row', async () => {
    const { watchedCalendarId, account, ...of } = await newWatchedCalendar(persistence);
    const dueNow = async () => {
      await persistence.admin("update account_health set next_check_at = now() - interval '1 second'");
      await persistence.admin("update watched_calendar set upkeep_at = now() - interval '1 second'");
    };
    const waiting = () =>
      Promise.all([checks, renewals].map(async (one) => (await one.getWaiting()).map(({ data }) => data)));
    const both = [[{ ...of.application, accountId: account.id }], [{ ...of.application, watchedCalendarId }]];
    await dueNow();
    for (let run = 0; run < 3; run += 1) await reconcile();
    expect(await waiting()).toEqual(both);
    for (const one of [checks, renewals]) await one.obliterate({ force: true });
    await reconcile();
    expect(await waiting()).toEqual(both);
    for (const one of [checks, renewals]) await one.obliterate({ force: true });
    expect(await persistence.health.claim({ ...of.application, accountId: account.id }, { CALDAV: 9e5 }, 0)).toBe(true);
    const renewal = { ...of.application, watchedCalendarId };
    expect(await persistence.channels.claimUpkeep(renewal, 45_000)).not.toBeNull();
    expect(await persistence.channels.claimUpkeep(renewal, 45_000)).toBeNull();
    await reconcile();
    expect(await waiting()).toEqual([[], []]);
  });
});

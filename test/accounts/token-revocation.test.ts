import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Queue, type ConnectionOptions } from 'bullmq';
import type { ApplicationRef } from '#domain/applications';
import { chooseQueueBackend, tokenRevocation, type RevocationPayload } from '#jobs';
import { ReconcileProcessor } from '../../apps/worker/src/scheduled.processors.js';
import { openPersistence, type Persistence } from '../persistence/persistence.js';
import { startRedis, type RedisServer } from '../support/redis.js';

const REVOCATION = { providerType: 'GOOGLE', providerAccountId: 'sub', clientId: 'c', token: 'refresh-token' };

describe.each(['PostgreSQL', 'Redis'] as const)('revocations that wait, with their queue on %s', (store) => {
  let persistence: Persistence;
  let redis: RedisServer | null = null;
  let queue: Queue<RevocationPayload>;
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
    reconciler = new ReconcileProcessor(persistence.revocations, queue);
    application = await persistence.newApplication();
  });
  afterEach(async () => {
    await queue.drain();
    await persistence.admin('delete from grant_revocation');
  });
  afterAll(async () => {
    await queue?.close();
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
});

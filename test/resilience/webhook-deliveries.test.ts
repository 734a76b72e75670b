// 55 s: workers are killed, on PostgreSQL and on Redis, and their leases have to end.
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { messageIdOf } from '#webhooks';
import { KEY_ENTRY } from '../persistence/persistence.js';
import { backlog } from '../persistence/webhook-fixture.js';
import { openDeliveryFixture, type DeliveryFixture } from '../support/deliveries.js';
import { answer, silence } from '../support/faults.js';
import { eventually } from '../support/processes.js';
import { runWorker, type WorkerUnderTest } from '../support/worker.js';
import { ResourceSnapshot } from './held-resources.js';

const ENDPOINTS = 10;

describe.each(['PostgreSQL', 'Redis'] as const)('workers that deliver, with their queues on %s', (store) => {
  let fixture: DeliveryFixture;
  const workers: WorkerUnderTest[] = [];

  beforeAll(async () => {
    fixture = await openDeliveryFixture(store);
  });
  afterEach(async () => {
    await Promise.all(workers.splice(0).map((worker) => worker.stop()));
    await fixture.persistence.admin('delete from webhook_message');
  });
  afterAll(() => fixture.close());

  async function startWorker(): Promise<WorkerUnderTest> {
    const worker = await runWorker(fixture.persistence.testDatabase.url, {
      METRICS_PORT: '0',
      ENCRYPTION_KEYS: KEY_ENTRY,
      EGRESS_ALLOW: fixture.receiver.egressAllow,
      ...(fixture.redis === null ? {} : { REDIS_URL: fixture.redis.url }),
    });
    workers.push(worker);
    await eventually('ready', async () => ((await worker.probe('ready')) === 200 ? true : undefined));
    return worker;
  }

  /** Messages for several endpoints below `path`, which answer as told. @returns their ids in headers */
  async function newMessages(path: string, each: number, ...responses: ReturnType<typeof answer>[]): Promise<string[]> {
    const endpoints = await Promise.all(
      Array.from({ length: ENDPOINTS }, (_, n) =>
        // Of the application: nobody looks at a calendar, so that there are no messages but these.
        fixture.newEndpoint(fixture.receiver.endpoint(`/${path}/${n}`, ...responses), { syncedCalendarId: null }),
      ),
    );
    const ids = await Promise.all(endpoints.map((endpoint) => backlog(fixture.persistence, endpoint, each)));
    return ids.flat().map(messageIdOf);
  }

  const receivedAt = (path: string) =>
    fixture.receiver.receipts.filter((receipt) => receipt.path.startsWith(`/${path}/`)).map(({ id }) => id);

  const allDelivered = () =>
    eventually(
      'all delivered',
      async () => {
        const left = await fixture.persistence.admin(
          "select 1 from webhook_message where state <> 'delivered' limit 1",
        );
        return left.length === 0 ? true : undefined;
      },
      { timeoutMs: 90_000 },
    );

  /** Attempts that ended, of each message. */
  const successes = () =>
    fixture.persistence.admin<{ n: number }>(
      'select count(*) filter (where status = 204)::int as n from delivery_attempt group by message_id',
    );

  it('F1 F22 W9 lose nothing when one is killed with 50 deliveries in flight; they go on soon after their leases', async () => {
    // The first five at each endpoint hang; whoever holds them is killed.
    const ids = await newMessages('killed', 6, ...Array.from({ length: 5 }, () => silence()), answer(204));
    const first = await startWorker();
    const resources = new ResourceSnapshot({ DATABASE_URL: fixture.persistence.testDatabase.url });
    await eventually('50 in flight', () => (receivedAt('killed').length >= 50 ? true : undefined));
    // Not before: a new worker is still opening its connections to Redis.
    await resources.measure([{ kind: 'worker', pid: first.pid }], fixture.receiver.egressAllow);
    first.child.kill('SIGKILL');
    await first.exited;
    const [killed] = await fixture.persistence.admin<{ in_flight: number }>(
      'select count(*)::int as in_flight from webhook_message where leased_until is not null',
    );
    const second = await startWorker();
    await allDelivered();
    const received = receivedAt('killed');
    expect(new Set(received)).toEqual(new Set(ids));
    expect(received.length - ids.length).toBeLessThanOrEqual(killed?.in_flight ?? 0);
    expect(await successes()).toEqual(ids.map(() => ({ n: 1 })));
    // I5: of the one before.
    await resources.expectBack([{ kind: 'worker', pid: second.pid }]);
  });

  it('F2 make nothing twice when one is stopped under load, and end with 0', async () => {
    const slow = (_request: unknown, response: { writeHead(status: number): { end(): unknown } }) => {
      setTimeout(() => response.writeHead(204).end(), 200);
    };
    const ids = await newMessages('stopped', 40, slow);
    const first = await startWorker();
    await eventually('under load', () => (receivedAt('stopped').length > 50 ? true : undefined));
    expect(await first.stop(25_000)).toBe(0);
    await startWorker();
    await allDelivered();
    expect(receivedAt('stopped').toSorted()).toEqual(ids.toSorted());
  });

  it('F21 deliver what was written down and not queued', async () => {
    const ids = await newMessages('waiting', 2, answer(204));
    await startWorker();
    await allDelivered();
    expect(receivedAt('waiting').toSorted()).toEqual(ids.toSorted());
  });
});

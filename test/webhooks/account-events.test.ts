import { setTimeout as sleep } from 'node:timers/promises';
import { AccountEventsProcessor } from '../../apps/worker/src/outbox/outbox.module.js';
import type { DeliveryEnqueuer } from '../../apps/worker/src/deliveries/delivery-enqueuer.js';
import { openPersistence, type Persistence } from '../persistence/persistence.js';
import { SECRETS } from '../persistence/webhook-fixture.js';
import { eventually } from '../support/processes.js';

const TYPES = [
  'enduseraccount.created',
  'enduseraccount.updated',
  'enduseraccount.credential.updated',
  'enduseraccount.deleted',
] as const;

/** Three processes on one database. */
let processes: Persistence[];
let running: Promise<void>[] = [];
let isStopping = false;
const some = (n: number) => processes[n % processes.length] as Persistence;

beforeAll(async () => {
  const first = await openPersistence();
  const others = [1, 2].map(() => openPersistence({ testDatabase: first.testDatabase }));
  processes = [first, ...(await Promise.all(others))];
});

afterEach(async () => {
  isStopping = true;
  await Promise.all(running);
});

afterAll(async () => {
  for (const one of processes.toReversed()) await one.close();
});

/** In every process at once, as when a job was taken for lost and is still running. */
function startRelays(): { wakes: () => number } {
  let wakes = 0;
  isStopping = false;
  running = processes.map(async ({ relay }) => {
    const processor = new AccountEventsProcessor(relay, { wake: () => void (wakes += 1) } as DeliveryEnqueuer);
    while (!isStopping) {
      await processor.process({ data: {} } as never);
      await sleep(50);
    }
  });
  return { wakes: () => wakes };
}

const endpointFor = (application: { applicationId: string }, eventTypes: readonly string[]) =>
  some(0).endpoints.create(application, {
    syncedCalendarId: null,
    url: 'https://hooks.example.com/accounts',
    eventTypes: [...eventTypes],
    rateLimit: null,
    secrets: SECRETS,
  });

const append = (application: { applicationId: string }, eventType: (typeof TYPES)[number], number: number) =>
  some(number).unitOfWork.run(application, () =>
    some(number).outbox.append(application, { eventType, payload: { eventType, number } }),
  );

async function bodies(endpointId: string): Promise<{ eventType: string; number: number }[]> {
  const rows = await some(0).admin<{ body: string }>(
    'select body from webhook_message where endpoint_id = $1 order by enqueue_at, id',
    [endpointId],
  );
  return rows.map(({ body }) => JSON.parse(body) as { eventType: string; number: number });
}

const relayed = () =>
  eventually('an empty outbox', async () => {
    const rows = await some(0).admin('select id from outbox where relayed_at is null limit 1');
    return rows.length === 0 ? true : undefined;
  });

describe('account events', () => {
  it('F21 that were written before any worker was there are told, in order, each once, to those who want them', async () => {
    const application = await some(0).newApplication();
    const all = await endpointFor(application, TYPES);
    const deletions = await endpointFor(application, ['enduseraccount.deleted']);
    const stranger = await endpointFor(await some(0).newApplication(), TYPES);
    for (let number = 0; number < 250; number += 1) await append(application, TYPES[number % 4] ?? TYPES[0], number);
    const { wakes } = startRelays();
    await relayed();
    expect((await bodies(all.id)).map(({ number }) => number)).toEqual(Array.from({ length: 250 }, (_, n) => n));
    expect(new Set((await bodies(deletions.id)).map(({ eventType }) => eventType))).toEqual(
      new Set(['enduseraccount.deleted']),
    );
    expect(await bodies(deletions.id)).toHaveLength(62);
    expect(await bodies(stranger.id)).toEqual([]);
    expect(wakes()).toBeGreaterThanOrEqual(3);
  });

  it('are told as they happen, and those of a unit of work that failed never', async () => {
    const application = await some(0).newApplication();
    const { id } = await endpointFor(application, TYPES);
    startRelays();
    await append(application, 'enduseraccount.created', 1);
    await expect(
      some(1).unitOfWork.run(application, async () => {
        await some(1).outbox.append(application, { eventType: 'enduseraccount.updated', payload: { number: 2 } });
        throw new Error('not done');
      }),
    ).rejects.toThrow('not done');
    await append(application, 'enduseraccount.deleted', 3);
    await relayed();
    expect((await bodies(id)).map(({ number }) => number)).toEqual([1, 3]);
  });
});

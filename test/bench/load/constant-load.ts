import { eventually } from '../../support/processes.js';
import { AS_DELIVERED } from '../../support/service.js';
import { startWebhookSystem, type Subscribed, type WebhookSystem } from '../../support/webhook-system.js';
import type { Receipt } from '../../support/webhook-receiver.js';
import { openLoad, quantile, type Answered, type Call } from './open-load.js';
import { growthAMinute, sampleMemory, type MemorySample } from '../../support/resident-memory.js';

const PEOPLE = 30;
const CONNECTIONS = 64;
/** Not counted: code is compiled, connections are made. */
const WARM_MS = 3_000;
/** Of the run, in which a process still gets to its size. */
const WARM_UP = 1 / 3;
/** Milliseconds: many times what an answer takes. */
const SLOW_MS = 100;
/** After the last write, until its message is given up. */
const NOTIFIED_WITHIN_MS = 30_000;

export interface UnderLoad {
  minutes: number;
  perSecond: number;
  requests: number;
  /** Answers that were no success. */
  failures: number;
  /** Those that were answered with success. */
  writes: number;
  /** Of those, after which the receiver got no message that was made since. */
  notNotified: number;
  /** `notified`: from when a write was due to when the receiver had it. */
  ms: Record<'requests' | 'notified', Quantiles>;
  /** p50 and p99 of each kind of request. */
  kinds: Record<string, { p50: number; p99: number }>;
  /** Seconds in which half of the answers took longer than {@link SLOW_MS}. */
  slowSeconds: number;
  memory: Record<'api' | 'worker', Memory>;
}

interface Quantiles {
  p50: number;
  p99: number;
  p999: number;
}

interface Memory {
  firstMiB: number;
  lastMiB: number;
  growthMiBAMinute: number;
  everyMinuteMiB: number[];
}

type Kind = 'account' | 'accounts' | 'event' | 'events' | 'busy' | 'write';

/** Of twenty requests eleven of the database, six that read events of a provider, two of free/busy, one that writes. */
const MIX: readonly Kind[] = [
  ...([
    'account',
    'event',
    'account',
    'events',
    'accounts',
    'account',
    'event',
    'busy',
    'account',
    'accounts',
  ] as const),
  ...(['account', 'event', 'accounts', 'account', 'account', 'write', 'accounts', 'events', 'busy', 'event'] as const),
];

export interface ConstantLoad {
  minutes: number;
  perSecond: number;
  /** Environment of api and worker on top of what they get. */
  settings?: NodeJS.ProcessEnv;
  /** And of the worker alone. */
  workerSettings?: NodeJS.ProcessEnv;
}

/** What one application may ask for by default, all the time, and is told of what it changes. */
export async function constantLoad({ minutes, perSecond, settings, workerSettings }: ConstantLoad): Promise<UnderLoad> {
  const system = await startWebhookSystem({
    WEBHOOK_COALESCE_MS: '0',
    RATE_LIMIT_RPS: '1000',
    LOG_LEVEL: 'warn',
    ...AS_DELIVERED,
    ...settings,
  });
  try {
    const worker = await system.startWorker(workerSettings);
    const people: Person[] = [];
    for (let count = 0; count < PEOPLE; count += 1) people.push(await newPerson(system));
    const { service } = system.fixture;
    const load = (forMs: number, title: string) =>
      openLoad({
        origin: service.baseUrl,
        call: (index) => callOf(index, title, people, service.apiKey),
        perSecond,
        forMs,
        connections: CONNECTIONS,
      });
    await load(WARM_MS, 'Warm');
    const memory = { api: sampleMemory(service.program.pid), worker: sampleMemory(worker.pid) };
    const answered = await load(minutes * 60_000, 'Load');
    const samples = { api: memory.api.stop(), worker: memory.worker.stop() };

    const writes = answered.filter((response) => kindOf(response.index) === 'write' && isSuccess(response));
    const notifiedMs = await notifiedAfter(system, people, writes);
    return {
      minutes,
      perSecond,
      requests: answered.length,
      failures: answered.filter((response) => !isSuccess(response)).length,
      writes: writes.length,
      notNotified: notifiedMs.filter((ms) => ms === null).length,
      ms: {
        requests: quantilesOf(answered.map(tookMs)),
        notified: quantilesOf(notifiedMs.filter((ms) => ms !== null)),
      },
      kinds: kindsOf(answered),
      slowSeconds: slowSecondsOf(answered),
      memory: { api: memoryOf(samples.api), worker: memoryOf(samples.worker) },
    };
  } finally {
    await system.stop();
  }
}

type Person = Subscribed & { eventId: string };

async function newPerson(system: WebhookSystem): Promise<Person> {
  const subscribed = await system.subscribe('GOOGLE');
  const { status, body } = await system.fixture.service.call('POST', eventsPath(subscribed), {
    body: newEvent('First', 0),
  });
  if (status !== 200) throw new Error(`no event: ${status} ${JSON.stringify(body)}`);
  return { ...subscribed, eventId: body.id };
}

const eventsPath = ({ accountId, calendarId }: Subscribed) =>
  `/v1/events/${accountId}/${encodeURIComponent(calendarId)}`;
const kindOf = (index: number) => MIX[index % MIX.length]!;
const turnOf = (index: number) => Math.floor(index / MIX.length);
/** Writes go round: somebody's next one comes when the last one has long been told. */
const personOf = (people: readonly Person[], index: number) => people[turnOf(index) % people.length]!;

/** Over a year: what is asked for a month stays as small as it is. */
function newEvent(title: string, turn: number) {
  const day = new Date(Date.UTC(2033, 0, 1 + (turn % 365))).toISOString().slice(0, 10);
  const at = (hour: string) => ({ dateTime: `${day}T${hour}:00:00`, timeZone: 'UTC' });
  return { title, start: at('10'), end: at('11') };
}

function callOf(index: number, title: string, people: readonly Person[], apiKey: string): Call {
  const person = personOf(people, index);
  const headers = { 'x-api-key': apiKey };
  const read = (path: string): Call => ({ method: 'GET', path: `/api${path}`, headers });
  const send = (path: string, body: unknown): Call => ({
    method: 'POST',
    path: `/api${path}`,
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const month = { startDateTime: '2033-01-01T00:00:00Z', endDateTime: '2033-02-01T00:00:00Z' };
  switch (kindOf(index)) {
    case 'account':
      return read(`/v1/endUserAccounts/${person.accountId}`);
    case 'accounts':
      return read('/v1/endUserAccounts');
    case 'event':
      return read(`${eventsPath(person)}/${person.eventId}`);
    case 'events':
      return read(`${eventsPath(person)}?${new URLSearchParams({ ...month, pageSize: '20' }).toString()}`);
    case 'busy':
      return send(`/v1/freeBusy/${person.accountId}`, { ...month, timeZone: 'UTC', calendarIds: [person.calendarId] });
    case 'write':
      return send(eventsPath(person), newEvent(`${title} ${index}`, turnOf(index)));
  }
}

/** Milliseconds from when each write was due to the first receipt of a message made since; null: there was none. */
async function notifiedAfter(
  system: WebhookSystem,
  people: readonly Person[],
  writes: Answered[],
): Promise<(number | null)[]> {
  const after = () => {
    const receipts = Map.groupBy(system.receiver.receipts, ({ path }) => path);
    return writes.map(({ index, dueAtMs }) => {
      const receipt = receipts.get(personOf(people, index).path)?.find((each) => madeAtMs(each) >= dueAtMs);
      return receipt === undefined ? null : receipt.atMs - dueAtMs;
    });
  };
  const allNotified = () => (after().includes(null) ? undefined : true);
  // What was not told by then is counted.
  await eventually('every write is told', allNotified, { timeoutMs: NOTIFIED_WITHIN_MS, everyMs: 500 }).catch(
    () => undefined,
  );
  return after();
}

function madeAtMs({ body }: Receipt): number {
  return Date.parse((JSON.parse(body.toString()) as { timestamp: string }).timestamp);
}

function kindsOf(answered: readonly Answered[]): UnderLoad['kinds'] {
  const kinds = Map.groupBy(answered, ({ index }) => kindOf(index));
  return Object.fromEntries(
    [...kinds].map(([kind, ofKind]) => {
      const { p50, p99 } = quantilesOf(ofKind.map(tookMs));
      return [kind, { p50, p99 }];
    }),
  );
}

function quantilesOf(values: readonly number[]): Quantiles {
  return { p50: quantile(values, 0.5), p99: quantile(values, 0.99), p999: quantile(values, 0.999) };
}

function memoryOf(samples: readonly MemorySample[]): Memory {
  const settled = samples.slice(Math.floor(samples.length * WARM_UP));
  return {
    firstMiB: settled[0]!.mib,
    lastMiB: settled.at(-1)!.mib,
    growthMiBAMinute: growthAMinute(settled),
    everyMinuteMiB: samples.filter((_, second) => second % 60 === 0).map(({ mib }) => Math.round(mib)),
  };
}

function slowSecondsOf(answered: readonly Answered[]): number {
  const seconds = Map.groupBy(answered, ({ dueMs }) => Math.floor(dueMs / 1_000));
  const medians = [...seconds.values()].map((second) => quantile(second.map(tookMs), 0.5));
  return medians.filter((median) => median > SLOW_MS).length;
}

function isSuccess({ status }: Answered): boolean {
  return status >= 200 && status < 300;
}

function tookMs(response: Answered): number {
  return response.tookMs;
}

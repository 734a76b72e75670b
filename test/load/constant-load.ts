import { connectAccount, startFakeServer } from '../support/connected-account.js';
import { AS_DELIVERED, startService } from '../support/service.js';
import { openLoad, quantile, type Answered, type Call } from './open-load.js';
import { growthAMinute, sampleMemory } from './resident-memory.js';

const PER_SECOND = 300;
const CONNECTIONS = 64;
/** Of the run, in which a process still gets to its size. */
const WARM_UP = 1 / 3;
/** Below this a run says nothing about memory. */
const MEMORY_MINUTES = 5;
/** Milliseconds: many times what an answer takes. */
const SLOW_MS = 100;
/** MiB a minute after the warm-up. */
const MOST_GROWTH = 2;

export interface UnderLoad {
  requests: number;
  perSecond: number;
  /** Answers that were no success. */
  failures: number;
  ms: { p50: number; p99: number; p999: number };
  /** Seconds in which half of the answers took longer than that. */
  slowSeconds: number;
  memory: { firstMiB: number; lastMiB: number; growthMiBAMinute: number; everyMinuteMiB: number[] };
  isGood: boolean;
}

/** What one application may ask for by default, all the time: of ten requests six of the database, three of an event, one of free/busy. */
export async function constantLoad(minutes: number): Promise<UnderLoad> {
  const fake = await startFakeServer('load');
  const service = await startService({
    EGRESS_ALLOW: fake.egressAllow,
    CALDAV_REQUESTS_PER_MINUTE: '1000000',
    RATE_LIMIT_RPS: '1000',
    LOG_LEVEL: 'warn',
    ...AS_DELIVERED,
  });
  try {
    const { accountId, calendarId, eventId } = await connectAccount(service, fake);
    const headers = { 'x-api-key': service.apiKey };
    const calendar = `/api/v1/events/${accountId}/${calendarId}`;
    const read = (path: string): Call => ({ method: 'GET', path, headers });
    const account = read(`/api/v1/endUserAccounts/${accountId}`);
    const accounts = read('/api/v1/endUserAccounts');
    const event = read(`${calendar}/${eventId}`);
    const busy: Call = {
      method: 'POST',
      path: `/api/v1/freeBusy/${accountId}`,
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({
        startDateTime: '2033-01-01T00:00:00Z',
        endDateTime: '2033-02-01T00:00:00Z',
        timeZone: 'UTC',
        calendarIds: [calendarId],
      }),
    };
    const mix = [account, account, accounts, event, account, accounts, event, account, event, busy];
    const memory = sampleMemory(service.program.pid);
    const answered = await openLoad({
      origin: service.baseUrl,
      call: (index) => mix[index % mix.length]!,
      perSecond: PER_SECOND,
      forMs: minutes * 60_000,
      connections: CONNECTIONS,
    });
    const samples = memory.stop();
    const settled = samples.slice(Math.floor(samples.length * WARM_UP));
    const took = answered.map(tookMs);
    const failures = answered.filter(({ status }) => status < 200 || status > 299).length;
    const growth = growthAMinute(settled);
    return {
      requests: answered.length,
      perSecond: PER_SECOND,
      failures,
      ms: { p50: quantile(took, 0.5), p99: quantile(took, 0.99), p999: quantile(took, 0.999) },
      slowSeconds: slowSecondsOf(answered),
      memory: {
        firstMiB: settled[0]!.mib,
        lastMiB: settled.at(-1)!.mib,
        growthMiBAMinute: growth,
        everyMinuteMiB: samples.filter((_, second) => second % 60 === 0).map(({ mib }) => Math.round(mib)),
      },
      isGood: failures === 0 && (minutes < MEMORY_MINUTES || growth <= MOST_GROWTH),
    };
  } finally {
    await service.stop();
    await fake.close();
  }
}

function slowSecondsOf(answered: readonly Answered[]): number {
  const seconds = Map.groupBy(answered, ({ dueMs }) => Math.floor(dueMs / 1_000));
  const medians = [...seconds.values()].map((second) => quantile(second.map(tookMs), 0.5));
  return medians.filter((median) => median > SLOW_MS).length;
}

function tookMs(answer: Answered): number {
  return answer.tookMs;
}

/**
 * Reading events of Google accounts through the service, against the official client alone: both ask the same sandbox.
 * What the service adds to the time of an answer is measured on a provider that always takes 20 ms.
 */
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { startGoogleService, type GoogleService } from '../support/google-service.js';
import type { BareRun } from './bare-google.js';
import { pacedLatencies, saturated, type Call, type Flood } from './callers.js';
import { processorTimeMs } from './processor-time.js';

const ROUNDS = 5;
const CONCURRENCY = 20;
const GET_REQUESTS = 4_000;
const LIST_REQUESTS = 150;
const LISTED_EVENTS = 250;
const LATENCY_MS = 20;
const CALLERS = 100;
/** Together 200 requests a second, well below what one processor answers. */
const EVERY_MS = 500;
const PACED_ROUNDS = 3;
/** Longer than anything is remembered about a calendar: what then has to be asked again counts. */
const PACED_FOR_MS = 18_000;
const SATURATED_REQUESTS = 4_000;
const EMAIL = 'bench@example.com';

interface Round {
  seconds: number;
  processorMs: number;
}

function program(name: string, args: string[] = []): ChildProcess {
  return fork(join(import.meta.dirname, name), args, {
    execArgv: ['--import', join(import.meta.dirname, 'load-typescript.mjs')],
  });
}

function median(values: number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)]!;
}

async function addEvents(google: GoogleService, email: string, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index += 1) {
    const at = new Date(Date.UTC(2026, 9, 1, 8) + index * 3_600_000).toISOString().slice(0, 19);
    const time = { dateTime: at, timeZone: 'Europe/Berlin' };
    const { body } = await google.sandbox.act<{ id: string }>({
      email,
      methodId: 'calendar.events.insert',
      path: { calendarId: email },
      body: {
        summary: `Event ${index}`,
        description: 'What it is about, in a sentence or two. '.repeat(5),
        location: 'Room 4',
        start: time,
        end: time,
        attendees: [{ email: 'guest@example.com' }, { email: 'other@example.com' }],
        extendedProperties: { private: { customer: '4711' }, shared: { room: 'east' } },
      },
    });
    ids.push(body.id);
  }
  return ids;
}

/** Rounds by turns, after one of each that does not count. */
async function byTurns<T>(rounds: number, ours: () => Promise<T>, theirs: () => Promise<T>): Promise<[T, T][]> {
  const measured: [T, T][] = [];
  for (let round = -1; round < rounds; round += 1) {
    const pair: [T, T] = [await ours(), await theirs()];
    if (round >= 0) measured.push(pair);
  }
  return measured;
}

/** Medians, and the median of the ratios of the rounds: what slows both of a pair down is no part of it. */
function compared<T>(rounds: [T, T][], value: (round: T) => number): { ours: number; theirs: number; ratio: number } {
  const pairs = rounds.map(([our, their]) => [value(our), value(their)] as const);
  return {
    ours: median(pairs.map(([our]) => our)),
    theirs: median(pairs.map(([, their]) => their)),
    ratio: median(pairs.map(([our, their]) => our / their)),
  };
}

async function againstTheOfficialClient(): Promise<object[]> {
  const google = await startGoogleService({ RATE_LIMIT_RPS: '1000000', GOOGLE_REQUESTS_PER_MINUTE: '100000' });
  const bare = program('bare-google.ts');
  try {
    await once(bare, 'message');
    const { service, sandbox } = google;
    const { accountId, calendarId, grant } = await google.connected(EMAIL);
    const [eventId = ''] = await addEvents(google, EMAIL, LISTED_EVENTS);
    const events = `/api/v1/events/${accountId}/${encodeURIComponent(calendarId)}`;

    const measured = async (pid: number, work: () => Promise<number>): Promise<Round> => {
      // Every request is kept in the sandbox's journal.
      await sandbox.clearRequests();
      const before = processorTimeMs(pid);
      const seconds = await work();
      return { seconds, processorMs: processorTimeMs(pid) - before };
    };
    const ours = (path: string, requests: number) => () =>
      measured(service.program.pid, async () => {
        const call: Call = { origin: service.baseUrl, path, headers: { 'x-api-key': service.apiKey } };
        return (await saturated(Array(CONCURRENCY).fill(call), requests)).seconds;
      });
    const theirs = (call: BareRun['call'], requests: number) => () =>
      measured(bare.pid!, async () => {
        const { accessToken } = grant;
        const { googleUrl } = sandbox;
        bare.send({ googleUrl, accessToken, concurrency: CONCURRENCY, requests, call } satisfies BareRun);
        const [{ seconds }] = (await once(bare, 'message')) as [{ seconds: number }];
        return seconds;
      });

    const got = await byTurns(
      ROUNDS,
      ours(`${events}/${eventId}`, GET_REQUESTS),
      theirs({ method: 'get', parameters: { calendarId, eventId } }, GET_REQUESTS),
    );
    const listed = await byTurns(
      ROUNDS,
      ours(`${events}?pageSize=${LISTED_EVENTS}`, LIST_REQUESTS),
      theirs({ method: 'list', parameters: { calendarId, maxResults: LISTED_EVENTS } }, LIST_REQUESTS),
    );
    await sandbox.expectNoViolations();
    const perGet = compared(got, ({ processorMs }) => processorMs / GET_REQUESTS);
    const perList = compared(listed, ({ processorMs }) => processorMs / LIST_REQUESTS);
    const rates = compared(listed, ({ seconds }) => LIST_REQUESTS / seconds);
    return [
      {
        name: `Processor time of one GET of a GOOGLE event, ${CONCURRENCY} at a time, against the official client`,
        ratio: perGet.ratio,
        limit: 1.6,
        sense: 'at most',
        detail: `${perGet.ours.toFixed(3)} ms against ${perGet.theirs.toFixed(3)} ms`,
      },
      {
        name: `Rate of lists of ${LISTED_EVENTS} GOOGLE events, ${CONCURRENCY} at a time, against the official client`,
        ratio: rates.ratio,
        limit: 0.7,
        sense: 'at least',
        detail:
          `${rates.ours.toFixed(1)}/s against ${rates.theirs.toFixed(1)}/s, with ` +
          `${perList.ours.toFixed(1)} ms against ${perList.theirs.toFixed(1)} ms of processor time each`,
      },
    ];
  } finally {
    bare.kill();
    await google.stop();
  }
}

/** 100 accounts, each with a caller of its own. */
async function addedToALateProvider(): Promise<object[]> {
  const late = program('late-provider.ts', [String(LATENCY_MS)]);
  const [{ url: lateUrl }] = (await once(late, 'message')) as [{ url: string }];
  const google = await startGoogleService(({ googleUrl }) => {
    late.send(googleUrl);
    return { GOOGLE_API_URL: lateUrl, GOOGLE_REQUESTS_PER_MINUTE: '600', RATE_LIMIT_RPS: '1000000' };
  });
  try {
    const { service } = google;
    const ours: Call[] = [];
    const theirs: Call[] = [];
    for (let index = 0; index < CALLERS; index += 1) {
      const email = `caller-${index}@example.com`;
      const { accountId, grant } = await google.connected(email);
      const [eventId] = await addEvents(google, email, 1);
      ours.push({
        origin: service.baseUrl,
        path: `/api/v1/events/${accountId}/${encodeURIComponent(email)}/${eventId}`,
        headers: { 'x-api-key': service.apiKey },
      });
      theirs.push({
        origin: lateUrl,
        path: `/calendar/v3/calendars/${encodeURIComponent(email)}/events/${eventId}`,
        headers: { authorization: `Bearer ${grant.accessToken}` },
      });
    }
    const pace = { everyMs: EVERY_MS, forMs: PACED_FOR_MS };
    const rounds = await byTurns(
      PACED_ROUNDS,
      () => pacedLatencies(ours, pace),
      () => pacedLatencies(theirs, pace),
    );
    const flood = await byTurns(
      1,
      () => saturated(ours, SATURATED_REQUESTS),
      () => saturated(theirs, SATURATED_REQUESTS),
    );
    const rate = (CALLERS * 1_000) / EVERY_MS;
    const added = (quantile: 'p50' | 'p99', limit: number) => {
      const { ours, theirs } = compared(rounds, (latencies) => latencies[quantile]);
      return {
        name:
          `Milliseconds added to a provider that takes ${LATENCY_MS}, ${quantile}, ${CALLERS} callers with an account ` +
          `each, every ${EVERY_MS} ms (${rate}/s)`,
        ratio: median(rounds.map(([our, their]) => our[quantile] - their[quantile])),
        limit,
        sense: 'at most',
        detail: `${ours.toFixed(1)} ms against ${theirs.toFixed(1)} ms`,
      };
    };
    const [[our, their]] = flood as [[Flood, Flood]];
    const told = ({ requests, seconds, p50, p99 }: Flood) =>
      `${Math.round(requests / seconds)}/s, p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms`;
    return [
      added('p50', 3),
      added('p99', 15),
      {
        name: `The same callers without a pause: rate against that of the provider, for information`,
        ratio: our.requests / our.seconds / (their.requests / their.seconds),
        limit: null,
        detail: `${told(our)} against ${told(their)}`,
      },
    ];
  } finally {
    late.kill();
    await google.stop();
  }
}

console.log(JSON.stringify([...(await againstTheOfficialClient()), ...(await addedToALateProvider())]));
process.exit();

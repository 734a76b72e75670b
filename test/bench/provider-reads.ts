/**
 * Reading events of a provider's accounts through the service, against the official client alone: both ask the same
 * sandbox. What the service adds to the time of an answer is measured on a provider that always takes 20 ms.
 */
import type { OAuthAccounts } from '../support/oauth-accounts.js';
import type { SandboxedSettings } from '../support/sandboxed-service.js';
import type { Sandbox } from '../support/sandbox.js';
import { pacedLatencies, saturated, type Call, type Flood } from './callers.js';
import type { ClientRun, ReadMailbox } from './official-client.js';
import { processorTimeMs } from './processor-time.js';
import { startProgram, printed } from './programs.js';
import { byTurns, byTurnsWarm, compared } from './rounds.js';

const ROUNDS = 5;
const CONCURRENCY = 20;
const GET_REQUESTS = 2_500;
const LIST_REQUESTS = 100;
const LISTED_EVENTS = 250;
const LATENCY_MS = 20;
const CALLERS = 100;
/** Together 200 requests a second, well below what one processor answers. */
const EVERY_MS = 500;
/** Many short ones: what the machine does besides falls on both. Together longer than anything is remembered. */
const PACED_ROUNDS = 13;
const PACED_FOR_MS = 5_000;
const SATURATED_REQUESTS = 4_000;

/** What the events are about; times of an hour each, one after the other, `YYYY-MM-DDTHH:MM:SS` in Berlin. */
export interface EventText {
  title: string;
  description: string;
  location: string;
  at: string;
  guests: string[];
}

/** A provider, its accounts in the sandbox, and its official client. */
export interface ReadProvider {
  type: 'GOOGLE' | 'MICROSOFT';
  /** Program that {@link ClientRun}s are sent to. */
  client: string;
  /** Read by the callers of the official client, and of the service: a provider may serve a few requests of one at a time. */
  mailboxes: number;
  /** Names of the settings of the service. */
  settings: { apiUrl: string; requestsPerMinute: string };
  start(settings: SandboxedSettings): Promise<OAuthAccounts & { stop(): Promise<void> }>;
  apiUrl(sandbox: Sandbox): string;
  /** @returns id of the event in the primary calendar */
  addEvent(sandbox: Sandbox, email: string, event: EventText): Promise<string>;
  /** The request that reads one event. @returns path below the API's origin */
  eventRequest(mailbox: ReadMailbox): Pick<Call, 'path' | 'headers'>;
}

/** A row of docs/operations/benchmarks.md. */
interface Row {
  name: string;
  ratio: number;
  limit: number | null;
  sense?: 'at most' | 'at least';
  detail: string;
}

interface Round {
  seconds: number;
  processorMs: number;
}

interface Mailbox extends ReadMailbox {
  /** Of its events, below the origin of the service. */
  events: string;
}

/** The rows of a provider. */
export async function measureReads(provider: ReadProvider): Promise<Row[]> {
  return [...(await againstTheOfficialClient(provider)), ...(await addedToALateProvider(provider))];
}

function eventText(index: number): EventText {
  return {
    title: `Event ${index}`,
    description: 'What it is about, in a sentence or two. '.repeat(5),
    location: 'Room 4',
    at: new Date(Date.UTC(2026, 9, 1, 8) + index * 3_600_000).toISOString().slice(0, 19),
    guests: ['guest@example.com', 'other@example.com'],
  };
}

async function connectedMailboxes(
  { addEvent }: ReadProvider,
  accounts: OAuthAccounts,
  { count, events }: { count: number; events: number },
): Promise<Mailbox[]> {
  const mailboxes: Mailbox[] = [];
  for (let number = 0; number < count; number += 1) {
    const email = `reader-${number}@example.com`;
    const { accountId, calendarId, grant } = await accounts.connected(email);
    let eventId = '';
    for (let index = 0; index < events; index += 1) {
      eventId = await addEvent(accounts.sandbox, email, eventText(index));
    }
    const { accessToken } = grant;
    const path = `/api/v1/events/${accountId}/${encodeURIComponent(calendarId)}`;
    mailboxes.push({ accessToken, calendarId, eventId, events: path });
  }
  return mailboxes;
}

async function againstTheOfficialClient(provider: ReadProvider): Promise<Row[]> {
  const { type, settings, mailboxes: count } = provider;
  const accounts = await provider.start({ RATE_LIMIT_RPS: '1000000', [settings.requestsPerMinute]: '100000' });
  const client = startProgram(provider.client);
  try {
    await printed(client);
    const { service, sandbox } = accounts;
    const mailboxes = await connectedMailboxes(provider, accounts, { count, events: LISTED_EVENTS });
    const callers = Array.from({ length: CONCURRENCY }, (_, index) => mailboxes[index % count]!);

    const measured = async (pid: number, work: () => Promise<number>): Promise<Round> => {
      // Every request is kept in the sandbox's journal.
      await sandbox.clearRequests();
      const before = processorTimeMs(pid);
      const seconds = await work();
      return { seconds, processorMs: processorTimeMs(pid) - before };
    };
    const ours = (pathOf: (mailbox: Mailbox) => string, requests: number) => () =>
      measured(service.program.pid, async () => {
        const { baseUrl: origin, apiKey } = service;
        const calls = callers.map((mailbox) => ({ origin, path: pathOf(mailbox), headers: { 'x-api-key': apiKey } }));
        return (await saturated(calls, requests)).seconds;
      });
    const theirs = (pageSize: number | null, requests: number) => () =>
      measured(client.pid!, async () => {
        client.send({ url: provider.apiUrl(sandbox), callers, requests, pageSize } satisfies ClientRun);
        return (await printed<{ seconds: number }>(client)).seconds;
      });

    const got = await byTurns(
      ROUNDS,
      ours(({ events, eventId }) => `${events}/${encodeURIComponent(eventId)}`, GET_REQUESTS),
      theirs(null, GET_REQUESTS),
    );
    const listed = await byTurns(
      ROUNDS,
      ours(({ events }) => `${events}?pageSize=${LISTED_EVENTS}`, LIST_REQUESTS),
      theirs(LISTED_EVENTS, LIST_REQUESTS),
    );
    await sandbox.expectNoViolations();
    const perGet = compared(got, ({ processorMs }) => processorMs / GET_REQUESTS);
    const perList = compared(listed, ({ processorMs }) => processorMs / LIST_REQUESTS);
    const rates = compared(listed, ({ seconds }) => LIST_REQUESTS / seconds);
    const callersAtOnce = `${CONCURRENCY} at a time${count === 1 ? '' : ` over ${count} mailboxes`}`;
    return [
      {
        name: `Processor time of one GET of a ${type} event, ${callersAtOnce}, against the official client`,
        ratio: perGet.ratio,
        limit: 1.6,
        detail: `${perGet.ours.toFixed(3)} ms against ${perGet.theirs.toFixed(3)} ms`,
      },
      {
        name: `Rate of lists of ${LISTED_EVENTS} ${type} events, ${callersAtOnce}, against the official client`,
        ratio: rates.ratio,
        limit: 0.7,
        sense: 'at least',
        detail:
          `${rates.ours.toFixed(1)}/s against ${rates.theirs.toFixed(1)}/s, with ` +
          `${perList.ours.toFixed(1)} ms against ${perList.theirs.toFixed(1)} ms of processor time each`,
      },
    ];
  } finally {
    client.kill();
    await accounts.stop();
  }
}

/** As many accounts as callers. */
async function addedToALateProvider(provider: ReadProvider): Promise<Row[]> {
  const { type, settings } = provider;
  const late = startProgram('late-provider.ts', [String(LATENCY_MS)]);
  const { url: lateUrl } = await printed<{ url: string }>(late);
  const accounts = await provider.start((sandbox) => {
    late.send(provider.apiUrl(sandbox));
    return { [settings.apiUrl]: lateUrl, [settings.requestsPerMinute]: '600', RATE_LIMIT_RPS: '1000000' };
  });
  try {
    const { baseUrl: origin, apiKey } = accounts.service;
    const mailboxes = await connectedMailboxes(provider, accounts, { count: CALLERS, events: 1 });
    const ours = mailboxes.map(({ events, eventId }): Call => {
      return { origin, path: `${events}/${encodeURIComponent(eventId)}`, headers: { 'x-api-key': apiKey } };
    });
    const theirs = mailboxes.map((mailbox): Call => {
      const { path, headers } = provider.eventRequest(mailbox);
      return { origin: lateUrl, path, headers: { ...headers, authorization: `Bearer ${mailbox.accessToken}` } };
    });
    const flood = await byTurns(
      1,
      () => saturated(ours, SATURATED_REQUESTS),
      () => saturated(theirs, SATURATED_REQUESTS),
    );
    const pace = { everyMs: EVERY_MS, forMs: PACED_FOR_MS };
    const rounds = await byTurnsWarm(
      PACED_ROUNDS,
      () => pacedLatencies(ours, pace),
      () => pacedLatencies(theirs, pace),
    );
    const rate = (CALLERS * 1_000) / EVERY_MS;
    const added = (quantile: 'p50' | 'p99', limit: number): Row => {
      const { ours, theirs, difference } = compared(rounds, (latencies) => latencies[quantile]);
      return {
        name:
          `Milliseconds added to a provider that takes ${LATENCY_MS}, ${quantile}, ${CALLERS} callers with a ${type} ` +
          `account each, every ${EVERY_MS} ms (${rate}/s)`,
        ratio: difference,
        limit,
        detail: `${ours.toFixed(1)} ms against ${theirs.toFixed(1)} ms`,
      };
    };
    const [[our, their]] = flood as [[Flood, Flood]];
    const shown = ({ requests, seconds, p50, p99 }: Flood) =>
      `${Math.round(requests / seconds)}/s, p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms`;
    return [
      added('p50', 3),
      added('p99', 15),
      {
        name: `The same ${type} callers without a pause: rate against that of the provider, for information`,
        ratio: our.requests / our.seconds / (their.requests / their.seconds),
        limit: null,
        detail: `${shown(our)} against ${shown(their)}`,
      },
    ];
  } finally {
    late.kill();
    await accounts.stop();
  }
}

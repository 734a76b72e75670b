/**
 * Large windows in pages of the usual size: requests to the provider of one process and of three in turn, the time of
 * later pages, and the memory of reads that are kept between their pages.
 */
import { WHOLE_CALENDAR, type CalendarProvider, type EventQuery } from '#domain/providers';
import type { JsonValue } from '#domain/system';
import type { CountedAccount } from '../providers/requests/counted-account.js';
import { openCalDav } from '../providers/requests/counted-caldav.js';
import { openGoogle } from '../providers/requests/counted-google.js';
import { openMicrosoft } from '../providers/requests/counted-microsoft.js';
import { printed, startProgram } from './programs.js';
import { percentile } from './rounds.js';

const CALDAV_EVENTS = 5_000;
const EVENTS = 10_000;
const EVENT_BYTES = 500;
/** Of {@link EVENTS} instances together: few enough requests for the limits of a mailbox. */
const SERIES = 50;
const REPLICAS = 3;
const KEPT_READS = 50;
const DAY_MS = 86_400_000;
const FIRST_MS = Date.UTC(2026, 0, 1);

interface LargeCalendar {
  account: CountedAccount;
  calendarId: string;
  events: number;
}

interface Limits {
  type: string;
  /** Requests of one process. */
  requests: number;
}

const QUERY: EventQuery = {
  ...{ ...WHOLE_CALENDAR, window: { startMs: FIRST_MS, endMs: FIRST_MS + 365 * DAY_MS } },
  ...{ expandRecurrences: true, orderBy: 'startDateTime' },
};

/** Reads a window page by page, each by the next of the processes. */
async function readPages({ account, calendarId, events }: LargeCalendar, processes: CalendarProvider[]) {
  const { defaultEventPageSize: pageSize } = processes[0]!.capabilities;
  const ids = new Set<string>();
  const laterMs: number[] = [];
  account.egress.taken();
  let page: JsonValue | null = null;
  for (let at = 0; ; at += 1) {
    const startedMs = performance.now();
    const provider = processes[at % processes.length]!;
    const read = await provider.listEvents(account.session, calendarId, { query: QUERY, pageSize, page, sync: null });
    if (at >= processes.length) laterMs.push(performance.now() - startedMs);
    for (const { id } of read.items) {
      if (ids.has(id)) throw new Error(`${id} was given twice`);
      ids.add(id);
    }
    page = read.nextPage;
    if (page === null) break;
  }
  if (ids.size !== events) throw new Error(`${ids.size} of ${events} events were given`);
  return { requests: account.egress.taken().length, p95Ms: percentile(laterMs, 0.95) };
}

async function rowsOf(calendar: LargeCalendar, { type, requests: limit }: Limits) {
  const { account, events } = calendar;
  await readPages(calendar, [account.provider()]); // warm-up
  const alone = await readPages(calendar, [account.provider()]);
  const inTurn = await readPages(
    calendar,
    Array.from({ length: REPLICAS }, () => account.provider()),
  );
  return [
    {
      name: `Requests to ${type} for a window of ${events} events in pages of the usual size`,
      ratio: alone.requests,
      limit,
      detail: `${inTurn.requests} by ${REPLICAS} replicas in turn`,
    },
    {
      name: `Requests of ${REPLICAS} replicas in turn against those of one, ${type}`,
      ratio: inTurn.requests / alone.requests,
      limit: 4,
      detail: `${inTurn.requests} against ${alone.requests}`,
    },
    {
      name: `Milliseconds of a later page of that window, p95, ${type}`,
      ratio: alone.p95Ms,
      limit: 50,
      detail: `${inTurn.p95Ms.toFixed(1)} ms by ${REPLICAS} replicas in turn`,
    },
  ];
}

/** Reads the first page of the window again and again: each read is kept for its next page. */
async function keptMemory(calendar: LargeCalendar) {
  const { account, calendarId } = calendar;
  const provider = account.provider();
  const read = { query: QUERY, pageSize: provider.capabilities.defaultEventPageSize };
  const liveBytes = () => {
    globalThis.gc!();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  };
  await provider.listEvents(account.session, calendarId, { ...read, page: null, sync: null });
  const before = liveBytes();
  for (let at = 0; at < KEPT_READS; at += 1) {
    await provider.listEvents(account.session, calendarId, { ...read, page: null, sync: null });
  }
  const mebibytes = (liveBytes() - before) / 2 ** 20;
  return {
    name: `MiB of ${KEPT_READS} windows of ${calendar.events} events that are kept between their pages`,
    ratio: mebibytes,
    limit: 128,
    detail: `${mebibytes.toFixed(0)} MiB above one of them`,
  };
}

async function filled(open: () => Promise<CountedAccount>): Promise<LargeCalendar> {
  const account = await open();
  const provider = account.provider();
  const { calendar } = await provider.createCalendar(account.session, { name: 'Large', timeZone: 'UTC' }, {});
  for (let at = 0; at < SERIES; at += 1) {
    const time = (minutes: number) => ({
      ...{ kind: 'dateTime' as const, local: new Date(FIRST_MS + minutes * 60_000).toISOString().slice(0, 19) },
      ...{ offsetMinutes: 0, timeZone: 'UTC' },
    });
    const series = {
      ...{ title: `Series ${at}`, description: 'x'.repeat(EVENT_BYTES) },
      ...{ start: time(at * 20), end: time(at * 20 + 15), recurrence: [`RRULE:FREQ=DAILY;COUNT=${EVENTS / SERIES}`] },
    };
    await provider.createEvent(account.session, calendar.id, series, {});
  }
  return { account, calendarId: calendar.id, events: EVENTS };
}

async function ofCalDav(): Promise<LargeCalendar> {
  const server = startProgram('fake-server.ts', [String(CALDAV_EVENTS), String(EVENT_BYTES)]);
  const { url, login } = await printed<{ url: string; login: { username: string; password: string } }>(server);
  const account = await openCalDav(async () => ({
    ...{ name: 'radicale' as const, url, authority: new URL(url).host, ...login },
    stop: async () => void server.kill(),
  }));
  const { items } = await account.provider().listCalendars(account.session, { pageSize: 10, page: null, sync: null });
  const [calendar] = items;
  return { account, calendarId: calendar!.id, events: CALDAV_EVENTS };
}

const rows: object[] = [];
for (const [open, limits] of [
  [() => filled(openGoogle), { type: 'GOOGLE', requests: 5 }],
  [() => filled(openMicrosoft), { type: 'MICROSOFT', requests: 20 }],
] as const) {
  const calendar = await open();
  rows.push(...(await rowsOf(calendar, limits)));
  await calendar.account.close();
}
const calDav = await ofCalDav();
rows.push(...(await rowsOf(calDav, { type: 'CALDAV', requests: 105 })), await keptMemory(calDav));
await calDav.account.close();
console.log(JSON.stringify(rows));
process.exit();

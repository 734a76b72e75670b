/** Windows of thousands of events, page by page: requests, time of later pages, and what the process keeps of them. */
import type { NewEventInput } from '#domain/events';
import { WHOLE_CALENDAR, type CalendarProvider } from '#domain/providers';
import type { JsonValue } from '#domain/system';
import type { CountedAccount } from '../providers/requests/counted-account.js';
import { openCalDav } from '../providers/requests/counted-caldav.js';
import { openGoogle } from '../providers/requests/counted-google.js';
import { openMicrosoft } from '../providers/requests/counted-microsoft.js';
import { startRadicale } from '../support/radicale.js';

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const firstMs = Math.ceil(Date.now() / DAY_MS) * DAY_MS;
const CREATED_AT_ONCE = 20;

interface Row {
  name: string;
  ratio: number;
  limit: number;
  detail: string;
}

async function measure(type: string, account: CountedAccount, events: number, requests: number): Promise<Row[]> {
  const { session, egress } = account;
  const provider = account.provider();
  const { calendar } = await provider.createCalendar(session, { name: 'Pages', timeZone: 'UTC' }, {});
  const indexes = Array.from({ length: events }, (_, at) => at).values();
  await Promise.all(
    Array.from({ length: CREATED_AT_ONCE }, async () => {
      for (const at of indexes) await provider.createEvent(session, calendar.id, meeting(at), {});
    }),
  );
  // One process learns what it needs to know of the server; another one reads.
  await readAll(account.provider(), account, calendar.id, events);
  egress.taken();
  global.gc?.();
  const { ids, laterMs } = await readAll(account.provider(), account, calendar.id, events);
  if (ids.size !== events) throw new Error(`${type}: ${ids.size} of ${events} events`);
  const detail = `${events.toLocaleString('en-US')} events, ${laterMs.length + 1} pages`;
  return [
    {
      name: `Requests to ${type} for a window of ${events.toLocaleString('en-US')} events in default pages`,
      ratio: egress.taken().length,
      limit: requests,
      detail,
    },
    {
      name: `Milliseconds of a later page of that window (${type}), p95`,
      ratio: laterMs.toSorted((a, b) => a - b)[Math.floor(laterMs.length * 0.95)] ?? 0,
      limit: 50,
      detail,
    },
  ];
}

async function readAll(provider: CalendarProvider, { session }: CountedAccount, calendarId: string, events: number) {
  const window = { startMs: firstMs, endMs: firstMs + (events + 24) * HOUR_MS };
  const query = { ...WHOLE_CALENDAR, window, expandRecurrences: true, orderBy: 'startDateTime' } as const;
  const ids = new Set<string>();
  const laterMs: number[] = [];
  let page: JsonValue | null = null;
  for (;;) {
    const startedMs = performance.now();
    const list = { query, pageSize: provider.capabilities.defaultEventPageSize, page, sync: null };
    const { items, nextPage } = await provider.listEvents(session, calendarId, list);
    if (page !== null) laterMs.push(performance.now() - startedMs);
    for (const { id } of items) ids.add(id);
    if (nextPage === null) return { ids, laterMs };
    page = nextPage;
  }
}

function meeting(at: number): NewEventInput {
  const time = (ms: number) =>
    ({ kind: 'dateTime', local: new Date(ms).toISOString().slice(0, 19), offsetMinutes: 0, timeZone: 'UTC' }) as const;
  const startMs = firstMs + at * HOUR_MS;
  return { title: `Meeting ${at}`, start: time(startMs), end: time(startMs + HOUR_MS / 2) };
}

const rows: Row[] = [];
for (const [type, open, events, requests] of [
  ['GOOGLE', openGoogle, 10_000, 5],
  ['MICROSOFT', openMicrosoft, 10_000, 20],
  ['CALDAV', () => openCalDav(startRadicale), 5_000, 105],
] as const) {
  const account = await open();
  rows.push(...(await measure(type, account, events, requests)));
  await account.close();
}
console.log(JSON.stringify(rows));
process.exit();

import { isFullEvent, type NewEventInput } from '#domain/events';
import { WHOLE_CALENDAR, type AccountSession, type CalendarProvider, type EventQuery } from '#domain/providers';
import type { JsonValue } from '#domain/system';
import type { CountedAccount } from './counted-account.js';

/** Requests that each operation may take in steady state, and with changed instances of a series. */
export interface OperationRequests {
  'calendars list': number;
  'calendar get': number;
  'event get': number;
  'series get': number;
  'list without a window': number;
  'list without a window, changed instances': number;
  'list of a window': number;
  'list of a window, expanded and ordered': number;
  'sync, unchanged': number;
  occurrences: number;
  'occurrences, changed instances': number;
  'free/busy of a month': number;
  create: number;
  'create with a key': number;
  'update of a title': number;
  'update of an instance': number;
  'update of a changed instance': number;
  delete: number;
}

export type CountedOperation = keyof OperationRequests;

const DAY_MS = 86_400_000;
/** The next month: servers answer far windows in other ways. */
const firstMs = Math.ceil(Date.now() / DAY_MS) * DAY_MS;
const MONTH = { startMs: firstMs, endMs: firstMs + 31 * DAY_MS };
const WINDOW = { ...WHOLE_CALENDAR, window: MONTH };
const INSTANCES = { ...WINDOW, expandRecurrences: true };
const EXPANDED = { ...INSTANCES, orderBy: 'startDateTime' } as const;

const at = (day: number, hour: number) =>
  ({
    kind: 'dateTime',
    local: `${new Date(firstMs + day * DAY_MS).toISOString().slice(0, 10)}T${String(hour).padStart(2, '0')}:00:00`,
    offsetMinutes: 0,
    timeZone: 'UTC',
  }) as const;

function meeting(title: string, day: number, more: Partial<NewEventInput> = {}): NewEventInput {
  return { title, start: at(day, 9), end: at(day, 10), ...more };
}

/** A small calendar on which every operation is counted. */
export interface SmallCalendar {
  id: string;
  single: string;
  series: string;
  /** Instances of the series. */
  instances: string[];
}

/** Two single events and a daily series. */
async function fillCalendar(provider: CalendarProvider, session: AccountSession, name: string): Promise<SmallCalendar> {
  const { calendar } = await provider.createCalendar(session, { name }, {});
  const create = async (input: NewEventInput) => (await provider.createEvent(session, calendar.id, input, {})).event;
  const single = await create(meeting('Single', 1));
  await create(meeting('Another', 2));
  const series = await create(meeting('Series', 3, { recurrence: ['RRULE:FREQ=DAILY;COUNT=20'] }));
  const list = { query: INSTANCES, pageSize: 100, page: null, sync: null };
  const { items } = await provider.listOccurrences(session, calendar.id, series.id, list);
  return { id: calendar.id, single: single.id, series: series.id, instances: items.map(({ id }) => id) };
}

/** Runs on a provider of the account, warm or cold. */
type Run = (provider: CalendarProvider) => Promise<unknown>;

interface Given {
  /** Prepares what is not counted. */
  provider: CalendarProvider;
  session: AccountSession;
  calendar: SmallCalendar;
  /** Its first instance is changed. */
  changed: SmallCalendar;
  /** A text that no operation before has used. */
  unique: string;
}

const read =
  ({ session }: Given, calendar: SmallCalendar, query: EventQuery, sync: JsonValue | null = null): Run =>
  async (provider) => {
    const { items, nextPage, nextSync } = await provider.listEvents(session, calendar.id, {
      query,
      ...{ pageSize: 100, page: null, sync },
    });
    expect(nextPage).toBeNull();
    if (sync === null) expect(items.length).toBeGreaterThan(2);
    return nextSync;
  };

const create = ({ session, calendar, unique }: Given, options = {}) => {
  const input = meeting(unique, 28);
  return (provider: CalendarProvider) => provider.createEvent(session, calendar.id, input, options);
};

const update = ({ session, unique }: Given, calendar: SmallCalendar, id: string): Run => {
  return async (provider) => {
    const { event } = await provider.updateEvent(session, calendar.id, id, { title: unique }, {});
    expect(event).toMatchObject({ id, title: unique });
  };
};

const occurrences = ({ session }: Given, calendar: SmallCalendar, changed: number): Run => {
  return async (provider) => {
    const list = { query: INSTANCES, pageSize: 100, page: null, sync: null };
    const { items } = await provider.listOccurrences(session, calendar.id, calendar.series, list);
    expect(items).toHaveLength(20);
    expect(items.filter((item) => isFullEvent(item) && item.title !== 'Series').length).toBeGreaterThanOrEqual(changed);
  };
};

/** Returns what is counted. */
const OPERATIONS: Record<CountedOperation, (given: Given) => Run | Promise<Run>> = {
  'calendars list':
    ({ session }) =>
    (provider) =>
      provider.listCalendars(session, { pageSize: 100, page: null, sync: null }),
  'calendar get':
    ({ session, calendar }) =>
    (provider) =>
      provider.getCalendar(session, calendar.id),
  'event get':
    ({ session, calendar }) =>
    (provider) =>
      provider.getEvent(session, calendar.id, calendar.single),
  'series get':
    ({ session, calendar }) =>
    (provider) =>
      provider.getEvent(session, calendar.id, calendar.series),
  'list without a window': (given) => read(given, given.calendar, WHOLE_CALENDAR),
  'list without a window, changed instances': (given) => read(given, given.changed, WHOLE_CALENDAR),
  'list of a window': (given) => read(given, given.calendar, WINDOW),
  'list of a window, expanded and ordered': (given) => read(given, given.calendar, EXPANDED),
  async 'sync, unchanged'(given) {
    const { calendar, provider } = given;
    // The first sync after a list may compare. From then on the provider's token serves.
    const first = (await read(given, calendar, WINDOW)(provider)) as JsonValue;
    const second = (await read(given, calendar, WINDOW, first)(provider)) as JsonValue;
    return read(given, calendar, WINDOW, second);
  },
  occurrences: (given) => occurrences(given, given.calendar, 0),
  'occurrences, changed instances': (given) => occurrences(given, given.changed, 1),
  'free/busy of a month':
    ({ session, calendar }) =>
    async (provider) => {
      const query = { window: MONTH, timeZone: 'UTC', calendarIds: [calendar.id] };
      expect(await provider.freeBusy(session, query)).toMatchObject([{ busySlots: expect.any(Array) }]);
    },
  create: (given) => create(given),
  'create with a key': (given) => create(given, { idempotencyKey: given.unique }),
  'update of a title': (given) => update(given, given.calendar, given.calendar.single),
  'update of an instance': (given) => update(given, given.changed, given.changed.instances.pop()!),
  'update of a changed instance': (given) => update(given, given.changed, given.changed.instances[0]!),
  async delete(given) {
    const { session, calendar } = given;
    const { event } = await create(given)(given.provider);
    return (provider) => provider.deleteEvent(session, calendar.id, event.id, {});
  },
};

/**
 * Counts each operation twice: warm, after the same operation, and cold, with empty caches.
 * @param open connects an account
 * @param most requests of an operation, warm
 * @param isFreeWhenCold whether an operation takes no further request with empty caches; by default one more
 */
export function countOperations(
  open: () => Promise<CountedAccount>,
  most: OperationRequests,
  isFreeWhenCold: (operation: CountedOperation) => boolean = () => false,
): void {
  let account: CountedAccount;
  let provider: CalendarProvider;
  let calendar: SmallCalendar;
  let changed: SmallCalendar;
  let runs = 0;

  beforeAll(async () => {
    account = await open();
    provider = account.provider();
    const { session } = account;
    calendar = await fillCalendar(provider, session, 'Counted');
    changed = await fillCalendar(provider, session, 'Counted with changes');
    await provider.updateEvent(session, changed.id, changed.instances[0]!, { title: 'Changed' }, {});
  });
  afterAll(() => account?.close());

  const requestsOf = async (operation: CountedOperation, on: CalendarProvider): Promise<string[]> => {
    const { session, egress } = account;
    const run = await OPERATIONS[operation]({ provider, session, calendar, changed, unique: `Text ${(runs += 1)}` });
    egress.taken();
    await run(on);
    return egress.taken();
  };

  it.each(Object.entries(most) as [CountedOperation, number][])('%s: %i', async (operation, limit) => {
    await requestsOf(operation, provider);
    expect(await requestsOf(operation, provider)).toHaveLength(limit);
    const cold = await requestsOf(operation, account.provider());
    expect(cold.slice(limit + (isFreeWhenCold(operation) ? 0 : 1))).toEqual([]);
  });
}

const PAGE_SIZE = 10;

/**
 * Counts the requests of a window in pages: in one process, and in two processes in turn.
 * @param most requests of the whole window
 */
export function countPages(open: () => Promise<CountedAccount>, most: number): void {
  let account: CountedAccount;
  let calendarId: string;

  beforeAll(async () => {
    account = await open();
    const { session } = account;
    const provider = account.provider();
    const { calendar } = await provider.createCalendar(session, { name: 'Pages', timeZone: 'UTC' }, {});
    calendarId = calendar.id;
    for (let at = 0; at < 45; at += 1)
      await provider.createEvent(session, calendarId, meeting(`Page ${at}`, at % 28), {});
  });
  afterAll(() => account?.close());

  const readAll = async (...processes: CalendarProvider[]): Promise<string[]> => {
    const ids: string[] = [];
    let page: JsonValue | null = null;
    for (let at = 0; ; at += 1) {
      const provider = processes[at % processes.length]!;
      const list = { query: EXPANDED, pageSize: PAGE_SIZE, page, sync: null };
      const { items, nextPage } = await provider.listEvents(account.session, calendarId, list);
      ids.push(...items.map(({ id }) => id));
      if (nextPage === null) return ids;
      page = nextPage;
    }
  };

  it(`a window of five pages is read once: ${most}`, async () => {
    const provider = account.provider();
    await readAll(provider);
    account.egress.taken();
    const ids = await readAll(provider);
    expect(account.egress.taken()).toHaveLength(most);
    expect(new Set(ids).size).toBe(45);
  });

  it('by each of two processes in turn', async () => {
    const processes = [account.provider(), account.provider()];
    for (const provider of processes) await readAll(provider);
    account.egress.taken();
    expect(new Set(await readAll(...processes)).size).toBe(45);
    expect(account.egress.taken().length).toBeLessThanOrEqual(2 * most);
  });

  it('a change between pages comes with the first sync', async () => {
    const { session } = account;
    const provider = account.provider();
    const list = { query: EXPANDED, pageSize: PAGE_SIZE, sync: null };
    const first = await provider.listEvents(session, calendarId, { ...list, page: null });
    const second = await provider.listEvents(session, calendarId, { ...list, page: first.nextPage });
    const { id } = first.items[0]!;
    const other = account.provider();
    await other.updateEvent(session, calendarId, id, { title: 'Changed between pages' }, {});
    let page = second.nextPage;
    let sync: JsonValue | null = null;
    while (page !== null) {
      const next = await provider.listEvents(session, calendarId, { ...list, page });
      page = next.nextPage;
      sync = next.nextSync;
    }
    const changes = await provider.listEvents(session, calendarId, {
      query: EXPANDED,
      pageSize: 100,
      page: null,
      sync,
    });
    expect(changes.items).toMatchObject([{ id, title: 'Changed between pages' }]);
  });
}

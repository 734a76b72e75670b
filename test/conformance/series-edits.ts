import fc from 'fast-check';
import type { Fixture } from './subject.js';

const DAY_MS = 86_400_000;
/** Over the clock changes of New York and Berlin; no other section writes there. */
const FIRST_MS = Date.UTC(2031, 2, 1);
const WINDOW = { startDateTime: '2031-01-01T00:00:00Z', endDateTime: '2032-06-01T00:00:00Z', expandRecurrences: true };

const times = fc.oneof(
  fc.record({ zone: fc.constant(null), days: fc.integer({ min: 1, max: 3 }), hour: fc.constant(0) }),
  fc.record({
    zone: fc.constantFrom('Europe/Berlin', 'America/New_York', 'Asia/Tokyo'),
    days: fc.constant(0),
    hour: fc.integer({ min: 8, max: 18 }),
  }),
);
const series = fc.record({
  day: fc.integer({ min: 0, max: 27 }),
  times,
  rule: fc.constantFrom(
    'DAILY;COUNT=7',
    'DAILY;COUNT=6',
    'WEEKLY;COUNT=5',
    'DAILY;INTERVAL=3;COUNT=5',
    'WEEKLY;INTERVAL=2;COUNT=4',
  ),
});
const edit = fc.record({
  kind: fc.constantFrom('title', 'move', 'remove', 'later', 'moveLater', 'moveAll', 'removeLater'),
  index: fc.constantFrom(1, 1, 2),
  days: fc.constantFrom(1, 2, 7, -1),
});
type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never;

/** The same ones in every run. */
const CASES = fc.sample(fc.tuple(series, fc.array(edit, { minLength: 5, maxLength: 5 })), {
  seed: 5,
  numRuns: 10,
});

const localOf = (ms: number) => new Date(ms).toISOString().slice(0, 19);
/** Wall-clock time as milliseconds. */
const wallMs = ({ date, dateTime }: any) => Date.parse(date ? `${date}T00:00:00Z` : `${dateTime.slice(0, 19)}Z`);
const timeAt = (ms: number, zone: string | null | undefined) =>
  zone ? { dateTime: localOf(ms), timeZone: zone } : { date: localOf(ms).slice(0, 10) };
const shifted = (time: any, days: number) => timeAt(wallMs(time) + days * DAY_MS, time.date ? null : time.timeZone);
const spanOf = ({ start, end }: any) => `${localOf(wallMs(start))} to ${localOf(wallMs(end))}`;
const seen = (event: any) => `${spanOf(event)}: ${event.title}`;
const length = ({ start, end }: any) => wallMs(end) - wallMs(start);
const ascending = (one: number, other: number) => one - other;
const content = ({ id, title, start, end, recurringEventId }: any) => [id, { title, start, end, recurringEventId }];

export function seriesEditsConform(fixture: () => Fixture): void {
  const request = (method: string, id: string, body?: object, scope?: string) => {
    const { call, calendarId } = fixture();
    return call(method, 'events', `/${calendarId}${id}`, { body, query: { scope } });
  };

  const read = async (query: object) => {
    const { call, calendarId } = fixture();
    const events: any[] = [];
    let page: any = null;
    do {
      const pageToken = page?.nextPageToken;
      page = (await call('GET', 'events', `/${calendarId}`, { query: { ...query, ...(pageToken && { pageToken }) } }))
        .body;
      events.push(...page.data);
    } while (page.nextPageToken);
    return { events, syncToken: page.nextSyncToken as string };
  };

  /** What is to be seen after the edit; null when only number and lengths are known. */
  const expected = (before: any[], target: any, { kind, days }: Edit): string[] | null => {
    const placeMs = (event: any) => wallMs(event.originalStart ?? event.start);
    const isLater = (event: any) =>
      event.recurringEventId === target.recurringEventId && placeMs(event) >= placeMs(target);
    const moved = { start: shifted(target.start, days), end: shifted(target.end, days) };
    const changes: Record<string, (event: any) => any> = {
      title: (event) => (event === target ? { ...event, title: 'New' } : event),
      move: (event) => (event === target ? { ...event, ...moved } : event),
      remove: (event) => (event === target ? null : event),
      removeLater: (event) => (isLater(event) ? null : event),
    };
    // Another instance that was changed before keeps a title of its own.
    if (kind === 'later') return before.map(spanOf);
    const change = changes[kind];
    return change === undefined ? null : before.flatMap((event) => change(event) ?? []).map(seen);
  };

  const send = (target: any, { kind, days }: Edit) => {
    const id = `/${target.id}`;
    const moved = { start: shifted(target.start, days), end: shifted(target.end, days) };
    switch (kind) {
      case 'title':
        return request('PUT', id, { title: 'New' });
      case 'move':
        return request('PUT', id, moved);
      case 'remove':
        return request('DELETE', id);
      case 'later':
        return request('PUT', id, { title: 'Later' }, 'following');
      case 'moveLater':
        return request('PUT', id, moved, 'following');
      case 'moveAll':
        return request('PUT', id, moved, 'all');
      case 'removeLater':
        return request('DELETE', id, undefined, 'following');
    }
  };

  describe('edits of a series', () => {
    it.each(CASES)('change nothing else, and a sync tells each of them: %j %j', async ({ day, times, rule }, edits) => {
      const startMs = FIRST_MS + day * DAY_MS + times.hour * 3_600_000;
      const endMs = startMs + (times.days * DAY_MS || 3_600_000);
      const span = { start: timeAt(startMs, times.zone), end: timeAt(endMs, times.zone) };
      const { events: others, syncToken } = await read(WINDOW);
      expect(others).toEqual([]);
      const created = await request('POST', '', { title: 'Old', ...span, recurrence: [`RRULE:FREQ=${rule}`] });
      expect(created.status).toBe(200);

      const copy = new Map();
      let token = syncToken;
      let before: any[] = [];
      const follow = async () => {
        const changes = await read({ syncToken: token });
        token = changes.syncToken;
        for (const event of changes.events) {
          if (event.isCancelled) copy.delete(event.id);
          else copy.set(...(content(event) as [string, object]));
        }
        before = (await read(WINDOW)).events.filter(({ isCancelled }) => !isCancelled);
        expect(copy).toEqual(new Map(before.map(content) as [string, object][]));
      };
      await follow();
      for (const step of edits) {
        const instances = before.filter(({ recurringEventId }) => recurringEventId);
        const target = instances[step.index % instances.length];
        if (target === undefined) break;
        const { status } = await send(target, step);
        expect([200, 400]).toContain(status);
        const whole = before;
        await follow();
        // Outlook refuses to move an instance past its neighbours.
        const wanted =
          status === 200 ? expected(whole, target, step) : whole.map(step.kind === 'later' ? spanOf : seen);
        if (wanted === null) expect(before.map(length).sort(ascending)).toEqual(whole.map(length).sort(ascending));
        else expect(before.map(step.kind === 'later' ? spanOf : seen).sort()).toEqual(wanted.sort());
      }
      for (const id of new Set(before.map((event) => event.recurringEventId ?? event.id))) {
        expect((await request('DELETE', `/${id}`, undefined, 'all')).status).toBe(200);
      }
      expect((await read(WINDOW)).events).toEqual([]);
    });
  });
}

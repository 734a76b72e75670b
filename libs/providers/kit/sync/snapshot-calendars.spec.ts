import type { Calendar } from '#domain/calendars';
import type { JsonValue } from '#domain/system';
import { syncCalendarsBySnapshot, type ListedCalendar } from './snapshot-calendars.js';

function listed(id: string, shown: Partial<Calendar> = {}): ListedCalendar {
  const name = shown.name ?? id;
  const calendar: Calendar = {
    id,
    name,
    hexColor: '#1A73E8',
    readOnly: false,
    isShared: false,
    timeZone: 'UTC',
    inviteEmail: '',
    allowedOnlineMeetingProviders: [],
    ...shown,
  };
  return { calendar, key: `${name} ${id}` };
}

const all = { pageSize: 100, page: null, sync: null };
const ids = (page: { items: { id: string }[] }) => page.items.map(({ id }) => id);
const tokenOf = (calendars: ListedCalendar[]) => syncCalendarsBySnapshot(calendars, all).nextSync;

describe('syncCalendarsBySnapshot', () => {
  it('lists in the order of the keys, with a token at the end', () => {
    const page = syncCalendarsBySnapshot(
      [listed('2', { name: 'b' }), listed('1', { name: 'c' }), listed('3', { name: 'a' })],
      all,
    );
    expect(ids(page)).toEqual(['3', '2', '1']);
    expect(page.nextPage).toBeNull();
    expect(page.nextSync).not.toBeNull();
  });

  it.each([{ name: 'x' }, { hexColor: '#000000' }, { timeZone: 'Europe/Oslo' }, { readOnly: true }])(
    'tells a calendar whose %j is new, and nothing else',
    (change) => {
      const sync = tokenOf([listed('a'), listed('b')]);
      expect(ids(syncCalendarsBySnapshot([listed('a'), listed('b', change)], { ...all, sync }))).toEqual(['b']);
      expect(ids(syncCalendarsBySnapshot([listed('a'), listed('b')], { ...all, sync }))).toEqual([]);
    },
  );

  it('tells what is gone and what is new', () => {
    const sync = tokenOf([listed('AAMk-a='), listed('AAMk-b=')]);
    const { items, nextSync } = syncCalendarsBySnapshot([listed('AAMk-b='), listed('c')], { ...all, sync });
    expect(items).toEqual([{ id: 'AAMk-a=', isDeleted: true }, expect.objectContaining({ id: 'c', name: 'c' })]);
    expect(ids(syncCalendarsBySnapshot([listed('AAMk-b='), listed('c')], { ...all, sync: nextSync }))).toEqual([]);
  });

  it('pages without loss when calendars come and go between pages, and tells them by the next sync', () => {
    const first = syncCalendarsBySnapshot([listed('b'), listed('d'), listed('f')], { ...all, pageSize: 2 });
    expect([ids(first), first.nextSync]).toEqual([['b', 'd'], null]);
    const now = [listed('a'), listed('d'), listed('f')];
    const second = syncCalendarsBySnapshot(now, { ...all, pageSize: 2, page: first.nextPage });
    expect([ids(second), second.nextPage]).toEqual([['f'], null]);
    expect(ids(syncCalendarsBySnapshot(now, { ...all, sync: second.nextSync }))).toEqual(['a', 'b']);
  });

  it('pages through changes', () => {
    const sync = tokenOf([]);
    const now = [listed('a'), listed('b'), listed('c')];
    const seen: string[] = [];
    let page: JsonValue = null;
    do {
      const response = syncCalendarsBySnapshot(now, { pageSize: 1, page, sync });
      seen.push(...ids(response));
      page = response.nextPage;
    } while (page !== null);
    expect(seen).toEqual(['a', 'b', 'c']);
  });

  it.each<JsonValue>(['x', [], {}, { prefix: 1, calendars: [] }, { prefix: '', calendars: [['a']] }])(
    'refuses %j as a token',
    (token) => {
      for (const list of [
        { ...all, sync: token },
        { ...all, page: token },
        { ...all, page: { after: 'a', basis: token } },
      ]) {
        expect(() => syncCalendarsBySnapshot([], list)).toThrow(expect.objectContaining({ code: 'PageTokenInvalid' }));
      }
    },
  );
});

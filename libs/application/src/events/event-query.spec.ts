import { DomainError } from '#domain/system';
import {
  readBoundedWindow,
  readEventQuery,
  readOccurrencesQuery,
  readPageSize,
  type EventQueryParameters,
} from './event-query.js';

/** Path of the one detail that a refusal names. */
function rejectedAt(work: () => unknown): string | undefined {
  try {
    work();
  } catch (error) {
    if (error instanceof DomainError && error.code === 'ValidationFailed') return error.details?.[0]?.path;
    throw error;
  }
  return undefined;
}

const at = (iso: string) => Date.parse(iso);
const query = (parameters: EventQueryParameters, zone: string | null = null) => readEventQuery(parameters, zone);

describe('readEventQuery: nothing given', () => {
  it('is the whole calendar, unexpanded, unfiltered, unordered', () => {
    expect(query({})).toEqual({
      window: { startMs: null, endMs: null },
      expandRecurrences: false,
      search: null,
      metadataFilters: null,
      orderBy: null,
      updatedAfterMs: null,
      isAllDay: null,
      isCancelled: null,
      iCalUid: null,
    });
    expect(query({ search: '', iCalUid: '', metadataFilters: '' })).toEqual(query({}));
  });
});

describe('readEventQuery: window', () => {
  it.each([
    ['2026-03-29T00:00:00Z', null, '2026-03-29T00:00:00Z'],
    ['2026-03-29T00:00:00+02:00', null, '2026-03-28T22:00:00Z'],
    ['2026-03-29T00:00:00-0530', null, '2026-03-29T05:30:00Z'],
    ['2026-03-29T00:00', null, '2026-03-29T00:00:00Z'],
    ['2026-03-29', null, '2026-03-29T00:00:00Z'],
    ['2026-03-29T00:00:00.250Z', null, '2026-03-29T00:00:00Z'],
    // Without an offset the requested zone's clock counts, on either side of a change of clocks.
    ['2026-03-28T12:00:00', 'Europe/Berlin', '2026-03-28T11:00:00Z'],
    ['2026-03-29T12:00:00', 'Europe/Berlin', '2026-03-29T10:00:00Z'],
    ['2026-03-29', 'Europe/Berlin', '2026-03-28T23:00:00Z'],
    // A clock that jumps over the time reads it with the offset before (RFC 5545 §3.3.5).
    ['2026-03-29T02:30:00', 'Europe/Berlin', '2026-03-29T01:30:00Z'],
    // An offset wins over the zone.
    ['2026-03-29T12:00:00Z', 'Europe/Berlin', '2026-03-29T12:00:00Z'],
  ])('%s in %s begins at %s', (startDateTime, zone, instant) => {
    expect(query({ startDateTime }, zone).window).toEqual({ startMs: at(instant), endMs: null });
  });

  it('has an end', () => {
    expect(query({ startDateTime: '2026-01-01', endDateTime: '2026-01-02' }).window).toEqual({
      startMs: at('2026-01-01T00:00:00Z'),
      endMs: at('2026-01-02T00:00:00Z'),
    });
  });

  it.each<[string, EventQueryParameters, string]>([
    ['an end alone', { endDateTime: '2026-01-01T00:00:00Z' }, 'endDateTime'],
    ['an end before the start', { startDateTime: '2026-01-02', endDateTime: '2026-01-01' }, 'endDateTime'],
    ['an end at the start', { startDateTime: '2026-01-02', endDateTime: '2026-01-02' }, 'endDateTime'],
    ['N17 a hundred years', { startDateTime: '1950-01-01', endDateTime: '2050-01-01' }, 'endDateTime'],
    ['N17 year 9999', { startDateTime: '9999-12-31T00:00:00Z' }, 'startDateTime'],
    ['an empty start', { startDateTime: '' }, 'startDateTime'],
    ['a day that does not exist', { startDateTime: '2026-02-30T00:00:00Z' }, 'startDateTime'],
    ['an hour that does not exist', { startDateTime: '2026-02-01T25:00:00Z' }, 'startDateTime'],
    ['something else', { startDateTime: '2026-01-01', endDateTime: 'tomorrow' }, 'endDateTime'],
    ['an unreadable updatedAfter', { updatedAfter: 'lately' }, 'updatedAfter'],
  ])('refuses %s', (_name, parameters, path) => {
    expect(rejectedAt(() => query(parameters))).toBe(path);
  });

  it('says how a + is written in a URL, when a space is in its place', () => {
    const hint = /write \+ as %2B in a URL$/;
    expect(() => query({ startDateTime: '2026-07-01T12:00:00 02:00' })).toThrow(hint);
    expect(() => query({ startDateTime: '1850-07-01 12:00' })).toThrow(/between the years 1900 and 2199$/);
  });

  it('takes updatedAfter like a bound', () => {
    expect(query({ updatedAfter: '2026-07-01T12:00:00' }, 'Asia/Tokyo').updatedAfterMs).toBe(
      at('2026-07-01T03:00:00Z'),
    );
  });
});

describe('readEventQuery: expansion and order', () => {
  const window = { startDateTime: '2026-01-01', endDateTime: '2026-02-01' };

  it('expands and orders what has both bounds', () => {
    expect(query({ ...window, expandRecurrences: true, orderBy: 'updatedDateTime' })).toMatchObject({
      expandRecurrences: true,
      orderBy: 'updatedDateTime',
    });
  });

  it.each<[string, EventQueryParameters, string]>([
    ['expansion without a window', { expandRecurrences: true }, 'expandRecurrences'],
    ['expansion without an end', { expandRecurrences: true, startDateTime: window.startDateTime }, 'expandRecurrences'],
    ['an order that is none', { ...window, expandRecurrences: true, orderBy: 'title' }, 'orderBy'],
    ['an empty order', { ...window, expandRecurrences: true, orderBy: '' }, 'orderBy'],
    ['an order of series', { ...window, orderBy: 'startDateTime' }, 'orderBy'],
    [
      'an order of series, said explicitly',
      { ...window, expandRecurrences: false, orderBy: 'startDateTime' },
      'orderBy',
    ],
  ])('refuses %s', (_name, parameters, path) => {
    expect(rejectedAt(() => query(parameters))).toBe(path);
  });

  it('occurrences need both bounds and are always expanded', () => {
    expect(readOccurrencesQuery(window, null)).toMatchObject({ expandRecurrences: true });
    expect(readOccurrencesQuery({ ...window, expandRecurrences: false }, null).expandRecurrences).toBe(true);
    expect(rejectedAt(() => readOccurrencesQuery({ startDateTime: '2026-01-01' }, null))).toBe('endDateTime');
    expect(rejectedAt(() => readOccurrencesQuery({ endDateTime: '2026-01-01' }, null))).toBe('startDateTime');
  });

  it('a free/busy window is read in its zone', () => {
    expect(readBoundedWindow({ startDateTime: '2026-01-01', endDateTime: '2026-01-02' }, 'America/New_York')).toEqual({
      startMs: at('2026-01-01T05:00:00Z'),
      endMs: at('2026-01-02T05:00:00Z'),
    });
  });
});

describe('readEventQuery: metadataFilters', () => {
  const filters = (value: unknown) => query({ metadataFilters: JSON.stringify(value) }).metadataFilters;

  it('takes plain keys, private and public ones', () => {
    expect(filters({ a: '1', b: '' })).toEqual({ any: { a: '1', b: '' }, private: {}, public: {} });
    expect(filters({ private: { a: '1' } })).toEqual({ any: {}, private: { a: '1' }, public: {} });
    expect(filters({ private: { a: '1' }, public: { b: '2' } })).toEqual({
      any: {},
      private: { a: '1' },
      public: { b: '2' },
    });
    // Keys of their own, when they hold strings.
    expect(filters({ private: 'x', public: 'y' })).toEqual({
      any: { private: 'x', public: 'y' },
      private: {},
      public: {},
    });
  });

  it('is no filter when it names no key', () => {
    expect(filters({})).toBeNull();
    expect(filters({ private: {}, public: {} })).toBeNull();
  });

  it('N12 takes __proto__ and constructor for keys like any other', () => {
    const text = '{"__proto__":"x","constructor":"y"}';
    const read = query({ metadataFilters: text }).metadataFilters!;
    expect(Object.entries(read.any)).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ]);
    expect(Object.getPrototypeOf(read.any)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
    const scoped = query({ metadataFilters: '{"private":{"__proto__":"x"}}' }).metadataFilters!;
    expect(Object.entries(scoped.private)).toEqual([['__proto__', 'x']]);
    // It travels inside of tokens.
    expect(Object.entries(JSON.parse(JSON.stringify(read)).any)).toHaveLength(2);
  });

  it('takes ten keys and not eleven', () => {
    const keys = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 'v']));
    expect(Object.keys(filters(keys(10))!.any)).toHaveLength(10);
    expect(rejectedAt(() => filters(keys(11)))).toBe('metadataFilters');
    expect(rejectedAt(() => filters({ private: keys(6), public: { ...keys(5) } }))).toBe('metadataFilters');
  });

  it.each([
    ['{'],
    ['"text"'],
    ['null'],
    ['[]'],
    ['[{"a":"b"}]'],
    ['{"a":1}'],
    ['{"a":null}'],
    ['{"a":["b"]}'],
    ['{"a":{"b":"c"}}'],
    ['{"__proto__":{"a":"b"}}'],
    ['{"private":{"a":1}}'],
    ['{"private":{"a":"1"},"public":"x"}'],
    ['{"private":{"a":"1"},"other":"x"}'],
    ['{"private":["a"]}'],
  ])('refuses %s', (metadataFilters) => {
    expect(rejectedAt(() => query({ metadataFilters }))).toBe('metadataFilters');
  });
});

describe('readPageSize', () => {
  it.each([
    [undefined, 400],
    [1, 1],
    [1000, 1000],
    [1001, 1000],
    [1e9, 1000],
  ])('%s is %s', (given, size) => {
    expect(readPageSize(given, 400)).toBe(size);
  });

  it.each([0, -1, 1.5, Number.NaN, Infinity])('N15 refuses %s', (given) => {
    expect(rejectedAt(() => readPageSize(given, 400))).toBe('pageSize');
  });

  it('has the limit of its list', () => {
    expect(readPageSize(300, 100, 250)).toBe(250);
  });
});

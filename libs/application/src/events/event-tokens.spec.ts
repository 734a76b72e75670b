import { randomBytes } from 'node:crypto';
import { SealedTokens, SealingKeys } from '../tokens/sealed-tokens.js';
import { readEventQuery, readOccurrencesQuery, type EventQueryParameters } from './event-query.js';
import { EventTokens, type EventReadScope } from './event-tokens.js';

class OneKey extends SealingKeys {
  readonly key = randomBytes(32);
  override current() {
    return { kid: 'k', key: this.key };
  }
  override byId(kid: string) {
    return kid === 'k' ? this.key : null;
  }
}

const tokens = new EventTokens(new SealedTokens(new OneKey()));
const LIST: EventReadScope = { applicationId: 'app', accountId: 'account', calendarId: 'calendar', eventId: null };
const SERIES: EventReadScope = { ...LIST, eventId: 'series' };
const JUNE = { startDateTime: '2027-06-01T00:00:00Z', endDateTime: '2027-07-01T00:00:00Z' };
const read = (parameters: EventQueryParameters, zone: string | null = null, scope = LIST) =>
  tokens.read(scope, parameters, zone, scope === LIST ? readEventQuery : readOccurrencesQuery);

/** The tokens after a page of a read. */
function pageToken(parameters: EventQueryParameters, zone: string | null = null, scope = LIST): string {
  const page = { items: [], nextPage: { after: 'x' }, nextSync: null };
  return tokens.after(scope, read(parameters, zone, scope), page).nextPageToken!;
}
function syncToken(
  parameters: EventQueryParameters,
  {
    sync = { token: 's' },
    zone = null,
    scope = LIST,
  }: { sync?: object; zone?: string | null; scope?: EventReadScope } = {},
): string {
  const page = { items: [], nextPage: null, nextSync: sync as never };
  return tokens.after(scope, read(parameters, zone, scope), page).nextSyncToken!;
}
const invalid = (path: string) =>
  expect.objectContaining({ code: 'ValidationFailed', details: [expect.objectContaining({ path })] });
const foreign = expect.objectContaining({ code: 'PageTokenInvalid' });

describe('tokens of event reads', () => {
  it('hand out a page token, or a sync token on the last page, or nothing', () => {
    const started = read({});
    expect(Object.keys(tokens.after(LIST, started, { items: [], nextPage: 1, nextSync: 2 }))).toEqual([
      'nextPageToken',
    ]);
    expect(Object.keys(tokens.after(LIST, started, { items: [], nextPage: null, nextSync: 2 }))).toEqual([
      'nextSyncToken',
    ]);
    expect(tokens.after(LIST, started, { items: [], nextPage: null, nextSync: null })).toEqual({});
  });

  describe('page tokens', () => {
    const full = { ...JUNE, expandRecurrences: true, search: 'x', orderBy: 'startDateTime', isAllDay: false };

    it('go on where the page ended, whether the parameters are repeated or left out', () => {
      const going = { query: readEventQuery(full, null), page: { after: 'x' }, sync: null };
      const token = pageToken(full);
      expect(read({ pageToken: token })).toEqual(going);
      expect(read({ ...full, pageToken: token })).toEqual(going);
      expect(read({ pageToken: token, pageSize: 3, timeZone: 'Asia/Tokyo' }, 'Asia/Tokyo')).toEqual(going);
    });

    it.each(Object.keys(full) as (keyof typeof full)[])('go on with %s left out, and the others repeated', (name) => {
      const { [name]: _, ...others } = full;
      expect(read({ ...others, pageToken: pageToken(full) }).query).toEqual(readEventQuery(full, null));
    });

    it.each(Object.keys(full) as (keyof typeof full)[])('go on with only %s repeated', (name) => {
      expect(read({ [name]: full[name], pageToken: pageToken(full) }).query).toEqual(readEventQuery(full, null));
    });

    it('take other words for the same as the same', () => {
      const token = pageToken({ ...JUNE, metadataFilters: '{"a":"1","b":"2"}' });
      const same = { startDateTime: '2027-06-01T02:00:00+02:00', metadataFilters: ' {"b":"2", "a":"1"}' };
      expect(read({ ...same, pageToken: token }).page).toEqual({ after: 'x' });
    });

    it('N12 compare keys such as __proto__ like any other', () => {
      const token = pageToken({ metadataFilters: '{"__proto__":"1"}' });
      expect(read({ metadataFilters: '{"__proto__":"1"}', pageToken: token }).page).toEqual({ after: 'x' });
      expect(() => read({ metadataFilters: '{"__proto__":"2"}', pageToken: token })).toThrow(foreign);
    });

    it.each<EventQueryParameters>([
      { startDateTime: '2027-06-02T00:00:00Z' },
      { endDateTime: '2027-07-02T00:00:00Z' },
      { search: 'y' },
      { orderBy: 'updatedDateTime' },
      { isAllDay: true },
      { isCancelled: true },
      { iCalUid: 'u' },
      { updatedAfter: '2026-01-01' },
      { metadataFilters: '{"a":"1"}' },
    ])('are refused with %j, which the read did not have', (changed) => {
      expect(() => read({ ...changed, pageToken: pageToken(full) })).toThrow(foreign);
    });

    it('are refused when expansion changed', () => {
      const token = pageToken({ ...JUNE, expandRecurrences: true });
      expect(() => read({ expandRecurrences: false, pageToken: token })).toThrow(foreign);
      expect(() => read({ expandRecurrences: true, pageToken: pageToken(JUNE) })).toThrow(foreign);
    });

    it('say what is wrong with a parameter that is no parameter at all', () => {
      expect(() => read({ orderBy: 'title', pageToken: pageToken(full) })).toThrow(invalid('orderBy'));
    });

    it('of occurrences need no bounds again', () => {
      const token = pageToken(JUNE, null, SERIES);
      expect(read({ pageToken: token }, null, SERIES).query).toEqual(readOccurrencesQuery(JUNE, null));
      expect(read({ ...JUNE, pageToken: token }, null, SERIES).page).toEqual({ after: 'x' });
      expect(read({ search: '', pageToken: token }, null, SERIES).page).toEqual({ after: 'x' });
    });

    it('keep wall-clock bounds in the zone of the first page', () => {
      const wall = { startDateTime: '2027-06-01T00:00:00', timeZone: 'Europe/Berlin' };
      const token = pageToken(wall, 'Europe/Berlin');
      expect(read({ ...wall, pageToken: token }, 'Europe/Berlin').query.window.startMs).toBe(
        Date.parse('2027-05-31T22:00:00Z'),
      );
      expect(() => read({ ...wall, timeZone: 'Asia/Tokyo', pageToken: token }, 'Asia/Tokyo')).toThrow(foreign);
    });

    it.each<[string, EventReadScope]>([
      ['application', { ...LIST, applicationId: 'other' }],
      ['account', { ...LIST, accountId: 'other' }],
      ['calendar', { ...LIST, calendarId: 'other' }],
      ['series', { ...LIST, eventId: 'series' }],
    ])('N16 of another %s are refused', (_name, scope) => {
      const token = pageToken(JUNE);
      expect(() => tokens.read(scope, { pageToken: token }, null, readEventQuery)).toThrow(foreign);
    });
  });

  describe('sync tokens', () => {
    it('stand for the read that they came from', () => {
      expect(read({ syncToken: syncToken({ ...JUNE, search: 'x' }), pageSize: 5 })).toEqual({
        query: readEventQuery({ ...JUNE, search: 'x' }, null),
        page: null,
        sync: { token: 's' },
      });
    });

    const full = {
      ...JUNE,
      metadataFilters: '{"a":"1","b":"2"}',
      search: 'x',
      orderBy: 'startDateTime',
      updatedAfter: '2026-01-01',
      isAllDay: false,
      isCancelled: false,
      iCalUid: 'u',
    };

    it.each<EventQueryParameters>([
      ...Object.entries(full).map(([name, value]) => ({ [name]: value })),
      { expandRecurrences: true },
    ])('of lists take no %j along, whether or not the read had it', (more) => {
      const rejected = invalid(Object.keys(more)[0]!);
      expect(() => read({ ...more, syncToken: syncToken({}) })).toThrow(rejected);
      expect(() => read({ ...more, syncToken: syncToken({ ...full, expandRecurrences: true }) })).toThrow(rejected);
    });

    describe('of occurrences', () => {
      const ofSeries = (parameters: EventQueryParameters, zone: string | null = null) => read(parameters, zone, SERIES);
      const token = syncToken(full, { scope: SERIES });
      const going = { query: readOccurrencesQuery(full, null), page: null, sync: { token: 's' } };

      it('take along what the read had, or nothing', () => {
        expect(ofSeries({ ...full, syncToken: token })).toEqual(going);
        expect(ofSeries({ ...JUNE, syncToken: token })).toEqual(going);
        expect(ofSeries({ syncToken: token })).toEqual(going);
      });

      it.each(Object.keys(full) as (keyof typeof full)[])('take along %s alone, or all the others', (name) => {
        const { [name]: value, ...others } = full;
        expect(ofSeries({ [name]: value, syncToken: token })).toEqual(going);
        expect(ofSeries({ ...others, syncToken: token })).toEqual(going);
      });

      it('take other words for the same as the same', () => {
        const same = { startDateTime: '2027-06-01T02:00:00+02:00', metadataFilters: ' {"b":"2", "a":"1"}' };
        expect(ofSeries({ ...same, syncToken: token })).toEqual(going);
      });

      it.each<EventQueryParameters>([
        { startDateTime: '2027-06-02T00:00:00Z' },
        { startDateTime: '2027-08-01T00:00:00Z' },
        { endDateTime: '2027-07-02T00:00:00Z' },
        { startDateTime: '2028-06-01T00:00:00Z', endDateTime: '2028-07-01T00:00:00Z' },
        { search: 'y' },
        { metadataFilters: '{"a":"1"}' },
        { orderBy: 'updatedDateTime' },
        { isAllDay: true },
        { isCancelled: true },
        { iCalUid: 'v' },
        { updatedAfter: '2026-01-02' },
      ])('take no %j along, which the read did not have', (changed) => {
        const rejected = invalid(Object.keys(changed)[0]!);
        expect(() => ofSeries({ ...full, ...changed, syncToken: token })).toThrow(rejected);
        expect(() => ofSeries({ ...changed, syncToken: token })).toThrow(rejected);
      });

      it('say what is wrong with a parameter that is no parameter at all', () => {
        expect(() => ofSeries({ orderBy: 'title', syncToken: token })).toThrow(invalid('orderBy'));
      });

      it('keep wall-clock bounds in the zone of the first read', () => {
        const wall = { startDateTime: '2027-06-01T00:00:00', endDateTime: '2027-07-01T00:00:00' };
        const inBerlin = syncToken(wall, { zone: 'Europe/Berlin', scope: SERIES });
        expect(ofSeries({ ...wall, syncToken: inBerlin }, 'Europe/Berlin').sync).toEqual({ token: 's' });
        expect(ofSeries({ syncToken: inBerlin }, 'Asia/Tokyo').sync).toEqual({ token: 's' });
        expect(() => ofSeries({ ...wall, syncToken: inBerlin }, 'Asia/Tokyo')).toThrow(invalid('startDateTime'));
      });
    });

    it('go over several pages, with and without the sync token repeated', () => {
      const sync = syncToken(JUNE);
      const page = pageToken({ syncToken: sync });
      const going = { query: readEventQuery(JUNE, null), page: { after: 'x' }, sync: { token: 's' } };
      expect(read({ syncToken: sync, pageToken: page })).toEqual(going);
      expect(read({ pageToken: page })).toEqual(going);
    });

    it('do not go on with a page of another read', () => {
      const sync = syncToken(JUNE);
      expect(() => read({ syncToken: sync, pageToken: pageToken(JUNE) })).toThrow(foreign);
      const other = syncToken(JUNE, { sync: { token: 'later' } });
      expect(() => read({ syncToken: sync, pageToken: pageToken({ syncToken: other }) })).toThrow(foreign);
    });

    it('N16 are no page tokens, nor the other way round', () => {
      expect(() => read({ pageToken: syncToken({}) })).toThrow(foreign);
      expect(() => read({ syncToken: pageToken({}) })).toThrow(foreign);
      expect(() => read({ syncToken: '' })).toThrow(foreign);
    });
  });
});

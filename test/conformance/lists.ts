import type { Fixture } from './subject.js';

/** A day that no other part of the suite uses, so that windows on it see nothing else. */
const day = (hour: number, length = 1) => ({
  start: { dateTime: `2031-06-10T${String(hour).padStart(2, '0')}:00:00Z` },
  end: { dateTime: `2031-06-10T${String(hour + length).padStart(2, '0')}:00:00Z` },
});
const WINDOW = { startDateTime: '2031-06-10T00:00:00Z', endDateTime: '2031-06-11T00:00:00Z' };

export function listsConform(fixture: () => Fixture): void {
  describe('lists', () => {
    it('include what is cancelled, or exclude it', async () => {
      const { create, call, readAll, calendarId } = fixture();
      const week = { startDateTime: '2027-02-01T00:00:00Z', endDateTime: '2027-02-06T00:00:00Z' };
      const start = { dateTime: '2027-02-02T09:00:00', timeZone: 'Europe/Berlin' };
      const { id } = await create({ title: 'Single', start });
      const series = await create({ title: 'Series', start, recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] });
      await call('DELETE', 'events', `/${calendarId}/${series.id}_20270203T080000Z`);
      for (const expandRecurrences of [false, true]) {
        const list = async (more: object) =>
          (await readAll(`/${calendarId}`, { ...week, expandRecurrences, ...more })).items;
        const live = (await list({})).filter(({ isCancelled }) => !isCancelled).map((item) => item.id);
        expect(live).toEqual(
          expect.arrayContaining([id, expandRecurrences ? `${series.id}_20270202T080000Z` : series.id]),
        );
        const without = await list({ isCancelled: false });
        expect(without.map((item) => item.id).toSorted()).toEqual(live.toSorted());
        const included = (await list({ isCancelled: true })).map((item) => item.id);
        expect(included).toEqual(expect.arrayContaining(live));
      }
    });

    let series: any;

    beforeAll(async () => {
      const { create } = fixture();
      await create({ title: 'Alpha Straße', ...day(8), publicExtendedProperties: { kind: 'a', both: 'public' } });
      await create({ title: 'beta', ...day(10, 3), privateExtendedProperties: { kind: 'b', both: 'private' } });
      await create({ title: 'Gamma', start: { date: '2031-06-10' }, end: { date: '2031-06-11' } });
      series = await create({
        title: 'Series',
        start: { dateTime: '2031-06-08T20:00:00Z' },
        end: { dateTime: '2031-06-08T21:00:00Z' },
        recurrence: ['RRULE:FREQ=DAILY;COUNT=5'],
      });
    });

    const titles = (items: any[]) => items.map(({ title }) => title).sort();

    it('lists what overlaps the window, series unexpanded', async () => {
      const { items } = await fixture().readAll(`/${fixture().calendarId}`, WINDOW);
      expect(titles(items)).toEqual(['Alpha Straße', 'Gamma', 'Series', 'beta']);
      expect(items.find(({ title }) => title === 'Series')).toMatchObject({ id: series.id, isRecurring: true });
    });

    it('counts overlap at the edges exactly', async () => {
      const { readAll, calendarId } = fixture();
      const inWindow = async (startDateTime: string, endDateTime: string) =>
        titles(
          (await readAll(`/${calendarId}`, { startDateTime, endDateTime, isAllDay: false, search: 'beta' })).items,
        );
      expect(await inWindow('2031-06-10T13:00:00Z', '2031-06-10T14:00:00Z')).toEqual([]); // ends as the window begins
      expect(await inWindow('2031-06-10T12:59:59Z', '2031-06-10T14:00:00Z')).toEqual(['beta']);
      expect(await inWindow('2031-06-10T09:00:00Z', '2031-06-10T10:00:00Z')).toEqual([]); // begins as the window ends
      expect(await inWindow('2031-06-10T09:00:00Z', '2031-06-10T10:00:01Z')).toEqual(['beta']);
      expect(await inWindow('2031-06-10T11:00:00Z', '2031-06-10T12:00:00Z')).toEqual(['beta']);
    });

    it('expands and orders, page by page, nothing twice and nothing missing', async () => {
      const { readAll, calendarId } = fixture();
      const query = { ...WINDOW, expandRecurrences: true, orderBy: 'startDateTime' };
      const whole = (await readAll(`/${calendarId}`, query)).items;
      expect(whole.map(({ title }) => title)).toEqual(
        expect.arrayContaining(['Alpha Straße', 'beta', 'Gamma', 'Series']),
      );
      expect(whole).toHaveLength(4);
      const instants = whole.filter(({ isAllDay }) => !isAllDay).map(({ start }) => Date.parse(start.dateTime));
      expect(instants).toEqual([...instants].sort((one, other) => one - other));
      for (const pageSize of [1, 2, 3, 4]) {
        const paged = await readAll(`/${calendarId}`, { ...query, pageSize });
        expect(paged.items).toEqual(whole);
        expect(paged.pages).toBe(Math.ceil(4 / pageSize));
      }
    });

    it('pages an expanded list without order, too', async () => {
      const { readAll, calendarId } = fixture();
      const query = {
        startDateTime: '2031-06-08T00:00:00Z',
        endDateTime: '2031-06-14T00:00:00Z',
        expandRecurrences: true,
      };
      const whole = (await readAll(`/${calendarId}`, query)).items;
      expect(whole.filter(({ recurringEventId }) => recurringEventId === series.id)).toHaveLength(5);
      const paged = await readAll(`/${calendarId}`, { ...query, pageSize: 2 });
      expect(paged.items).toEqual(whole);
    });

    it('pages the whole calendar', async () => {
      const { readAll, calendarId } = fixture();
      const whole = (await readAll(`/${calendarId}`)).items.map(({ id }) => id);
      expect(new Set(whole).size).toBe(whole.length);
      expect((await readAll(`/${calendarId}`, { pageSize: 3 })).items.map(({ id }) => id).sort()).toEqual(
        [...whole].sort(),
      );
    });

    it('searches titles by part, whatever the case', async () => {
      const { readAll, calendarId } = fixture();
      for (const search of ['alpha', 'STRASSE', 'pha str']) {
        expect(titles((await readAll(`/${calendarId}`, { ...WINDOW, search })).items)).toEqual(['Alpha Straße']);
      }
      expect((await readAll(`/${calendarId}`, { ...WINDOW, search: '.*' })).items).toEqual([]);
    });

    it.each([
      [{ kind: 'a' }, ['Alpha Straße']],
      [{ kind: 'b' }, ['beta']],
      [{ both: 'private' }, ['beta']],
      [{ public: { kind: 'a' } }, ['Alpha Straße']],
      [{ private: { kind: 'a' } }, []],
      [{ kind: 'a', both: 'x' }, []],
    ])('filters by metadata %j', async (filter, expected) => {
      const { readAll, calendarId } = fixture();
      const { items } = await readAll(`/${calendarId}`, { ...WINDOW, metadataFilters: JSON.stringify(filter) });
      expect(titles(items)).toEqual(expected);
    });

    it('filters by all-day, iCalUid and time of change', async () => {
      const { readAll, calendarId } = fixture();
      expect(titles((await readAll(`/${calendarId}`, { ...WINDOW, isAllDay: true })).items)).toEqual(['Gamma']);
      expect(titles((await readAll(`/${calendarId}`, { ...WINDOW, iCalUid: series.iCalUid })).items)).toEqual([
        'Series',
      ]);
      expect((await readAll(`/${calendarId}`, { ...WINDOW, updatedAfter: '2100-01-01T00:00:00Z' })).items).toEqual([]);
      expect((await readAll(`/${calendarId}`, { ...WINDOW, updatedAfter: '2020-01-01T00:00:00Z' })).items).toHaveLength(
        4,
      );
    });

    it('shows every time in the zone asked for', async () => {
      const { readAll, calendarId } = fixture();
      const { items } = await readAll(`/${calendarId}`, { ...WINDOW, timeZone: 'Asia/Tokyo' });
      expect(items.find(({ title }) => title === 'beta').start).toEqual({
        dateTime: '2031-06-10T19:00:00+09:00',
        timeZone: 'Asia/Tokyo',
      });
      expect(items.find(({ title }) => title === 'Gamma').start.date).toBe('2031-06-10');
    });

    it.each([
      [{ pageSize: 0 }, 'pageSize'],
      [{ pageSize: -1 }, 'pageSize'],
      [{ pageSize: 1.5 }, 'pageSize'],
      [{ pageSize: 'NaN' }, 'pageSize'],
      [{ expandRecurrences: true }, 'expandRecurrences'],
      [{ ...WINDOW, orderBy: 'startDateTime' }, 'orderBy'],
      [{ ...WINDOW, expandRecurrences: true, orderBy: 'title' }, 'orderBy'],
      [{ startDateTime: WINDOW.endDateTime, endDateTime: WINDOW.startDateTime }, 'endDateTime'],
      [{ startDateTime: '1950-01-01T00:00:00Z', endDateTime: '2150-01-01T00:00:00Z' }, 'endDateTime'],
      [{ startDateTime: '9999-01-01T00:00:00Z' }, 'startDateTime'],
      [{ endDateTime: WINDOW.endDateTime }, 'endDateTime'],
      [{ timeZone: '../../etc/passwd' }, 'timeZone'],
      [{ timeZone: 'x'.repeat(5000) }, 'timeZone'],
      [{ metadataFilters: '[]' }, 'metadataFilters'],
      [{ metadataFilters: '{"a":1}' }, 'metadataFilters'],
      [{ metadataFilters: '{' }, 'metadataFilters'],
      [{ colour: 'red' }, 'colour'],
    ])('N15 N17 refuses %j naming %s', async (query, path) => {
      const { call, calendarId } = fixture();
      const { status, body } = await call('GET', 'events', `/${calendarId}`, { query: query as any });
      expect(status).toBe(400);
      expect(body.details.map((detail: any) => detail.path)).toContain(path);
    });

    it('clamps a page size beyond the largest', async () => {
      const { call, calendarId } = fixture();
      expect(
        (await call('GET', 'events', `/${calendarId}`, { query: { ...WINDOW, pageSize: 1_000_000_000 } })).status,
      ).toBe(200);
    });

    it('N16 refuses tokens that are forged, of another read, or of another calendar', async () => {
      const { call, calendarId } = fixture();
      const { body } = await call('GET', 'events', `/${calendarId}`, { query: { ...WINDOW, pageSize: 1 } });
      const token = body.nextPageToken as string;
      const flipped = token.slice(0, -2) + (token.at(-2) === 'A' ? 'B' : 'A') + token.at(-1);
      const other = (await call('POST', 'calendars', '', { body: { name: 'Other' } })).body.id as string;
      const rejected = async (path: string, query: Record<string, string>) => {
        const response = await call('GET', 'events', path, { query });
        expect({ query, status: response.status, code: response.body.code }).toEqual({
          query,
          status: 400,
          code: 'PageTokenInvalid',
        });
      };
      await rejected(`/${calendarId}`, { pageToken: flipped });
      await rejected(`/${calendarId}`, { pageToken: 'garbage' });
      await rejected(`/${calendarId}`, { syncToken: token });
      await rejected(`/${calendarId}`, {
        pageToken: token,
        startDateTime: WINDOW.startDateTime,
        endDateTime: '2031-06-12T00:00:00Z',
      });
      await rejected(`/${other}`, { pageToken: token });
      await call('DELETE', 'calendars', `/${other}`);
      expect((await call('GET', 'events', `/${calendarId}`, { query: { pageToken: token } })).status).toBe(200);
    });
  });
}

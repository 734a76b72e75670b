import type { Fixture } from './subject.js';

const BERLIN_NINE = {
  start: { dateTime: '2027-03-22T09:00:00', timeZone: 'Europe/Berlin' },
  end: { dateTime: '2027-03-22T10:00:00', timeZone: 'Europe/Berlin' },
};

/** An hour of a day, by the clock of a zone. */
const hours = (date: string, from = 10, timeZone = 'Europe/Berlin') => {
  const at = (hour: number) => ({ dateTime: `${date}T${String(hour).padStart(2, '0')}:00:00`, timeZone });
  return { start: at(from), end: at(from + 1) };
};

const starts = (items: any[]) => items.map(({ start }) => start.dateTime ?? start.date);

export function recurrenceConforms(fixture: () => Fixture): void {
  const occurrences = async (id: string, from: string, to: string, query = {}) => {
    const { call, calendarId } = fixture();
    const response = await call('GET', 'events', `/${calendarId}/${id}/occurrences`, {
      query: { startDateTime: from, endDateTime: to, ...query },
    });
    expect(response.status).toBe(200);
    return response.body.data as any[];
  };

  /** Instances of spring 2027. */
  const instances = async (query = {}) => {
    const { calendarId, readAll } = fixture();
    const { items } = await readAll(`/${calendarId}`, {
      startDateTime: '2027-03-01T00:00:00Z',
      endDateTime: '2027-05-01T00:00:00Z',
      expandRecurrences: true,
      ...query,
    });
    return items;
  };

  const changeAt = (seriesId: string, date: string, scope: string, body: object) => {
    const { call, calendarId } = fixture();
    return call('PUT', 'events', `/${calendarId}/${seriesId}_${date}`, { query: { scope }, body });
  };

  /** `24 Room`: day and place, in order. */
  const placesOf = (items: any[]) =>
    items.map(({ start, location }) => `${start.dateTime.slice(8, 10)} ${location ?? ''}`).toSorted();

  describe('recurrence', () => {
    it('has an instance where one of two rules puts it, or says that it cannot hold both', async () => {
      const { call, calendarId, subject } = fixture();
      const recurrence = ['RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=2', 'RRULE:FREQ=MONTHLY;BYDAY=4FR;UNTIL=20270401T000000Z'];
      // Some servers put the parts in another order.
      const parts = (lines: string[]) => lines.map((line) => line.split(/[:;]/).toSorted().join(';')).toSorted();
      const { status, body } = await call('POST', 'events', `/${calendarId}`, {
        body: { ...BERLIN_NINE, title: 'Both', recurrence },
      });
      if (!subject.differs.holdsManyRules) {
        expect([status, body.code]).toEqual([400, 'NotSupportedByProvider']);
        return;
      }
      expect(parts(body.recurrence)).toEqual(parts(recurrence));
      const items = await occurrences(body.id, '2027-03-01T00:00:00Z', '2027-05-01T00:00:00Z');
      expect(starts(items).map((start) => start.slice(0, 10))).toEqual(['2027-03-22', '2027-03-26', '2027-03-29']);
      const cut = await call('PUT', 'events', `/${calendarId}/${items[1].id}`, {
        body: { title: 'Rest' },
        query: { scope: 'following' },
      });
      expect([cut.status, cut.body.details]).toEqual([400, [expect.objectContaining({ path: 'scope' })]]);
      const retitled = await call('PUT', 'events', `/${calendarId}/${body.id}`, { body: { title: 'New', recurrence } });
      expect(parts(retitled.body.recurrence)).toEqual(parts(recurrence));
    });

    it('keeps the wall time of a weekly series across a clock change', async () => {
      const series = await fixture().create({
        ...BERLIN_NINE,
        title: 'Weekly',
        recurrence: ['RRULE:FREQ=WEEKLY;COUNT=3'],
      });
      expect(series).toMatchObject({
        isRecurring: true,
        isException: false,
        recurrence: ['RRULE:FREQ=WEEKLY;COUNT=3'],
      });
      const items = await occurrences(series.id, '2027-03-01T00:00:00Z', '2027-05-01T00:00:00Z');
      expect(starts(items)).toEqual([
        '2027-03-22T09:00:00+01:00',
        '2027-03-29T09:00:00+02:00',
        '2027-04-05T09:00:00+02:00',
      ]);
      expect(items[1]).toMatchObject({
        id: `${series.id}_20270329T070000Z`,
        recurringEventId: series.id,
        isRecurring: false,
        recurrence: null,
        originalStart: { dateTime: '2027-03-29T09:00:00+02:00', timeZone: 'Europe/Berlin' },
        end: { dateTime: '2027-03-29T10:00:00+02:00' },
        iCalUid: series.iCalUid,
      });
    });

    it.each(['America/Vancouver', 'America/Edmonton', 'America/Scoresbysund', 'Antarctica/Casey', 'Asia/Almaty'])(
      'keeps the clock of %s, whose Windows name stands for another one',
      async (timeZone) => {
        const { create } = fixture();
        const at = (day: string, hour: string) => ({ dateTime: `2027-${day}T${hour}:00:00`, timeZone });
        const times = { start: at('10-25', '09'), end: at('10-25', '10') };
        const single = await create({ ...times, title: 'Single' });
        const series = await create({ ...times, title: 'Weekly', recurrence: ['RRULE:FREQ=WEEKLY;COUNT=12'] });
        const items = await occurrences(series.id, '2027-10-01T00:00:00Z', '2028-02-01T00:00:00Z');
        const days = Array.from({ length: 12 }, (_, week) => new Date(Date.UTC(2027, 9, 25 + 7 * week)).toISOString());
        const nine = days.map((day) => `${day.slice(0, 10)}T09:00:00`);
        const seen = (events: any[]) => events.map(({ start }) => start.dateTime.slice(0, 19));
        expect([seen([single]), seen([series]), seen(items)]).toEqual([nine.slice(0, 1), nine.slice(0, 1), nine]);
        expect(new Set([single, series, ...items].map(({ start }) => start.timeZone))).toEqual(new Set([timeZone]));
      },
    );

    it.each([
      ['FREQ=DAILY;INTERVAL=2;COUNT=3', ['2027-03-22', '2027-03-24', '2027-03-26']],
      ['FREQ=WEEKLY;BYDAY=MO,WE;COUNT=4', ['2027-03-22', '2027-03-24', '2027-03-29', '2027-03-31']],
      ['FREQ=MONTHLY;BYMONTHDAY=22;COUNT=3', ['2027-03-22', '2027-04-22', '2027-05-22']],
      ['FREQ=MONTHLY;BYDAY=4MO;COUNT=3', ['2027-03-22', '2027-04-26', '2027-05-24']],
      ['FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=22;COUNT=2', ['2027-03-22', '2028-03-22']],
      ['FREQ=DAILY;UNTIL=20270324T235959Z', ['2027-03-22', '2027-03-23', '2027-03-24']],
    ])('expands an all-day %s', async (rule, dates) => {
      const series = await fixture().create({
        title: rule,
        start: { date: '2027-03-22' },
        recurrence: [rule.replace('T235959Z', '')],
      });
      const items = await occurrences(series.id, '2027-01-01T00:00:00Z', '2029-01-01T00:00:00Z');
      expect(items.map(({ start }) => start.date)).toEqual(dates);
      expect(items[0].id).toBe(`${series.id}_20270322`);
      expect(items[0].originalStart).toEqual({ date: '2027-03-22' });
    });

    it('skips months without the day, or refuses the rule', async () => {
      const { call, calendarId, subject } = fixture();
      const { status, body: series } = await call('POST', 'events', `/${calendarId}`, {
        body: {
          title: 'Month end',
          start: { date: '2027-01-31' },
          recurrence: ['RRULE:FREQ=MONTHLY;BYMONTHDAY=31;COUNT=4'],
        },
      });
      expect(status).toBe(subject.differs.skipsShortMonths ? 200 : 400);
      if (status === 400) {
        expect(series.message).toContain('BYMONTHDAY');
        return;
      }
      const items = await occurrences(series.id, '2027-01-01T00:00:00Z', '2028-01-01T00:00:00Z');
      expect(items.map(({ start }) => start.date)).toEqual(['2027-01-31', '2027-03-31', '2027-05-31', '2027-07-31']);
    });

    it('changes one instance and no other', async () => {
      const { create, call, calendarId } = fixture();
      const series = await create({ ...BERLIN_NINE, title: 'Daily', recurrence: ['RRULE:FREQ=DAILY;COUNT=4'] });
      const path = `/${calendarId}/${series.id}_20270323T080000Z`;
      const moved = await call('PUT', 'events', path, {
        body: {
          title: 'Moved',
          start: { dateTime: '2027-03-23T15:00:00', timeZone: 'Europe/Berlin' },
          end: { dateTime: '2027-03-23T16:00:00', timeZone: 'Europe/Berlin' },
        },
      });
      expect(moved.status).toBe(200);
      expect(moved.body).toMatchObject({
        id: `${series.id}_20270323T080000Z`,
        title: 'Moved',
        isException: true,
        recurringEventId: series.id,
        start: { dateTime: '2027-03-23T15:00:00+01:00' },
        originalStart: { dateTime: '2027-03-23T09:00:00+01:00' },
      });
      expect((await call('GET', 'events', path)).body).toEqual(moved.body);
      const items = await occurrences(series.id, '2027-03-01T00:00:00Z', '2027-04-01T00:00:00Z');
      expect(items.map(({ title }) => title)).toEqual(['Daily', 'Moved', 'Daily', 'Daily']);
      expect(starts(items)[1]).toBe('2027-03-23T15:00:00+01:00');
    });

    it('deletes one instance and no other', async () => {
      const { create, call, calendarId } = fixture();
      const series = await create({ ...BERLIN_NINE, title: 'Daily', recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] });
      const path = `/${calendarId}/${series.id}_20270323T080000Z`;
      expect((await call('DELETE', 'events', path)).status).toBe(200);
      expect((await call('GET', 'events', path)).status).toBe(404);
      expect((await call('DELETE', 'events', path)).status).toBe(404);
      const items = await occurrences(series.id, '2027-03-01T00:00:00Z', '2027-04-01T00:00:00Z');
      expect(starts(items)).toEqual(['2027-03-22T09:00:00+01:00', '2027-03-24T09:00:00+01:00']);
    });

    it('takes a bare date for an instance when it names exactly one', async () => {
      const { create, call, calendarId } = fixture();
      const series = await create({ ...BERLIN_NINE, title: 'Daily', recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] });
      const { status, body } = await call('GET', 'events', `/${calendarId}/${series.id}_20270324`);
      expect(status).toBe(200);
      expect(body.start.dateTime).toBe('2027-03-24T09:00:00+01:00');
    });

    it('answers 404 for a date on which the series has no instance', async () => {
      const { create, call, calendarId } = fixture();
      const series = await create({ ...BERLIN_NINE, title: 'Daily', recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] });
      for (const date of ['20270321T080000Z', '20270323T090000Z', '20270325T080000Z', '20270401']) {
        expect((await call('GET', 'events', `/${calendarId}/${series.id}_${date}`)).status).toBe(404);
      }
    });

    it('changes this and following', async () => {
      const title = `Split ${Date.now()}`;
      const series = await fixture().create({ ...BERLIN_NINE, title, recurrence: ['RRULE:FREQ=DAILY;COUNT=5'] });
      const change = { location: 'New place' };
      const { status, body } = await changeAt(series.id, '20270324T080000Z', 'following', change);
      expect(status).toBe(200);
      expect(body.location).toBe('New place');
      const items = await instances({ orderBy: 'startDateTime', search: title });
      expect(items.map(({ start, location }) => [start.dateTime, location ?? ''])).toEqual([
        ['2027-03-22T09:00:00+01:00', ''],
        ['2027-03-23T09:00:00+01:00', ''],
        ['2027-03-24T09:00:00+01:00', 'New place'],
        ['2027-03-25T09:00:00+01:00', 'New place'],
        ['2027-03-26T09:00:00+01:00', 'New place'],
      ]);
    });

    it.each([2, 3])('changes this and following once, asked %i times at once', async (times) => {
      const title = `Split at once ${times} ${Date.now()}`;
      const series = await fixture().create({ ...BERLIN_NINE, title, recurrence: ['RRULE:FREQ=DAILY;COUNT=5'] });
      const split = () => changeAt(series.id, '20270324T080000Z', 'following', { location: 'New' });
      const responses = await Promise.all(Array.from({ length: times }, split));
      expect(responses.some(({ status }) => status === 200)).toBe(true);
      const places = placesOf(await instances({ search: title }));
      expect(places).toEqual(['22 ', '23 ', '24 New', '25 New', '26 New']);
    });

    it.each([
      ['this and following', { title: 'Other' }, 'following'],
      ['all', hours('2027-03-24', 11), 'all'],
    ])('has each instance once after two changes at once, of this and following and of %s', async (_, body, scope) => {
      const location = `Place ${scope} ${Date.now()}`;
      const recurrence = ['RRULE:FREQ=DAILY;COUNT=5'];
      const times = hours('2027-03-22', 9);
      const series = await fixture().create({ ...times, title: 'Twice', location, recurrence });
      await Promise.all([
        changeAt(series.id, '20270324T080000Z', 'following', { description: 'New' }),
        changeAt(series.id, '20270324T080000Z', scope, body),
      ]);
      const items = (await instances()).filter((item) => item.location === location);
      const days = starts(items).map((start) => start.slice(8, 10));
      expect(days.toSorted()).toEqual(['22', '23', '24', '25', '26']);
    });

    it('changes this and following again, of a series that was made as long as before', async () => {
      const { create, call, calendarId } = fixture();
      const title = `Split twice ${Date.now()}`;
      const recurrence = ['RRULE:FREQ=DAILY;COUNT=5'];
      const series = await create({ ...BERLIN_NINE, title, recurrence });
      const split = (location: string) => changeAt(series.id, '20270324T080000Z', 'following', { location });
      expect((await split('First')).status).toBe(200);
      const longer = await call('PUT', 'events', `/${calendarId}/${series.id}`, { body: { recurrence } });
      expect(longer.status).toBe(200);
      expect((await split('Second')).status).toBe(200);
      const twice = ['24', '25', '26'].flatMap((day) => [`${day} First`, `${day} Second`]);
      expect(placesOf(await instances({ search: title }))).toEqual(['22 ', '23 ', ...twice]);
    });

    it('deletes this and following', async () => {
      const { create, call, calendarId } = fixture();
      const series = await create({ ...BERLIN_NINE, title: 'Cut', recurrence: ['RRULE:FREQ=DAILY;COUNT=5'] });
      const cut = await call('DELETE', 'events', `/${calendarId}/${series.id}_20270324T080000Z`, {
        query: { scope: 'following' },
      });
      expect(cut.body).toEqual({ success: true });
      const items = await occurrences(series.id, '2027-03-01T00:00:00Z', '2027-05-01T00:00:00Z');
      expect(starts(items)).toEqual(['2027-03-22T09:00:00+01:00', '2027-03-23T09:00:00+01:00']);
    });

    it('neither changes nor deletes a series as if it were an instance', async () => {
      const { create, call, calendarId } = fixture();
      const series = await create({ ...BERLIN_NINE, title: 'Whole', recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] });
      const path = `/${calendarId}/${series.id}`;
      const scope = { query: { scope: 'this' } };
      for (const response of [
        await call('PUT', 'events', path, { ...scope, body: { title: 'Part' } }),
        await call('DELETE', 'events', path, scope),
      ]) {
        expect([response.status, response.body.code]).toEqual([400, 'ValidationFailed']);
      }
      expect((await call('GET', 'events', path)).body.title).toBe('Whole');
      const single = await create({ ...BERLIN_NINE, title: 'Single' });
      expect((await call('DELETE', 'events', `/${calendarId}/${single.id}`, scope)).status).toBe(200);
    });

    it('changes and deletes all through one instance', async () => {
      const { create, call, calendarId } = fixture();
      const series = await create({ ...BERLIN_NINE, title: 'All', recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] });
      const path = `/${calendarId}/${series.id}_20270323T080000Z`;
      const all = { query: { scope: 'all' } };
      expect((await call('PUT', 'events', path, { ...all, body: { title: 'Everywhere' } })).status).toBe(200);
      const items = await occurrences(series.id, '2027-03-01T00:00:00Z', '2027-05-01T00:00:00Z');
      expect(items.map(({ title }) => title)).toEqual(['Everywhere', 'Everywhere', 'Everywhere']);
      expect((await call('DELETE', 'events', path, all)).status).toBe(200);
      expect((await call('GET', 'events', `/${calendarId}/${series.id}`)).status).toBe(404);
    });

    it('changes all through an instance that was changed and is as its series again', async () => {
      const { create, call, calendarId } = fixture();
      const series = await create({ ...BERLIN_NINE, title: 'Old', recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] });
      const path = `/${calendarId}/${series.id}_20270323T080000Z`;
      for (const [title, scope] of [
        ['Own', 'this'],
        ['Old', 'this'],
        ['New', 'all'],
      ]) {
        const { status } = await call('PUT', 'events', path, { body: { title }, query: { scope } });
        expect(status).toBe(200);
      }
      const items = await occurrences(series.id, '2027-03-01T00:00:00Z', '2027-05-01T00:00:00Z');
      expect(items.map(({ title }) => title)).toEqual(['New', 'New', 'New']);
    });

    it('moves a whole series with its exceptions', async () => {
      const { create, call, calendarId } = fixture();
      const series = await create({ ...BERLIN_NINE, title: 'Shift', recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] });
      await call('PUT', 'events', `/${calendarId}/${series.id}_20270323T080000Z`, { body: { title: 'Special' } });
      await call('DELETE', 'events', `/${calendarId}/${series.id}_20270324T080000Z`);
      const moved = await call('PUT', 'events', `/${calendarId}/${series.id}`, {
        body: {
          start: { dateTime: '2027-03-22T11:00:00', timeZone: 'Europe/Berlin' },
          end: { dateTime: '2027-03-22T12:00:00', timeZone: 'Europe/Berlin' },
        },
      });
      expect(moved.status).toBe(200);
      const items = await occurrences(series.id, '2027-03-01T00:00:00Z', '2027-05-01T00:00:00Z');
      expect(items.map(({ title, start }) => [title, start.dateTime])).toEqual([
        ['Shift', '2027-03-22T11:00:00+01:00'],
        ['Special', '2027-03-23T11:00:00+01:00'],
      ]);
    });

    it.each([
      { monday: 'Comes', wednesday: 'Stays', kept: 'Stays' },
      { monday: null, wednesday: 'Stays', kept: 'Stays' },
      { monday: 'Comes', wednesday: null, kept: 'Comes' },
    ])('keeps a changed instance that meets another one or a deleted one: $monday, $wednesday', async (titles) => {
      const { create, call, calendarId } = fixture();
      const on = (day: string) => ({
        start: { dateTime: `2027-05-${day}T09:00:00`, timeZone: 'Europe/Berlin' },
        end: { dateTime: `2027-05-${day}T10:00:00`, timeZone: 'Europe/Berlin' },
      });
      const series = await create({ title: 'S', ...on('03'), recurrence: ['RRULE:FREQ=WEEKLY;BYDAY=MO,WE;COUNT=3'] });
      const path = `/${calendarId}/${series.id}`;
      for (const [day, title] of [
        ['05', titles.wednesday],
        ['03', titles.monday],
      ]) {
        const instance = `${path}_202705${day}T070000Z`;
        const method = title === null ? 'DELETE' : 'PUT';
        const { status } = await call(method, 'events', instance, title === null ? {} : { body: { title } });
        expect(status).toBe(200);
      }
      expect((await call('PUT', 'events', path, { body: on('05') })).status).toBe(200);
      const items = await occurrences(series.id, '2027-05-01T00:00:00Z', '2027-06-01T00:00:00Z');
      expect(items.map(({ title, start }) => `${start.dateTime.slice(8, 10)} ${title}`)).toEqual([
        ...[`05 ${titles.kept}`, '10 S', '12 S'],
      ]);
      await call('DELETE', 'events', path);
    });

    it.each(['DELETE', 'EXDATE'])(
      'keeps a deleted instance deleted when its series begins on another day: %s',
      async (by) => {
        const { create, call, calendarId } = fixture();
        const on = (day: string) => ({
          start: { dateTime: `2027-05-${day}T09:00:00`, timeZone: 'Europe/Berlin' },
          end: { dateTime: `2027-05-${day}T10:00:00`, timeZone: 'Europe/Berlin' },
        });
        const rule = 'RRULE:FREQ=WEEKLY;BYDAY=MO,WE;COUNT=4';
        const excluded = by === 'EXDATE' ? ['EXDATE;TZID=Europe/Berlin:20270512T090000'] : [];
        const series = await create({ title: 'S', ...on('03'), recurrence: [rule, ...excluded] });
        const path = `/${calendarId}/${series.id}`;
        if (by === 'DELETE') await call('DELETE', 'events', `${path}_20270512T070000Z`);
        expect((await call('PUT', 'events', path, { body: on('05') })).status).toBe(200);
        const items = await occurrences(series.id, '2027-05-01T00:00:00Z', '2027-06-01T00:00:00Z');
        expect(items.map(({ start }) => start.dateTime.slice(8, 10))).toEqual(['05', '10', '17']);
        await call('DELETE', 'events', path);
      },
    );

    it('keeps a changed instance that meets a deleted one in a series that begins on another day from here on', async () => {
      const { create, call, calendarId } = fixture();
      const on = (date: string) => ({
        start: { dateTime: `2027-${date}T09:00:00`, timeZone: 'Europe/Berlin' },
        end: { dateTime: `2027-${date}T10:00:00`, timeZone: 'Europe/Berlin' },
      });
      const title = `Cut and moved ${Date.now()}`;
      const recurrence = ['RRULE:FREQ=WEEKLY;BYDAY=MO,WE;COUNT=6', 'EXDATE;TZID=Europe/Berlin:20270510T090000'];
      const series = await create({ title, ...on('04-26'), recurrence });
      const path = (day: string) => `/${calendarId}/${series.id}_202705${day}T070000Z`;
      expect((await call('PUT', 'events', path('12'), { body: { location: 'Stays' } })).status).toBe(200);
      const query = { scope: 'following' };
      expect((await call('PUT', 'events', path('03'), { query, body: on('05-05') })).status).toBe(200);
      const may = { startDateTime: '2027-05-01T00:00:00Z', endDateTime: '2027-06-01T00:00:00Z' };
      expect(placesOf(await instances({ search: title, ...may }))).toEqual(['05 ', '10 ', '12 Stays', '17 ']);
    });

    it('loses no instance to an EXDATE that excluded none when the series moves', async () => {
      const { create, call, calendarId } = fixture();
      const on = (day: string) => ({
        start: { dateTime: `2027-05-${day}T09:00:00`, timeZone: 'Europe/Berlin' },
        end: { dateTime: `2027-05-${day}T10:00:00`, timeZone: 'Europe/Berlin' },
      });
      const recurrence = ['RRULE:FREQ=WEEKLY;BYDAY=MO,WE;COUNT=4', 'EXDATE;TZID=Europe/Berlin:20270508T090000'];
      const series = await create({ title: 'Kept', ...on('03'), recurrence });
      const path = `/${calendarId}/${series.id}`;
      expect((await call('PUT', 'events', path, { body: on('05') })).status).toBe(200);
      const items = await occurrences(series.id, '2027-05-01T00:00:00Z', '2027-06-01T00:00:00Z');
      expect(items.map(({ start }) => start.dateTime.slice(8, 10))).toEqual(['05', '10', '12', '17']);
      await call('DELETE', 'events', path);
    });

    it('leaves a moved instance in its zone when its series moves', async () => {
      const { create, call, calendarId } = fixture();
      const series = await create({ ...BERLIN_NINE, title: 'Zone', recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] });
      const at = (day: string, hour: string, timeZone: string) => ({
        dateTime: `2027-03-${day}T${hour}:00:00`,
        timeZone,
      });
      const times = (day: string, hour: number, zone: string) => ({
        body: { start: at(day, `${hour}`, zone), end: at(day, `${hour + 1}`, zone) },
      });
      const instance = `/${calendarId}/${series.id}_20270323T080000Z`;
      expect((await call('PUT', 'events', instance, times('23', 15, 'Europe/Vienna'))).status).toBe(200);
      const moved = await call('PUT', 'events', `/${calendarId}/${series.id}`, times('22', 10, 'Europe/Berlin'));
      expect(moved.status).toBe(200);
      const items = await occurrences(series.id, '2027-03-01T00:00:00Z', '2027-05-01T00:00:00Z');
      expect(items.map(({ start }) => `${start.dateTime.slice(8, 13)} ${start.timeZone}`)).toEqual([
        ...['22T10 Europe/Berlin', '23T16 Europe/Vienna', '24T10 Europe/Berlin'],
      ]);
    });

    it.each([
      ['all', '24', { location: 'New' }],
      ['all', '24', { location: 'New', end: '10:30' }],
      ['all', '24', { location: 'New', start: '11:00', end: '12:00' }],
      ['following', '22', { location: 'New' }],
      ['following', '22', { location: 'New', start: '11:00', end: '12:00' }],
    ])('changes the changed instance that it is told of, with scope=%s, of %s, to %j', async (scope, day, change) => {
      const { create, call, calendarId } = fixture();
      const properties = (name: string) => ({ publicExtendedProperties: { [name]: 'x' } });
      const series = await create({
        ...{ ...BERLIN_NINE, title: 'Old', recurrence: ['RRULE:FREQ=DAILY;COUNT=4'] },
        ...properties('old'),
      });
      const path = (date: string) => `/${calendarId}/${series.id}_202703${date}T080000Z`;
      for (const own of [day, '25']) {
        const body = { title: `Own ${own}`, location: `Room ${own}`, ...properties(own) };
        expect((await call('PUT', 'events', path(own), { body })).status).toBe(200);
      }
      const at = (time: string) => ({ dateTime: `2027-03-${day}T${time}:00`, timeZone: 'Europe/Berlin' });
      const { start = '09:00', end = '10:00' } = change as { start?: string; end?: string };
      const body = {
        ...{ location: change.location, ...properties('new') },
        ...('start' in change && { start: at(start) }),
        ...('end' in change && { end: at(end) }),
      };
      const response = await call('PUT', 'events', path(day), { body, query: { scope } });
      expect([response.status, response.body.message]).toEqual([200, undefined]);
      const items = await occurrences(series.id, '2027-03-01T00:00:00Z', '2027-05-01T00:00:00Z');
      const seen = items.map((item) => [
        ...[item.start, item.end].map(({ dateTime }: { dateTime: string }) => dateTime.slice(8, 16)),
        ...[item.title, item.location ?? null, Object.keys(item.publicExtendedProperties as object).join()],
      ]);
      const plain = (date: string) => [`${date}T${start}`, `${date}T${end}`, 'Old', 'New', 'new'];
      const wanted = ['22', '23', '24'].map(plain);
      wanted[Number(day) - 22]![2] = `Own ${day}`;
      expect(seen.slice(0, 3)).toEqual(wanted);
      expect(seen[3]).toEqual([`25T${start}`, `25T${end}`, 'Own 25', 'Room 25', '25']);
    });

    it('changes the moved instance that it is told of where the series changes, and leaves its times', async () => {
      const { create, call, calendarId } = fixture();
      const series = await create({ ...BERLIN_NINE, title: 'Old', recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] });
      const path = `/${calendarId}/${series.id}_20270323T080000Z`;
      const on = (time: string) => ({ dateTime: `2027-03-23T${time}:00`, timeZone: 'Europe/Berlin' });
      const moved = { body: { start: on('11:00'), end: on('12:00') } };
      expect((await call('PUT', 'events', path, moved)).status).toBe(200);
      const all = { body: { title: 'New' }, query: { scope: 'all' } };
      expect((await call('PUT', 'events', path, all)).status).toBe(200);
      const items = await occurrences(series.id, '2027-03-01T00:00:00Z', '2027-05-01T00:00:00Z');
      expect(items.map(({ title, start }) => `${start.dateTime.slice(8, 16)} ${title}`)).toEqual([
        ...['22T09:00 New', '23T11:00 New', '24T09:00 New'],
      ]);
    });

    it('gives changed instances the new length of their series, but for one with a length of its own', async () => {
      const { create, call, calendarId } = fixture();
      const series = await create({ ...BERLIN_NINE, title: 'Hour', recurrence: ['RRULE:FREQ=DAILY;COUNT=4'] });
      const on = (day: string, time: string) => ({ dateTime: `2027-03-${day}T${time}:00`, timeZone: 'Europe/Berlin' });
      const put = async (instance: string, body: object) => {
        const { status } = await call('PUT', 'events', `/${calendarId}/${series.id}${instance}`, { body });
        expect(status).toBe(200);
      };
      await put('_20270323T080000Z', { title: 'Own' });
      await put('_20270324T080000Z', { start: on('24', '11:00'), end: on('24', '12:00') });
      await put('_20270325T080000Z', { end: on('25', '10:30') });
      await put('', { end: on('22', '11:00') });
      const items = await occurrences(series.id, '2027-03-01T00:00:00Z', '2027-05-01T00:00:00Z');
      expect(items.map(({ start, end }) => [start, end].map(({ dateTime }) => dateTime.slice(8, 16)))).toEqual([
        ['22T09:00', '22T11:00'],
        ['23T09:00', '23T11:00'],
        ['24T11:00', '24T13:00'],
        ['25T09:00', '25T10:30'],
      ]);
    });

    it('moves a series by days with its exceptions, and brings nothing of them to the days that they leave', async () => {
      const { create, call, calendarId } = fixture();
      const series = await create({ ...BERLIN_NINE, title: 'Days', recurrence: ['RRULE:FREQ=DAILY;COUNT=6'] });
      const own = { title: 'Special', location: 'Hall' };
      await call('PUT', 'events', `/${calendarId}/${series.id}_20270323T080000Z`, { body: own });
      await call('DELETE', 'events', `/${calendarId}/${series.id}_20270324T080000Z`);
      await call('DELETE', 'events', `/${calendarId}/${series.id}_20270326T080000Z`);
      const nine = (hour: string) => ({ dateTime: `2027-03-23T${hour}:00:00`, timeZone: 'Europe/Berlin' });
      const moved = await call('PUT', 'events', `/${calendarId}/${series.id}`, {
        body: { start: nine('09'), end: nine('10') },
      });
      expect(moved.status).toBe(200);
      const items = await occurrences(series.id, '2027-03-01T00:00:00Z', '2027-05-01T00:00:00Z');
      expect(items.map(({ title, location, start }) => [title, location, start.dateTime.slice(0, 16)])).toEqual([
        ['Days', undefined, '2027-03-23T09:00'],
        ['Special', 'Hall', '2027-03-24T09:00'],
        ['Days', undefined, '2027-03-26T09:00'],
        ['Days', undefined, '2027-03-28T09:00'],
      ]);
    });

    it.each([
      ['of the series', '', 9, {}],
      ['of the series, which moves', '', 11, {}],
      ['from the instance on', '_20270324T080000Z', 9, { scope: 'following' }],
      ['from an earlier instance on', '_20270323T080000Z', 9, { scope: 'following' }],
    ])('removes a changed instance that a new rule excludes: %s', async (_, instance, hour, query) => {
      const { create, call, calendarId } = fixture();
      const series = await create({ ...BERLIN_NINE, title: 'S', recurrence: ['RRULE:FREQ=DAILY;COUNT=5'] });
      const path = (time: string) => `/${calendarId}/${series.id}${time}`;
      const own = { body: { title: 'Own' } };
      expect((await call('PUT', 'events', path('_20270324T080000Z'), own)).status).toBe(200);
      const at = (day: string, on: number) => ({
        dateTime: `2027-03-${day}T${String(on).padStart(2, '0')}:00:00`,
        timeZone: 'Europe/Berlin',
      });
      const day = instance.slice(7, 9) || '22';
      const exclusion = `EXDATE;TZID=Europe/Berlin:20270324T${String(hour).padStart(2, '0')}0000`;
      const body = {
        ...(hour !== 9 && { start: at(day, hour), end: at(day, hour + 1) }),
        recurrence: [`RRULE:FREQ=DAILY;COUNT=${27 - Number(day)}`, exclusion],
      };
      const changed = await call('PUT', 'events', path(instance), { body, query });
      expect([changed.status, changed.body.message]).toEqual([200, undefined]);
      const ids = new Set([series.id, changed.body.id]);
      const window = ['2027-03-01T00:00:00Z', '2027-05-01T00:00:00Z'] as const;
      const items = (await Promise.all([...ids].map((id) => occurrences(id, ...window)))).flat();
      expect(items.map(({ title, start }) => `${start.dateTime.slice(8, 13)} ${title}`).sort()).toEqual(
        ['22', '23', '25', '26'].map((date) => `${date}T${String(hour).padStart(2, '0')} S`),
      );
    });

    /** A daily timed series from 2027-03-22 on whose instance of that day of March is all-day. */
    const withAllDay = async (count: number, day: number) => {
      const { create, call, calendarId } = fixture();
      const recurrence = [`RRULE:FREQ=DAILY;COUNT=${count}`];
      const series = await create({ ...BERLIN_NINE, title: 'Days', recurrence });
      const path = (time: string) => `/${calendarId}/${series.id}${time}`;
      const allDay = { isAllDay: true, start: { date: `2027-03-${day}` }, end: { date: `2027-03-${day + 1}` } };
      expect((await call('PUT', 'events', path(`_202703${day}T080000Z`), { body: allDay })).status).toBe(200);
      return { series, path };
    };

    it('makes an all-day instance and the later ones timed', async () => {
      const { call } = fixture();
      const { path } = await withAllDay(4, 24);
      const on = (hour: string) => ({ dateTime: `2027-03-24T${hour}:00:00`, timeZone: 'Europe/Berlin' });
      const timed = { body: { isAllDay: false, start: on('14'), end: on('16') }, query: { scope: 'following' } };
      const rest = await call('PUT', 'events', path('_20270324T080000Z'), timed);
      expect([rest.status, rest.body.message]).toEqual([200, undefined]);
      const items = await occurrences(rest.body.id, '2027-03-01T00:00:00Z', '2027-05-01T00:00:00Z');
      expect(items.map(({ start, end }) => [start.dateTime.slice(0, 16), end.dateTime.slice(11, 16)])).toEqual([
        ['2027-03-24T14:00', '16:00'],
        ['2027-03-25T14:00', '16:00'],
      ]);
    });

    it('moves a timed series from its all-day instance', async () => {
      const { call } = fixture();
      const { series, path } = await withAllDay(3, 23);
      const on = (hour: string) => ({ dateTime: `2027-03-24T${hour}:00:00`, timeZone: 'Europe/Berlin' });
      const timed = { body: { isAllDay: false, start: on('14'), end: on('15') }, query: { scope: 'all' } };
      expect((await call('PUT', 'events', path('_20270323T080000Z'), timed)).status).toBe(200);
      const items = await occurrences(series.id, '2027-03-01T00:00:00Z', '2027-05-01T00:00:00Z');
      const starts = items.map(({ start }) => (start.date ?? start.dateTime.slice(0, 16)) as string);
      expect(starts.filter((start) => start.includes('T')).sort()).toEqual(
        expect.arrayContaining(['2027-03-23T14:00', '2027-03-25T14:00']),
      );
      expect(starts.filter((start) => start.startsWith('2027-03-24'))).toHaveLength(1);
    });

    it('moves a series with instances that make room for each other', async () => {
      const { create, call, calendarId } = fixture();
      const series = await create({ ...BERLIN_NINE, title: 'Weeks', recurrence: ['RRULE:FREQ=WEEKLY;COUNT=4'] });
      const on = (day: string, hour: string) => ({ dateTime: `2027-${day}T${hour}:00:00`, timeZone: 'Europe/Berlin' });
      const put = async (instance: string, day: string, [start, end]: [string, string]) => {
        const body = { start: on(day, start), end: on(day, end) };
        const response = await call('PUT', 'events', `/${calendarId}/${series.id}${instance}`, { body });
        expect([response.status, response.body.message]).toEqual([200, undefined]);
      };
      await put('_20270405T070000Z', '04-08', ['09', '10']);
      await put('_20270329T070000Z', '04-07', ['09', '10']);
      await put('', '03-22', ['11', '12']);
      const items = await occurrences(series.id, '2027-03-01T00:00:00Z', '2027-05-01T00:00:00Z');
      expect(items.map(({ start }) => start.dateTime.slice(0, 16)).sort()).toEqual([
        ...['2027-03-22T11:00', '2027-04-07T11:00', '2027-04-08T11:00', '2027-04-12T11:00'],
      ]);
    });

    it('keeps an all-day instance on its day when its series ends earlier or moves by hours', async () => {
      const { call } = fixture();
      const { series, path } = await withAllDay(5, 23);
      const spans = async () => {
        const items = await occurrences(series.id, '2027-03-01T00:00:00Z', '2027-05-01T00:00:00Z');
        return items.map(({ start, end }) => `${start.date ?? start.dateTime.slice(0, 16)}/${end.date ?? ''}`).sort();
      };
      const following = { query: { scope: 'following' } };
      expect((await call('DELETE', 'events', path('_20270325T080000Z'), following)).status).toBe(200);
      expect(await spans()).toEqual(['2027-03-22T09:00/', '2027-03-23/2027-03-24', '2027-03-24T09:00/']);
      const start = { dateTime: '2027-03-22T07:00:00', timeZone: 'Europe/Berlin' };
      const end = { dateTime: '2027-03-22T08:00:00', timeZone: 'Europe/Berlin' };
      expect((await call('PUT', 'events', path(''), { body: { start, end } })).status).toBe(200);
      expect(await spans()).toEqual(['2027-03-22T07:00/', '2027-03-23/2027-03-24', '2027-03-24T07:00/']);
    });

    it('changes a changed instance with the later ones, which keep what they have of their own', async () => {
      const { create, call, calendarId } = fixture();
      const properties = (name: string) => ({ publicExtendedProperties: { [name]: 'x' } });
      const series = await create({
        ...{ ...BERLIN_NINE, title: 'Old', recurrence: ['RRULE:FREQ=DAILY;COUNT=4'] },
        ...properties('old'),
      });
      const put = async (day: number, body: object, query = {}) => {
        const path = `/${calendarId}/${series.id}_202703${day}T080000Z`;
        const response = await call('PUT', 'events', path, { body, query });
        expect(response.status).toBe(200);
        return response.body;
      };
      for (const day of [23, 24]) {
        const own = { title: `Own ${day}`, location: `Room ${day}`, ...properties(`own ${day}`) };
        await put(day, { ...own, end: { dateTime: `2027-03-${day}T09:30:00`, timeZone: 'Europe/Berlin' } });
      }
      const end = { dateTime: '2027-03-23T10:30:00', timeZone: 'Europe/Berlin' };
      const rest = await put(23, { location: 'New', end, ...properties('new') }, { scope: 'following' });
      const shown = async (id: string) => {
        const items = await occurrences(id, '2027-03-01T00:00:00Z', '2027-05-01T00:00:00Z');
        return items
          .map(({ end: { dateTime }, title, location = null, publicExtendedProperties }: any) => [
            ...[dateTime.slice(8, 16), title, location, Object.keys(publicExtendedProperties).join()],
          ])
          .sort();
      };
      expect(await shown(series.id)).toEqual([['22T10:00', 'Old', null, 'old']]);
      expect(await shown(rest.id)).toEqual([
        ['23T10:30', 'Own 23', 'New', 'new'],
        ['24T09:30', 'Own 24', 'Room 24', 'own 24'],
        ['25T10:30', 'Old', 'New', 'new'],
      ]);
    });

    it('makes a single event of a series, and a series of a single event', async () => {
      const { create, call, calendarId } = fixture();
      const series = await create({ ...BERLIN_NINE, title: 'Once', recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] });
      const path = `/${calendarId}/${series.id}`;
      const single = await call('PUT', 'events', path, { body: { recurrence: null } });
      expect(single.body).toMatchObject({ isRecurring: false, recurrence: null });
      const again = await call('PUT', 'events', path, { body: { recurrence: ['FREQ=WEEKLY;COUNT=2'] } });
      expect(again.body).toMatchObject({ isRecurring: true, recurrence: ['RRULE:FREQ=WEEKLY;COUNT=2'] });
    });

    it('gives occurrences in pages and as changes since a token', async () => {
      const { create, call, calendarId } = fixture();
      const series = await create({ ...BERLIN_NINE, title: 'Paged', recurrence: ['RRULE:FREQ=DAILY;COUNT=5'] });
      const path = `/${calendarId}/${series.id}/occurrences`;
      const window = { startDateTime: '2027-03-01T00:00:00Z', endDateTime: '2027-05-01T00:00:00Z' };
      const seen: string[] = [];
      let syncToken: string | undefined;
      for (let pageToken: string | undefined; syncToken === undefined;) {
        const { status, body } = await call('GET', 'events', path, { query: { ...window, pageSize: 2, pageToken } });
        expect(status).toBe(200);
        seen.push(...starts(body.data));
        pageToken = body.nextPageToken ?? undefined;
        syncToken = pageToken === undefined ? body.nextSyncToken : undefined;
      }
      expect(seen).toHaveLength(5);
      const nothing = await call('GET', 'events', path, { query: { syncToken } });
      expect(nothing.body.data).toEqual([]);
      await call('DELETE', 'events', `/${calendarId}/${series.id}_20270324T080000Z`);
      const { body } = await call('GET', 'events', path, { query: { syncToken: nothing.body.nextSyncToken } });
      expect(body.data.filter(({ isCancelled }: any) => isCancelled).map(({ id }: any) => id)).toEqual([
        `${series.id}_20270324T080000Z`,
      ]);
    });

    it('needs both bounds for occurrences', async () => {
      const { create, call, calendarId } = fixture();
      const { id } = await create({ ...BERLIN_NINE, title: 'Bounds' });
      const { status, body } = await call('GET', 'events', `/${calendarId}/${id}/occurrences`, {
        query: { startDateTime: '2027-01-01T00:00:00Z' },
      });
      expect(status).toBe(400);
      expect(body.details[0].path).toBe('endDateTime');
    });

    const daily = (date: string, recurrence: string[]) =>
      fixture().create({ ...hours(date), title: `Series ${Date.now()}`, recurrence });
    const change = async (eventId: string, body: object, query: Record<string, string> = {}) => {
      const { call, calendarId } = fixture();
      const response = await call('PUT', 'events', `/${calendarId}/${eventId}`, { body, query });
      expect([response.status, response.body.code]).toEqual([200, undefined]);
      return response.body;
    };
    const remove = async (eventId: string, query: Record<string, string> = {}) => {
      const { call, calendarId } = fixture();
      expect((await call('DELETE', 'events', `/${calendarId}/${eventId}`, { query })).status).toBe(200);
    };
    /** Days or times, and titles, of the instances of these series in 2027. */
    const shown = async (...ids: string[]) => {
      const items = await Promise.all(ids.map((id) => occurrences(id, '2027-01-01T00:00:00Z', '2028-01-01T00:00:00Z')));
      return items.flat().map(({ start, title }) => [start.date ?? start.dateTime, title]);
    };

    it('begins with its first instance that is left', async () => {
      const { id } = await daily('2027-05-01', ['RRULE:FREQ=DAILY;COUNT=3']);
      await remove(`${id}_20270501T080000Z`);
      const second = `${id}_20270502T080000Z`;
      const changed = await change(second, { title: 'All', ...hours('2027-05-02', 14) }, { scope: 'following' });
      expect(changed.id).toBe(id);
      expect(await shown(id)).toEqual([
        ['2027-05-02T14:00:00+02:00', 'All'],
        ['2027-05-03T14:00:00+02:00', 'All'],
      ]);
    });

    it('is in a window where an instance takes place, not where one was deleted', async () => {
      const { readAll, calendarId } = fixture();
      // sabre/dav 1.8 miscounts COUNT beside exceptions.
      const { id } = await daily('2027-05-01', ['RRULE:FREQ=WEEKLY;UNTIL=20270515T080000Z']);
      const isIn = async (from: string, to: string) => {
        const query = { startDateTime: `${from}T00:00:00Z`, endDateTime: `${to}T23:00:00Z` };
        const { items } = await readAll(`/${calendarId}`, query);
        return items.some((item) => item.id === id);
      };
      await change(`${id}_20270501T080000Z`, hours('2027-05-04'));
      await remove(`${id}_20270508T080000Z`);
      const found = ['2027-05-04', '2027-05-08', '2027-05-15'].map((day) => isIn(day, day));
      expect(await Promise.all(found)).toEqual([true, false, true]);
      await remove(`${id}_20270515T080000Z`);
      expect(await isIn('2027-05-05', '2027-05-20')).toBe(false);
    });

    it('and its instances turn from hours to days and back', async () => {
      const { id, title } = await daily('2027-03-26', [
        'RRULE:FREQ=DAILY;COUNT=4',
        'EXDATE;TZID=Europe/Berlin:20270328T100000',
      ]);
      const instance = `${id}_20270327T090000Z`;
      expect(await change(instance, { isAllDay: true })).toMatchObject({
        start: { date: '2027-03-27' },
        end: { date: '2027-03-28' },
        originalStart: { dateTime: '2027-03-27T10:00:00+01:00' },
      });
      const back = await change(instance, { ...hours('2027-03-27', 8), isAllDay: false });
      expect(back.start.dateTime).toBe('2027-03-27T08:00:00+01:00');
      await change(id, { isAllDay: true });
      expect(await shown(id)).toEqual([
        ['2027-03-26', title],
        ['2027-03-27', title],
        ['2027-03-29', title],
      ]);
      const again = await change(id, { ...hours('2027-03-26', 9), isAllDay: false });
      expect(again.recurrence).toContain('EXDATE;TZID=Europe/Berlin:20270328T090000');
      expect(await shown(id)).toEqual([
        ['2027-03-26T09:00:00+01:00', title],
        ['2027-03-27T09:00:00+01:00', title],
        ['2027-03-29T09:00:00+02:00', title],
      ]);
    });

    it('keeps its clock, and what was deleted, when only the zone changes', async () => {
      const { id, title } = await daily('2027-03-26', [
        'RRULE:FREQ=DAILY;COUNT=4',
        'EXDATE;TZID=Europe/Berlin:20270327T100000',
      ]);
      await remove(`${id}_20270328T080000Z`);
      await change(id, hours('2027-03-26', 10, 'America/New_York'));
      expect(await shown(id)).toEqual([
        ['2027-03-26T10:00:00-04:00', title],
        ['2027-03-29T10:00:00-04:00', title],
      ]);
    });

    it.each(['this', 'following', 'all'])('refuses a stale version of an instance with scope %s', async (scope) => {
      const { call, calendarId } = fixture();
      const { id } = await daily('2027-05-01', ['RRULE:FREQ=DAILY;COUNT=4']);
      const path = `/${calendarId}/${id}_20270502T080000Z`;
      const { etag } = (await call('GET', 'events', path)).body;
      await change(`${id}_20270502T080000Z`, { title: 'Theirs' });
      const options = { query: { scope }, headers: { 'if-match': etag } };
      const written = await call('PUT', 'events', path, { ...options, body: { title: 'Ours' } });
      const deleted = await call('DELETE', 'events', path, options);
      expect([written.status, deleted.status]).toEqual([412, 412]);
      expect((await call('GET', 'events', path)).body.title).toBe('Theirs');
    });

    it('gives the rest a rule of its own, or makes it a single event', async () => {
      const { id, title } = await daily('2027-05-03', ['RRULE:FREQ=DAILY;COUNT=10']);
      await change(`${id}_20270506T080000Z`, { title: 'Own' });
      await remove(`${id}_20270507T080000Z`);
      const following = { scope: 'following' };
      const rest = await change(
        `${id}_20270505T080000Z`,
        { recurrence: ['RRULE:FREQ=DAILY;UNTIL=20270509'] },
        following,
      );
      const before = [
        ['2027-05-03T10:00:00+02:00', title],
        ['2027-05-04T10:00:00+02:00', title],
        ['2027-05-05T10:00:00+02:00', title],
        ['2027-05-06T10:00:00+02:00', 'Own'],
      ];
      expect(await shown(id, rest.id)).toEqual([
        ...before,
        ['2027-05-08T10:00:00+02:00', title],
        ['2027-05-09T10:00:00+02:00', title],
      ]);
      const single = await change(`${rest.id}_20270508T080000Z`, { recurrence: null }, following);
      expect(single).toMatchObject({ isRecurring: false, title, start: { dateTime: '2027-05-08T10:00:00+02:00' } });
      expect(await shown(id, rest.id)).toEqual(before);
    });

    it('without an end goes on for ever, until it is cut', async () => {
      const { id, title } = await daily('2027-05-28', ['FREQ=MONTHLY;BYDAY=-1FR']);
      const rest = await change(`${id}_20270625T080000Z`, { title: 'Endless' }, { scope: 'following' });
      expect(rest.recurrence).toEqual(['RRULE:FREQ=MONTHLY;BYDAY=-1FR']);
      await remove(`${rest.id}_20270730T080000Z`, { scope: 'following' });
      expect(await shown(id, rest.id)).toEqual([
        ['2027-05-28T10:00:00+02:00', title],
        ['2027-06-25T10:00:00+02:00', 'Endless'],
      ]);
    });
  });
}

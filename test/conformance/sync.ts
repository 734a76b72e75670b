import type { Fixture } from './subject.js';

const at = (dateTime: string) => ({ start: { dateTime }, end: { dateTime: dateTime.replace(':00:00Z', ':30:00Z') } });

export function syncConforms(fixture: () => Fixture): void {
  const changes = async (syncToken: string, query = {}) => {
    const { items, nextSyncToken } = await fixture().readAll(`/${fixture().calendarId}`, { syncToken, ...query });
    return { items, nextSyncToken };
  };
  /** The widest read that can be followed by its changes. */
  const everything = () =>
    fixture().subject.differs.syncsEveryRead
      ? {}
      : { startDateTime: '2031-12-01T00:00:00Z', endDateTime: '2033-01-01T00:00:00Z' };
  const byId = (items: any[]) => new Map(items.map((item) => [item.id, item]));

  describe('incremental sync', () => {
    it('tells new, changed and deleted events, and nothing when nothing changed', async () => {
      const { create, call, calendarId, readAll } = fixture();
      const kept = await create({ title: 'Kept', ...at('2032-01-05T09:00:00Z') });
      const doomed = await create({ title: 'Doomed', ...at('2032-01-06T09:00:00Z') });
      const { nextSyncToken: start } = await readAll(`/${calendarId}`, everything());
      const quiet = await changes(start);
      expect(quiet.items).toEqual([]);

      const fresh = await create({ title: 'Fresh', ...at('2032-01-07T09:00:00Z') });
      await call('PUT', 'events', `/${calendarId}/${kept.id}`, { body: { title: 'Changed' } });
      await call('DELETE', 'events', `/${calendarId}/${doomed.id}`);
      const { items, nextSyncToken } = await changes(quiet.nextSyncToken);
      const changed = byId(items);
      expect([...changed.keys()].sort()).toEqual([fresh.id, kept.id, doomed.id].sort());
      expect(changed.get(fresh.id)).toMatchObject({ title: 'Fresh', isCancelled: false });
      expect(changed.get(kept.id)).toMatchObject({ title: 'Changed', isCancelled: false });
      expect(changed.get(doomed.id)).toMatchObject({ isCancelled: true });
      expect((await changes(nextSyncToken)).items).toEqual([]);
      // The same token tells the same again.
      expect(byId((await changes(quiet.nextSyncToken)).items)).toEqual(changed);
    });

    it('tells what others changed', async () => {
      const { create, calendarId, readAll, subject } = fixture();
      const one = await create({ title: 'One', ...at('2032-02-05T09:00:00Z') });
      const two = await create({ title: 'Two', ...at('2032-02-06T09:00:00Z') });
      const { nextSyncToken } = await readAll(`/${calendarId}`, everything());
      await subject.elsewhere.retitle(calendarId, one.id, 'One of theirs');
      await subject.elsewhere.remove(calendarId, two.id);
      const changed = byId((await changes(nextSyncToken)).items);
      expect(changed.get(one.id)).toMatchObject({ title: 'One of theirs' });
      expect(changed.get(two.id)).toMatchObject({ isCancelled: true });
    });

    it('misses no change between the pages of the full read and the first sync', async () => {
      const { create, call, calendarId } = fixture();
      const early = await create({ title: 'Early', ...at('2032-03-05T09:00:00Z') });
      const first = await call('GET', 'events', `/${calendarId}`, {
        query: { ...everything(), pageSize: 1 },
      });
      await call('PUT', 'events', `/${calendarId}/${early.id}`, { body: { title: 'Changed while paging' } });
      const during = await create({ title: 'Made while paging', ...at('2032-03-06T09:00:00Z') });
      const seen = new Map<string, any>(first.body.data.map((item: any) => [item.id, item]));
      let pageToken = first.body.nextPageToken;
      let syncToken = first.body.nextSyncToken;
      while (pageToken) {
        const { body } = await call('GET', 'events', `/${calendarId}`, { query: { pageSize: 50, pageToken } });
        for (const item of body.data) seen.set(item.id, item);
        pageToken = body.nextPageToken;
        syncToken = body.nextSyncToken;
      }
      for (const item of (await changes(syncToken)).items) seen.set(item.id, item);
      expect(seen.get(early.id)).toMatchObject({ title: 'Changed while paging' });
      expect(seen.get(during.id)).toMatchObject({ title: 'Made while paging' });
    });

    it.each([
      ['another title', false],
      ['another title', true],
      ['deleted', false],
      ['deleted', true],
    ])('misses nothing of a series that changes between two pages of it: %s, expanded %s', async (change, expanded) => {
      const { create, call, calendarId } = fixture();
      const window = { startDateTime: '2032-08-01T00:00:00Z', endDateTime: '2032-09-01T00:00:00Z' };
      const query = { ...window, ...(expanded && { expandRecurrences: true }) };
      const series = await create({
        ...{ title: 'Old', recurrence: ['RRULE:FREQ=DAILY;COUNT=4'] },
        ...at('2032-08-02T09:00:00Z'),
      });
      const path = `/${calendarId}/${series.id}`;
      for (const day of ['03', '04']) {
        await call('PUT', 'events', `${path}_203208${day}T090000Z`, { body: { title: `Own ${day}` } });
      }
      const seen = new Map<string, any>();
      const read = async (start: object, between = async () => {}) => {
        let { body } = await call('GET', 'events', `/${calendarId}`, { query: { ...start, pageSize: 1 } });
        await between();
        for (;;) {
          for (const item of body.data) seen.set(item.id, item);
          if (body.nextPageToken === undefined) return body.nextSyncToken;
          const { nextPageToken: pageToken } = body;
          ({ body } = await call('GET', 'events', `/${calendarId}`, { query: { pageToken, pageSize: 1 } }));
        }
      };
      const shown = () => [...seen.values()].filter(({ isCancelled }) => !isCancelled);
      const compare = async () => {
        const copy = shown().map(({ id, title }) => `${id} ${title}`);
        seen.clear();
        await read(query);
        expect(copy.toSorted()).toEqual(
          shown()
            .map(({ id, title }) => `${id} ${title}`)
            .toSorted(),
        );
      };
      const first = await read(query, async () => {
        await call('DELETE', 'events', `${path}_20320804T090000Z`);
      });
      const second = await read({ syncToken: first });
      const copied = [...seen];
      await compare();
      seen.clear();
      for (const [id, item] of copied) seen.set(id, item);
      await call('PUT', 'events', path, { body: { location: 'Room 1' } });
      const third = await read({ syncToken: second }, async () => {
        if (change === 'deleted') await call('DELETE', 'events', path);
        else {
          await call('DELETE', 'events', `${path}_20320803T090000Z`);
          await call('PUT', 'events', path, { body: { title: 'New' } });
        }
      });
      await read({ syncToken: third });
      await compare();
      await call('DELETE', 'events', path);
    });

    it('keeps no event that was made and deleted between two pages of changes and the next sync', async () => {
      const { create, call, calendarId, readAll } = fixture();
      const { nextSyncToken: syncToken } = await readAll(`/${calendarId}`, everything());
      const make = (title: string) => create({ title, ...at('2032-05-20T09:00:00Z') });
      const made = [await make('First'), await make('Second')];
      const page = (query: object) => call('GET', 'events', `/${calendarId}`, { query: { pageSize: 1, ...query } });
      let { body } = await page({ syncToken });
      const seen = byId(body.data);
      const brief = await Promise.all(Array.from({ length: 8 }, (_, n) => make(`Brief ${n}`)));
      while (body.nextPageToken !== undefined) {
        ({ body } = await page({ pageToken: body.nextPageToken, pageSize: 50 }));
        for (const item of body.data) seen.set(item.id, item);
      }
      await Promise.all(brief.map(({ id }) => call('DELETE', 'events', `/${calendarId}/${id}`)));
      for (const item of (await changes(body.nextSyncToken)).items) seen.set(item.id, item);
      const live = [...seen.values()].filter(({ isCancelled }) => !isCancelled);
      expect(live.map(({ title }) => title).toSorted()).toEqual(['First', 'Second']);
      await Promise.all(made.map(({ id }) => call('DELETE', 'events', `/${calendarId}/${id}`)));
    });

    it('pages the changes', async () => {
      const { create, calendarId, readAll } = fixture();
      const { nextSyncToken } = await readAll(`/${calendarId}`, everything());
      const made: string[] = [];
      for (let hour = 8; hour < 13; hour += 1) {
        made.push(
          (await create({ title: `Paged ${hour}`, ...at(`2032-04-05T${String(hour).padStart(2, '0')}:00:00Z`) })).id,
        );
      }
      const paged = await readAll(`/${calendarId}`, { syncToken: nextSyncToken, pageSize: 2 });
      expect(paged.items.map(({ id }) => id).sort()).toEqual([...made].sort());
      expect(paged.pages).toBe(3);
    });

    it('tells of an event that left the window, and of one that came in', async () => {
      const { create, call, calendarId, readAll } = fixture();
      const window = { startDateTime: '2032-05-01T00:00:00Z', endDateTime: '2032-05-08T00:00:00Z' };
      const leaving = await create({ title: 'Leaving', ...at('2032-05-03T09:00:00Z') });
      const coming = await create({ title: 'Coming', ...at('2032-06-03T09:00:00Z') });
      const outside = await create({ title: 'Outside', ...at('2032-06-04T09:00:00Z') });
      const { items, nextSyncToken } = await readAll(`/${calendarId}`, window);
      expect(items.map(({ id }) => id)).toEqual([leaving.id]);
      expect((await changes(nextSyncToken)).items).toEqual([]);
      await call('PUT', 'events', `/${calendarId}/${leaving.id}`, { body: at('2032-06-05T09:00:00Z') });
      await call('PUT', 'events', `/${calendarId}/${coming.id}`, { body: at('2032-05-05T09:00:00Z') });
      await call('PUT', 'events', `/${calendarId}/${outside.id}`, { body: { title: 'Still outside' } });
      const changed = byId((await changes(nextSyncToken)).items);
      expect(changed.get(leaving.id)).toMatchObject({ isCancelled: true });
      expect(changed.get(coming.id)).toMatchObject({ title: 'Coming', isCancelled: false });
      expect(changed.has(outside.id)).toBe(false);
    });

    it('keeps an expanded window true through every edit of a series', async () => {
      const { create, call, calendarId, readAll } = fixture();
      const window = {
        startDateTime: '2032-07-01T00:00:00Z',
        endDateTime: '2032-07-08T00:00:00Z',
        expandRecurrences: true,
      };
      const series = await create({
        title: 'Standup',
        ...at('2032-07-01T09:00:00Z'),
        recurrence: ['RRULE:FREQ=DAILY;COUNT=5'],
      });
      const first = await readAll(`/${calendarId}`, window);
      const mirror = byId(first.items);
      let token = first.nextSyncToken;
      const path = `/${calendarId}/${series.id}`;
      const edits = [
        () => call('PUT', 'events', `${path}_20320702T090000Z`, { body: { title: 'Special' } }),
        () => call('DELETE', 'events', `${path}_20320703T090000Z`),
        () => call('PUT', 'events', path, { body: at('2032-07-01T11:00:00Z') }),
        () => call('PUT', 'events', path, { body: { recurrence: ['RRULE:FREQ=DAILY;COUNT=2'] } }),
        () => call('DELETE', 'events', path),
      ];
      for (const edit of edits) {
        expect((await edit()).status).toBe(200);
        const { items, nextSyncToken } = await changes(token);
        token = nextSyncToken;
        for (const item of items) {
          if (item.isCancelled) mirror.delete(item.id);
          else mirror.set(item.id, item);
        }
        const truth = byId((await readAll(`/${calendarId}`, window)).items);
        expect(mirror).toEqual(truth);
      }
      expect(mirror.size).toBe(0);
    });

    it('keeps whole series true when one with a changed instance gets times', async () => {
      const { create, call, calendarId, readAll } = fixture();
      const window = { startDateTime: '2032-08-01T00:00:00Z', endDateTime: '2032-10-01T00:00:00Z' };
      const series = await create({
        title: 'Watch',
        start: { date: '2032-08-20' },
        end: { date: '2032-08-21' },
        recurrence: ['RRULE:FREQ=WEEKLY;COUNT=4'],
      });
      const path = `/${calendarId}/${series.id}`;
      const instances = await readAll(`/${calendarId}`, { ...window, expandRecurrences: true });
      const named = await call('PUT', 'events', `/${calendarId}/${instances.items[1].id}`, {
        body: { title: 'Special' },
      });
      expect(named.status).toBe(200);
      const first = await readAll(`/${calendarId}`, window);
      const copy = byId(first.items);
      expect((await call('PUT', 'events', path, { body: at('2032-08-13T09:00:00Z') })).status).toBe(200);
      for (const item of (await changes(first.nextSyncToken)).items) {
        if (item.isCancelled) copy.delete(item.id);
        else copy.set(item.id, item);
      }
      expect(copy).toEqual(byId((await readAll(`/${calendarId}`, window)).items.filter((item) => !item.isCancelled)));
      expect((await call('DELETE', 'events', path)).status).toBe(200);
    });

    it('takes nothing but pageSize, pageToken and timeZone along with a sync token', async () => {
      const { call, calendarId, readAll } = fixture();
      const { nextSyncToken: syncToken } = await readAll(`/${calendarId}`, everything());
      const good = await call('GET', 'events', `/${calendarId}`, {
        query: { syncToken, pageSize: 10, timeZone: 'UTC' },
      });
      expect(good.status).toBe(200);
      const bad = await call('GET', 'events', `/${calendarId}`, { query: { syncToken, search: 'x' } });
      expect(bad.status).toBe(400);
      expect(bad.body.details[0].path).toBe('search');
    });
  });
}

import { isFullEvent, type EventItem } from '#domain/events';
import { WHOLE_CALENDAR, type EventQuery } from '#domain/providers';
import { FakeCalDav, type FakeCalDavOptions } from '../../support/fake-caldav.js';
import { JUNE, object, openCalendar, put, titles, type OpenedCalendar } from '../../support/opened-calendar.js';

const EXPANDED = { ...JUNE, expandRecurrences: true };

const meeting = (title: string) => ({
  title,
  start: { kind: 'dateTime' as const, local: '2027-06-10T09:00:00', offsetMinutes: 0, timeZone: null },
});

describe('CalDAV events on a server with', () => {
  let opened: OpenedCalendar | undefined;
  afterEach(async () => {
    await opened?.close();
    opened = undefined;
  });
  const given = async (options: FakeCalDavOptions = {}) => (opened = await openCalendar(options));

  describe('its own ways of syncing', () => {
    it.each<[string, FakeCalDavOptions]>([
      ['sync-collection', {}],
      ['sync-collection in pages cut by 507', { syncPageSize: 2 }],
      ['sync-collection that is not announced', { reportSet: 'absent' }],
      ['reports announced without the inner element', { reportSet: 'without-inner-report' }],
      ['no sync-collection (403)', { syncCollection: 403 }],
      ['no sync-collection (400)', { syncCollection: 400 }],
      ['no sync-collection (405)', { syncCollection: 405 }],
      ['no sync-collection (415)', { syncCollection: 415 }],
      ['no sync-collection (422)', { syncCollection: 422 }],
      ['no sync-collection (501)', { syncCollection: 501 }],
      ['neither sync-collection nor change tags', { syncCollection: 501, changeTags: 'none' }],
      ['no sync-collection and no ETags', { syncCollection: 501, etags: 'none', putEtag: 'none' }],
      ['no sync-collection and weak ETags', { syncCollection: 501, etags: 'weak', putEtag: 'weak' }],
      ['the collection in its own listing', { ownListing: true }],
      ['escapes in lower case', { hrefStyle: 'lower-case-escapes' }],
      ['hrefs that are not escaped', { hrefStyle: 'decoded' }],
      ['absolute hrefs', { hrefStyle: 'absolute' }],
    ])('%s: tells new, changed and deleted, and nothing twice', async (_name, options) => {
      const { fake, work, list } = await given(options);
      for (const name of ['one', 'two', 'three', 'f%C3%BCnf%20%40'])
        await put(fake, work, `${name}.ics`, object(name, name));
      const full = await list();
      expect(titles(full.items)).toEqual(['f%C3%BCnf%20%40', 'one', 'three', 'two']);
      const quiet = await list(WHOLE_CALENDAR, full.nextSync);
      expect(quiet.items).toEqual([]);
      await put(fake, work, 'one.ics', object('one', 'one changed'));
      await put(fake, work, 'four.ics', object('four', 'four'));
      const two = full.items.find((item) => isFullEvent(item) && item.title === 'two')!;
      await opened!.provider.deleteEvent(opened!.session, opened!.calendarId, two.id, {});
      const changed = await list(WHOLE_CALENDAR, quiet.nextSync, 1);
      expect(titles(changed.items)).toEqual([`gone ${two.id}`, 'four', 'one changed'].sort());
      expect((await list(WHOLE_CALENDAR, changed.nextSync)).items).toEqual([]);
    });

    it.each([403, 409, 410, 412, 500] as const)(
      'a token refused with %i: SyncTokenExpired',
      async (invalidSyncToken) => {
        const { fake, work, list } = await given({ invalidSyncToken });
        await put(fake, work, 'one.ics', object('one', 'one'));
        await expect(list(WHOLE_CALENDAR, { kind: 'token', token: 'stale' })).rejects.toMatchObject({
          code: 'SyncTokenExpired',
        });
      },
    );

    describe('tokens that are forgotten after a week, and then answered like none (DAViCal)', () => {
      const WEEK_MS = 7 * 86_400_000;
      const stored = async () => {
        const fixture = await given({ invalidSyncToken: 'as-initial' });
        for (const name of ['one', 'two']) await put(fixture.fake, fixture.work, `${name}.ics`, object(name, name));
        const full = await fixture.list();
        fixture.clock.aheadMs = WEEK_MS;
        return { ...fixture, full };
      };

      it('a forgotten token: SyncTokenExpired, for nobody could tell what is gone', async () => {
        const { work, list, full } = await stored();
        work.remove('one.ics');
        work.oldestRevision = work.revision;
        await expect(list(WHOLE_CALENDAR, full.nextSync)).rejects.toMatchObject({ code: 'SyncTokenExpired' });
        work.remove('two.ics');
        work.oldestRevision = work.revision;
        await expect(list(WHOLE_CALENDAR, full.nextSync)).rejects.toMatchObject({ code: 'SyncTokenExpired' });
      });

      it('one that is still known: what changed', async () => {
        const { fake, work, list, full } = await stored();
        await put(fake, work, 'one.ics', object('one', 'changed'));
        expect(titles((await list(WHOLE_CALENDAR, full.nextSync)).items)).toEqual(['changed']);
      });

      it('one that was confirmed within the week: what changed, however much that is', async () => {
        const { fake, work, list, full, clock } = await stored();
        clock.aheadMs = WEEK_MS / 2;
        const quiet = await list(WHOLE_CALENDAR, full.nextSync);
        clock.aheadMs = WEEK_MS;
        for (const name of ['one', 'two']) await put(fake, work, `${name}.ics`, object(name, `${name} changed`));
        const changed = await list(WHOLE_CALENDAR, quiet.nextSync);
        expect(titles(changed.items)).toEqual(['one changed', 'two changed']);
      });
    });

    it('a snapshot that is gone: SyncTokenExpired', async () => {
      const { list, snapshots } = await given({ syncCollection: 501 });
      const { nextSync } = await list();
      snapshots.snapshots.clear();
      await expect(list(WHOLE_CALENDAR, nextSync)).rejects.toMatchObject({ code: 'SyncTokenExpired' });
    });

    it.each<[string, FakeCalDavOptions]>([
      ['sync-collection', {}],
      ['no sync-collection', { syncCollection: 501 }],
    ])('%s: tells of changed instances that others took back', async (_name, options) => {
      const { fake, work, list, snapshots } = await given(options);
      const override = (uid: string, day: string) => [
        'END:VEVENT',
        'BEGIN:VEVENT',
        `UID:${uid}`,
        'DTSTAMP:20260101T000000Z',
        `RECURRENCE-ID:${day}T090000Z`,
        `DTSTART:${day}T110000Z`,
        `DTEND:${day}T120000Z`,
        'SUMMARY:moved',
      ];
      const series = (uid: string, days: string[]) =>
        object(uid, uid, ['RRULE:FREQ=DAILY;COUNT=9', ...days.flatMap((day) => override(uid, day))]);
      for (const uid of ['a', 'b', 'c']) await put(fake, work, `${uid}.ics`, series(uid, ['20270612', '20270613']));
      const full = await list(WHOLE_CALENDAR, null, 2);
      expect(full.items).toHaveLength(9);
      const a = full.items.find((item) => isFullEvent(item) && item.title === 'a')!.id;
      const c = full.items.find((item) => isFullEvent(item) && item.title === 'c')!.id;
      await put(fake, work, 'a.ics', series('a', ['20270613']));
      await put(fake, work, 'c.ics', series('c', []));
      const changed = await list(WHOLE_CALENDAR, full.nextSync, 2);
      // They take place as the series says: "cancelled" would hide them from whoever expands it himself.
      const instances = (items: EventItem[]) =>
        items.flatMap((item) =>
          isFullEvent(item) && item.recurringEventId !== undefined ? [[item.id, item.title]] : [],
        );
      expect(instances(changed.items)).toEqual([
        [`${a}_20270613T090000Z`, 'moved'],
        [`${a}_20270612T090000Z`, 'a'],
        [`${c}_20270612T090000Z`, 'c'],
        [`${c}_20270613T090000Z`, 'c'],
      ]);
      // Told once for each change of the series; what is left is still remembered.
      expect((await list(WHOLE_CALENDAR, changed.nextSync)).items).toEqual([]);
      await put(fake, work, 'a.ics', series('a', []));
      expect(instances((await list(WHOLE_CALENDAR, changed.nextSync)).items)).toEqual([
        [`${a}_20270613T090000Z`, 'a'],
        [`${a}_20270612T090000Z`, 'a'],
      ]);
      await put(fake, work, 'b.ics', object('b', 'b', ['RRULE:FREQ=DAILY;COUNT=2']));
      const b = full.items.find((item) => isFullEvent(item) && item.title === 'b')!.id;
      const shortened = (await list(WHOLE_CALENDAR, changed.nextSync)).items.filter((item) => !isFullEvent(item));
      expect(shortened.map(({ id }) => id)).toEqual([`${b}_20270612T090000Z`, `${b}_20270613T090000Z`]);
      if (options.syncCollection !== undefined) return;
      // Without the memory nobody could tell what is gone.
      snapshots.snapshots.clear();
      await expect(list(WHOLE_CALENDAR, changed.nextSync)).rejects.toMatchObject({ code: 'SyncTokenExpired' });
    });

    it('a change between listing and the last page is told by the next sync', async () => {
      const { fake, work, provider, session, calendarId, list } = await given({ syncCollection: 501 });
      for (const name of ['a', 'b', 'c']) await put(fake, work, `${name}.ics`, object(name, name));
      const first = await provider.listEvents(session, calendarId, {
        query: WHOLE_CALENDAR,
        pageSize: 2,
        page: null,
        sync: null,
      });
      await put(fake, work, 'a.ics', object('a', 'a changed'));
      const second = await provider.listEvents(session, calendarId, {
        query: WHOLE_CALENDAR,
        pageSize: 2,
        page: first.nextPage,
        sync: null,
      });
      expect(titles((await list(WHOLE_CALENDAR, second.nextSync)).items)).toEqual(['a changed']);
    });
  });

  describe('a time-range filter that judges a series by its first instance only', () => {
    it.each([
      ['which tells what recurs', true],
      ['which cannot even tell what recurs', false],
    ])('%s: nothing is missed', async (_name, reports) => {
      const { fake, work, list } = await given();
      const daily = object('daily', 'daily', ['RRULE:FREQ=DAILY']);
      await put(fake, work, 'daily.ics', daily.replaceAll('202706', '202601'));
      await put(fake, work, 'single.ics', object('single', 'single'));
      fake.switches.intercept = ({ body }) => {
        if (body.includes('prop-filter') && !reports) return { status: 403 };
        if (!body.includes('time-range')) return undefined;
        const [, start = '', end = ''] = /start="(\d{8})[^"]*" end="(\d{8})/.exec(body) ?? [];
        const names = [...work.objects].filter(([, { body: text }]) => {
          const [, day = ''] = /DTSTART:(\d{8})/.exec(text) ?? [];
          return day >= start && day <= end;
        });
        const responses = names.map(
          ([name]) =>
            `<D:response><D:href>${work.path}${name}</D:href><D:propstat><D:prop><D:getetag>"1"</D:getetag></D:prop><D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>`,
        );
        return {
          status: 207,
          body: `<?xml version="1.0"?><D:multistatus xmlns:D="DAV:">${responses.join('')}</D:multistatus>`,
        };
      };
      expect(titles((await list(JUNE)).items)).toEqual(['daily', 'single']);
      expect(titles((await list(JUNE)).items)).toEqual(['daily', 'single']);
    });

    it('is not asked for its series any more once it was seen to find later instances', async () => {
      const { fake, work, list } = await given();
      // A small calendar is read as a whole.
      for (let number = 0; number <= 500; number += 1) {
        work.put(`${number}.ics`, object(`old ${number}`, 'old').replaceAll('20270610', '20010610'));
      }
      const now = new Date();
      const stamp = (date: Date) => date.toISOString().slice(0, 10).replaceAll('-', '');
      await put(
        fake,
        work,
        'daily.ics',
        object('daily', 'daily', ['RRULE:FREQ=DAILY']).replaceAll('20270610', stamp(now)),
      );
      const soon = { ...WHOLE_CALENDAR, window: { startMs: now.getTime(), endMs: now.getTime() + 10 * 86_400_000 } };
      await list(soon);
      const asked = () => fake.requests.filter(({ body }) => body.includes('prop-filter')).length;
      const first = asked();
      expect(first).toBeGreaterThan(0);
      expect(titles((await list(soon)).items)).toEqual(['daily']);
      expect(asked()).toBe(first);
    });
  });

  describe('objects that are hard to read', () => {
    it('one that cannot be parsed: left out and reported with its href', async () => {
      const { fake, work, list, unreadable } = await given();
      await put(fake, work, 'good.ics', object('good', 'good'));
      work.put('bad.ics', 'this is no calendar');
      expect(titles((await list()).items)).toEqual(['good']);
      expect(unreadable.objects.map(({ href }) => href)).toEqual([expect.stringContaining('bad.ics')]);
    });

    it('one that cannot be parsed, by its id: named as such, and it can be deleted', async () => {
      const { work, provider, session, calendarId } = await given();
      work.put('bad.ics', 'this is no calendar');
      const id = Buffer.from('bad.ics').toString('base64url');
      const unreadable = { code: 'ProviderUnavailable', provider: { code: 'object-unreadable', retryable: false } };
      await expect(provider.getEvent(session, calendarId, id)).rejects.toMatchObject(unreadable);
      for (const attempt of [
        provider.getEvent(session, calendarId, `${id}_20270610`),
        provider.deleteEvent(session, calendarId, `${id}_20270610`, {}),
        provider.respond(session, calendarId, id, 'accepted', {}),
      ]) {
        await expect(attempt).rejects.toMatchObject(unreadable);
      }
      await expect(provider.updateEvent(session, calendarId, id, { title: 'x' }, {})).rejects.toMatchObject({
        code: 'Conflict',
      });
      expect(work.objects.size).toBe(1);
      await provider.deleteEvent(session, calendarId, id, {});
      expect(work.objects.size).toBe(0);
    });

    it.each(['X-DTSTART:none', 'DTSTART:20270230T090000Z'])('one that says %s: left out and reported', async (line) => {
      const { fake, work, list, unreadable } = await given();
      await put(fake, work, 'good.ics', object('good', 'good'));
      await put(fake, work, 'bad.ics', object('bad', 'bad').replace('DTSTART:20270610T090000Z', line));
      expect(titles((await list()).items)).toEqual(['good']);
      expect(unreadable.objects.map(({ href }) => href)).toEqual([expect.stringContaining('bad.ics')]);
    });

    it.each([
      ['FREQ=SECONDLY', 'refused by its id'],
      ['FREQ=SOMETIMES', 'left out and told of'],
      ['RSCALE=CHINESE;FREQ=YEARLY', 'left out and told of'],
    ])('N49 a series of RRULE:%s: never in an expanded list as what it is, but %s', async (rule, outcome) => {
      const { work, list, provider, session, calendarId, unreadable } = await given();
      work.put('good.ics', object('good', 'good'));
      const before = await list(EXPANDED);
      work.put('bad.ics', object('bad', 'bad', [`RRULE:${rule}`]));
      const rejected = {
        code: 'ValidationFailed',
        message: expect.stringContaining(Buffer.from('bad.ics').toString('base64url')),
      };
      const lists = [
        () => list(EXPANDED),
        () => list({ ...EXPANDED, orderBy: 'startDateTime' }),
        () => list(EXPANDED, before.nextSync),
      ];
      for (const [at, read] of lists.entries()) {
        if (outcome === 'refused by its id') await expect(read()).rejects.toMatchObject(rejected);
        else expect(titles((await read()).items)).toEqual(at === 2 ? [] : ['good']);
      }
      expect(unreadable.objects.map(({ href }) => href)).toContainEqual(expect.stringContaining('bad.ics'));
      expect(titles((await list(JUNE)).items)).toEqual(['bad', 'good']);
      const series = (await list(JUNE)).items.find((item) => isFullEvent(item) && item.title === 'bad')!;
      const occurrences = provider.listOccurrences(session, calendarId, series.id, {
        query: EXPANDED,
        pageSize: 10,
        page: null,
        sync: null,
      });
      await expect(occurrences).rejects.toMatchObject(rejected);
      // Once it is gone, the list goes on where it was.
      work.remove('bad.ics');
      expect((await list(EXPANDED, before.nextSync)).items).toEqual([]);
    });

    it('N49 a series of every second: the list names the series, its occurrences are too many', async () => {
      const { fake, work, list, unreadable, provider, session, calendarId } = await given();
      await put(fake, work, 'good.ics', object('good', 'good'));
      await put(
        fake,
        work,
        'bad.ics',
        object('bad', 'every second', ['RRULE:FREQ=SECONDLY']).replaceAll('2027', '1970'),
      );
      const { items } = await list(JUNE);
      expect(titles(items)).toEqual(['every second', 'good']);
      const series = items.find((item) => isFullEvent(item) && item.title === 'every second')!;
      expect(series).toMatchObject({ isRecurring: true, recurrence: ['RRULE:FREQ=SECONDLY'] });
      await expect(list(EXPANDED)).rejects.toMatchObject({
        code: 'ValidationFailed',
        message: expect.stringContaining(series.id),
      });
      expect(unreadable.objects.map(({ href }) => href)).toContainEqual(expect.stringContaining('bad.ics'));
      await expect(
        provider.listOccurrences(session, calendarId, series.id, {
          query: EXPANDED,
          pageSize: 10,
          page: null,
          sync: null,
        }),
      ).rejects.toMatchObject({ code: 'ValidationFailed' });
    });

    it('one that became a task: told as gone', async () => {
      const { fake, work, list } = await given();
      await put(fake, work, 'one.ics', object('one', 'one'));
      const full = await list();
      await put(fake, work, 'one.ics', object('one', 'one').replaceAll('VEVENT', 'VTODO').replace('DTEND', 'DUE'));
      expect((await list(WHOLE_CALENDAR, full.nextSync)).items).toEqual([{ id: full.items[0]!.id, isCancelled: true }]);
    });
  });

  describe('multiget', () => {
    it.each(['per-item', 'omitted', 'whole-404', 'whole-403'] as const)(
      'missing hrefs %s: the others are read',
      async (multigetMissing) => {
        const { fake, work, list } = await given({ multigetMissing });
        for (const name of ['a', 'b', 'c']) await put(fake, work, `${name}.ics`, object(name, name));
        fake.switches.intercept = (request) => {
          // Deleted by someone else right after it was listed.
          if (request.body.includes('calendar-multiget')) work.objects.delete('b.ics');
          return undefined;
        };
        expect(titles((await list()).items)).toEqual(['a', 'c']);
      },
    );

    it('a stale 404 for an object that was just listed: asked for once more', async () => {
      const { fake, work, list } = await given();
      await put(fake, work, 'a.ics', object('a', 'a'));
      fake.switches.staleHrefs.add(`${work.path}a.ics`);
      expect(titles((await list()).items)).toEqual(['a']);
    });

    it('hrefs of another origin: ignored, and nothing is sent there', async () => {
      const other = await FakeCalDav.start();
      try {
        const { fake, work, list } = await given({ foreignHrefs: [`${other.url}calendars/alice/work/evil.ics`] });
        await put(fake, work, 'a.ics', object('a', 'a'));
        expect(titles((await list()).items)).toEqual(['a']);
        expect(titles((await list(JUNE)).items)).toEqual(['a']);
        expect(other.requests).toEqual([]);
      } finally {
        await other.close();
      }
    });
  });

  describe('writing', () => {
    const create = ({ provider, session, calendarId }: OpenedCalendar, title = 'new', options = {}) =>
      provider.createEvent(session, calendarId, meeting(title), options);

    it.each<[string, FakeCalDavOptions]>([
      ['no ETag on PUT', { putEtag: 'none' }],
      ['weak ETags', { etags: 'weak', putEtag: 'weak' }],
      ['no ETags at all', { etags: 'none', putEtag: 'none' }],
      ['ETags that no header can carry', { etags: 'euro', putEtag: 'none' }],
      ['another name, told by Location', { renameOnPut: 'location' }],
      ['another name, not told', { renameOnPut: 'silent' }],
      ['another name, not told, beside an object that is gone', { renameOnPut: 'silent', foreignHrefs: ['/gone.ics'] }],
      ['scheduling and Schedule-Tag', { davHeader: '1, calendar-access, calendar-auto-schedule', scheduleTags: true }],
      [
        'a body that it rewrites',
        { rewrite: (body: string) => body.replace('END:VEVENT', 'X-SERVER:1\r\nEND:VEVENT') },
      ],
    ])('%s: creates, changes and deletes', async (_name, options) => {
      const fixture = await given(options);
      const { provider, session, calendarId, work } = fixture;
      const { event } = await create(fixture);
      expect(event).toMatchObject({ title: 'new', iCalUid: expect.any(String) });
      const changed = await provider.updateEvent(session, calendarId, event.id, { title: 'changed' }, {});
      expect(changed.event).toMatchObject({ id: event.id, title: 'changed' });
      await provider.deleteEvent(session, calendarId, event.id, {});
      expect(work.objects.size).toBe(0);
    });

    it('sends If-None-Match on create and If-Match on change and delete', async () => {
      const fixture = await given();
      const { provider, session, calendarId, fake } = fixture;
      const { event } = await create(fixture);
      await provider.updateEvent(session, calendarId, event.id, { title: 'changed' }, {});
      await provider.deleteEvent(session, calendarId, event.id, {});
      const [created, changed] = fake.requestsOf('PUT');
      expect(created!.headers['if-none-match']).toBe('*');
      expect(changed!.headers['if-match']).toBe(`"${event.etag}"`);
      expect(fake.requestsOf('DELETE')[0]!.headers['if-match']).toMatch(/^"/);
    });

    it('never sends a weak tag in If-Match, and still loses no concurrent change', async () => {
      const fixture = await given({ etags: 'weak', putEtag: 'weak' });
      const { provider, session, calendarId, fake, work } = fixture;
      const { event } = await create(fixture);
      const [name, stored] = [...work.objects][0]!;
      let reads = 0;
      fake.switches.intercept = (request) => {
        // Someone else writes right after our first read.
        if (request.method === 'GET' && (reads += 1) === 2) {
          work.objects.set(name, {
            ...stored,
            body: stored.body.replace('SUMMARY:new', 'SUMMARY:new\r\nLOCATION:theirs'),
          });
        }
        return undefined;
      };
      const changed = await provider.updateEvent(session, calendarId, event.id, { title: 'mine' }, {});
      expect(changed.event).toMatchObject({ title: 'mine', location: 'theirs' });
      expect(fake.requestsOf('PUT').some(({ headers }) => headers['if-match']?.startsWith('W/'))).toBe(false);
    });

    it('a 207 that hides a refused PUT: the inner status counts', async () => {
      const fixture = await given({ writeFailure: { status: 412, multistatus: true }, writeFailures: 0 });
      const { provider, session, calendarId, fake } = fixture;
      const { event } = await create(fixture);
      fake.switches.writeFailures = 1;
      const changed = await provider.updateEvent(session, calendarId, event.id, { title: 'changed' }, {});
      expect(changed.event.title).toBe('changed');
      fake.switches.writeFailures = Infinity;
      await expect(provider.updateEvent(session, calendarId, event.id, { title: 'x' }, {})).rejects.toMatchObject({
        code: 'Conflict',
      });
    });

    it.each([
      [{ status: 412 }, 'Conflict'],
      [{ status: 403 }, 'Forbidden'],
      [{ status: 403, precondition: '{DAV:}need-privileges' }, 'ReadOnlyCalendar'],
      [{ status: 403, precondition: '{urn:ietf:params:xml:ns:caldav}valid-calendar-data' }, 'ProviderRejected'],
      [{ status: 403, precondition: '{urn:ietf:params:xml:ns:caldav}max-resource-size' }, 'ProviderRejected'],
      [
        { status: 403, precondition: '{urn:ietf:params:xml:ns:caldav}allowed-attendee-scheduling-object-change' },
        'Forbidden',
      ],
      [{ status: 413 }, 'PayloadTooLarge'],
      [{ status: 423 }, 'Conflict'],
      [{ status: 507 }, 'ProviderRejected'],
      [{ status: 500 }, 'ProviderUnavailable'],
    ])('a change refused with %j: %s', async (writeFailure, code) => {
      const fixture = await given();
      const { provider, session, calendarId, fake } = fixture;
      const { event } = await create(fixture);
      fake.switches.writeFailure = writeFailure;
      await expect(provider.updateEvent(session, calendarId, event.id, { title: 'x' }, {})).rejects.toMatchObject({
        code,
      });
    });

    it('a stale If-Match of the caller: PreconditionFailed, and nothing is sent', async () => {
      const fixture = await given();
      const { provider, session, calendarId, fake } = fixture;
      const { event } = await create(fixture);
      const before = fake.requestsOf('PUT').length;
      await expect(
        provider.updateEvent(session, calendarId, event.id, { title: 'x' }, { ifMatch: 'other' }),
      ).rejects.toMatchObject({ code: 'PreconditionFailed' });
      expect(fake.requestsOf('PUT')).toHaveLength(before);
    });

    it('F23 an answer lost on the way: the same key finds the event, and makes no second one', async () => {
      const fixture = await given();
      const { fake, work } = fixture;
      let lost = false;
      fake.switches.intercept = (request) => {
        if (request.method !== 'GET' || lost || work.objects.size === 0) return undefined;
        lost = true;
        return { status: 500 };
      };
      await expect(create(fixture, 'once', { idempotencyKey: 'key' })).rejects.toMatchObject({
        code: 'ProviderUnavailable',
      });
      const { event } = await create(fixture, 'once', { idempotencyKey: 'key' });
      expect(event.title).toBe('once');
      expect(work.objects.size).toBe(1);
      const other = await create(fixture, 'once', { idempotencyKey: 'other key' });
      expect(other.event.id).not.toBe(event.id);
    });

    it.each(['before', 'after'])(
      'a connection that breaks %s the server has done it: one event, one change, and it is gone',
      async (when) => {
        const fixture = await given();
        const { provider, session, calendarId, fake, work } = fixture;
        const breakOnce = (method: string) => {
          let broken = false;
          fake.switches.intercept = (request) => {
            if (request.method !== method || broken) return undefined;
            broken = true;
            return when === 'before' ? 'reset' : 'reset-after';
          };
        };
        breakOnce('PUT');
        const { event } = await create(fixture);
        expect(work.objects.size).toBe(1);
        breakOnce('PUT');
        const changed = await provider.updateEvent(session, calendarId, event.id, { title: 'changed' }, {});
        expect(changed.event.title).toBe('changed');
        breakOnce('DELETE');
        await provider.deleteEvent(session, calendarId, event.id, {});
        expect(work.objects.size).toBe(0);
      },
    );

    it('an id that is none of ours: NotFound without a request', async () => {
      const { provider, session, calendarId, fake } = await given();
      await provider.getCalendar(session, calendarId);
      const before = fake.requests.length;
      for (const id of ['', '..', 'Li4', '%2e', 'a/b', 'x'.repeat(5000), 'Li4vc2VjcmV0', 'L2V0Yy9wYXNzd2Q']) {
        await expect(provider.getEvent(session, calendarId, id)).rejects.toMatchObject({ code: 'NotFound' });
      }
      expect(fake.requests.slice(before).map(({ path }) => path)).toEqual([]);
    });

    it('leaves every line that is not concerned as it was, byte for byte', async () => {
      const { fake, work, provider, session, calendarId, list } = await given();
      const more = [
        'X-APPLE-TRAVEL-DURATION;VALUE=DURATION:PT45M',
        'CONFERENCE;VALUE=URI;FEATURE=AUDIO,VIDEO:https://meet.example/1',
        'ATTACH;MANAGED-ID=7;FMTTYPE=text/plain:https://x.example/',
        '  ',
        'BEGIN:VALARM',
        'ACTION:DISPLAY',
        'TRIGGER:-PT5M',
        'X-WR-ALARMUID:A',
        'END:VALARM',
      ];
      await put(
        fake,
        work,
        'kept.ics',
        object(
          'kept',
          'before',
          more.filter((line) => line.trim() !== ''),
        ),
      );
      const [event] = (await list()).items;
      await provider.updateEvent(session, calendarId, event!.id, { title: 'after' }, {});
      const before = object(
        'kept',
        'before',
        more.filter((line) => line.trim() !== ''),
      ).split('\r\n');
      const after = work.objects.get('kept.ics')!.body.split('\r\n');
      const concerned = /^(SUMMARY|DTSTAMP|LAST-MODIFIED|SEQUENCE)/;
      expect(after.filter((line) => !concerned.test(line))).toEqual(before.filter((line) => !concerned.test(line)));
      expect(after).toContain('SUMMARY:after');
    });
  });

  it('N54 refuses to put more occurrences in order than a process should hold, whatever their series are few', async () => {
    const { fake, work, list } = await given();
    for (const name of ['one', 'two', 'three', 'four', 'five', 'six'])
      await put(fake, work, `${name}.ics`, object(name, name, ['RRULE:FREQ=DAILY;COUNT=4900']));
    const window = { startMs: Date.UTC(2027, 0, 1), endMs: Date.UTC(2047, 0, 1) };
    const query: EventQuery = { ...WHOLE_CALENDAR, window, expandRecurrences: true, orderBy: 'startDateTime' };
    await expect(list(query)).rejects.toMatchObject({
      code: 'ValidationFailed',
      details: [
        {
          path: 'orderBy',
          message: 'the range holds more than 25000 events, too many to be ordered; ask for a shorter one',
        },
      ],
    });
  });
});

import type { Calendar, CalendarInput, DeletedCalendar } from '#domain/calendars';
import type { JsonValue } from '#domain/system';
import {
  createCalendar,
  deleteCalendar,
  getCalendar,
  listCalendars,
  updateCalendar,
} from '../../../libs/providers/caldav/calendars.js';
import { toDomainError } from '../../../libs/providers/caldav/dav/dav-errors.js';
import { calendarIdOfPath, pathOfCalendarId } from '../../../libs/providers/caldav/ids.js';
import { CalDavBench, failure } from '../../support/caldav-account.js';
import { FakeCalDav, type FakeCalDavOptions } from '../../support/fake-caldav.js';

const COLOR = '{http://apple.com/ns/ical/}calendar-color';
const ORDER = '{http://apple.com/ns/ical/}calendar-order';
const ZONE = '{urn:ietf:params:xml:ns:caldav}calendar-timezone';
const ZONE_ID = '{urn:ietf:params:xml:ns:caldav}calendar-timezone-id';
const NAME = '{DAV:}displayname';
const CALENDAR_TYPE = '{urn:ietf:params:xml:ns:caldav}calendar';

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

async function start(options: FakeCalDavOptions = {}) {
  const fake = await FakeCalDav.start(options);
  const bench = new CalDavBench(fake);
  open.push(fake, bench);
  const connection = await bench.connection();
  const list = async (sync: JsonValue | null = null, pageSize = 100) => {
    const items: (Calendar | DeletedCalendar)[] = [];
    for (let page: JsonValue | null = null; ;) {
      // Tokens travel as JSON.
      const response = await listCalendars(connection, { pageSize, page, sync });
      items.push(...response.items);
      if (response.nextPage === null)
        return { items, nextSync: JSON.parse(JSON.stringify(response.nextSync)) as JsonValue };
      page = JSON.parse(JSON.stringify(response.nextPage)) as JsonValue;
    }
  };
  const names = async () => (await list()).items.map((item) => ('name' in item ? item.name : item.id));
  return { fake, bench, connection, list, names };
}

describe('the calendar list', () => {
  it('shows a calendar in the public model', async () => {
    const { fake, list } = await start();
    const calendar = fake.addCalendar('w%C3%B6rk%40home', 'Wörk & <Home>');
    calendar.properties.set(NAME, 'Wörk &amp; &lt;Home&gt;');
    calendar.properties.set(COLOR, '#ff9500ff');
    calendar.properties.set(ZONE_ID, 'europe/berlin');
    expect((await list()).items).toEqual([
      {
        id: calendarIdOfPath('/calendars/alice/wörk@home/'),
        name: 'Wörk & <Home>',
        hexColor: '#FF9500',
        readOnly: false,
        isPrimary: false,
        isShared: false,
        timeZone: 'Europe/Berlin',
        inviteEmail: 'alice@example.test',
        allowedOnlineMeetingProviders: [],
      },
    ]);
  });

  it('fills in what the server does not say', async () => {
    const { fake, list } = await start();
    fake.addCalendar('no%20name');
    const [first] = (await list()).items;
    expect(first).toMatchObject({
      name: 'no name',
      timeZone: 'UTC',
      hexColor: expect.stringMatching(/^#[0-9A-F]{6}$/),
    });
    expect((await list()).items[0]).toEqual(first);
  });

  it('reads the zone of a whole VCALENDAR, Windows names included', async () => {
    const { fake, list } = await start();
    const zone = (tzid: string) =>
      `BEGIN:VCALENDAR\r\nBEGIN:VTIMEZONE\r\nTZID:${tzid}\r\nBEGIN:STANDARD\r\nDTSTART:19700101T000000\r\nTZOFFSETFROM:+0100\r\nTZOFFSETTO:+0100\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\nEND:VCALENDAR\r\n`;
    fake.addCalendar('a', 'a').properties.set(ZONE, zone('W. Europe Standard Time'));
    fake.addCalendar('b', 'b').properties.set(ZONE, 'garbage');
    expect((await list()).items.map((item) => 'timeZone' in item && item.timeZone)).toEqual(['Europe/Berlin', 'UTC']);
  });

  it('asks each calendar for its zone where listings leave it out (DAViCal), and not every time', async () => {
    const { fake, bench, connection, list } = await start({
      zonesListed: false,
      davHeader: '1, 2, 3, access-control, calendar-access, calendar-schedule, extended-mkcol, bind, addressbook',
    });
    const { calendar } = await createCalendar(connection, { name: 'Zoned', timeZone: 'Europe/Berlin' }, {});
    fake.addCalendar('zoneless', 'Zoneless');
    const zones = async () => (await list()).items.map((item) => 'timeZone' in item && item.timeZone);
    expect(await zones()).toEqual(['Europe/Berlin', 'UTC']);
    const asked = () => fake.requestsOf('PROPFIND').length;
    const before = asked();
    expect(await zones()).toEqual(['Europe/Berlin', 'UTC']);
    expect(asked() - before).toBe(1);
    // Somebody else sets another one.
    const other = fake.store.calendars.get('/calendars/alice/zoneless/')!;
    other.properties.set(ZONE, fake.store.calendars.get(pathOfCalendarId(calendar.id)!)!.properties.get(ZONE)!);
    bench.skewMs = 11 * 60_000;
    expect(await zones()).toEqual(['Europe/Berlin', 'Europe/Berlin']);
    other.properties.delete(ZONE);
    bench.skewMs = -3_600_000;
    expect(await zones()).toEqual(['Europe/Berlin', 'UTC']);
    expect(await getCalendar(connection, calendar.id)).toEqual(calendar);
  });

  it.each([
    ['#abc', '#AABBCC'],
    ['#abcd', '#AABBCC'],
    ['#12345678', '#123456'],
    ['Tomato ', '#FF6347'],
  ])('reads the colour %s', async (color, hexColor) => {
    const { fake, list } = await start();
    fake.addCalendar('a', 'a').properties.set(COLOR, color);
    expect((await list()).items).toMatchObject([{ hexColor }]);
  });

  it('hides what holds no events and keeps what is a calendar besides', async () => {
    const { fake, names } = await start();
    fake.addCalendar('tasks', 'Tasks').components = ['VTODO'];
    fake.addCalendar('any', 'Any').components = null;
    fake.addCalendar('inbox', 'Inbox').resourceTypes.push('{urn:ietf:params:xml:ns:caldav}schedule-inbox');
    fake.addCalendar('sogo', 'Sogo').resourceTypes.push('{urn:ietf:params:xml:ns:caldav}schedule-outbox');
    fake.addCalendar('trash', 'Trash').resourceTypes.push('{http://nextcloud.com/ns}deleted-calendar');
    fake.addCalendar('book', 'Book').resourceTypes = [
      '{DAV:}collection',
      '{urn:ietf:params:xml:ns:carddav}addressbook',
    ];
    fake.addCalendar('file.ics', 'File').resourceTypes = [];
    expect(await names()).toEqual(['Any', 'Sogo']);
  });

  it('ignores hrefs of another origin', async () => {
    const { fake, names } = await start({ foreignHrefs: ['https://evil.test/calendars/x/'] });
    fake.addCalendar('mine', 'Mine');
    expect(await names()).toEqual(['Mine']);
  });

  it('tells what is read-only and what is shared', async () => {
    const { fake, list } = await start();
    fake.addCalendar('own', '1');
    const shared = fake.addCalendar('shared', '2');
    shared.ownerHref = '/principals/bob/';
    shared.privileges = ['{DAV:}read', '{urn:ietf:params:xml:ns:caldav}read-free-busy'];
    fake.addCalendar('mine', '3').ownerHref = '/principals/alice';
    fake.addCalendar('cs', '4').resourceTypes.push('{http://calendarserver.org/ns/}shared');
    fake.addCalendar('feed', '5').resourceTypes.push('{http://calendarserver.org/ns/}subscribed');
    const { items } = await list();
    expect(items.map((item) => 'name' in item && [item.name, item.readOnly, item.isShared])).toEqual([
      ['1', false, false],
      ['2', true, true],
      ['3', false, false],
      ['4', false, true],
      ['5', true, false],
    ]);
  });

  it("pages in a fixed order: the user's, then by name", async () => {
    const { fake, list } = await start();
    for (const [segment, order] of [
      ['d', null],
      ['c', '3'],
      ['b', '20'],
      ['a', null],
      ['e', '-1'],
    ] as const) {
      const calendar = fake.addCalendar(segment, segment);
      if (order !== null) calendar.properties.set(ORDER, order);
    }
    const { items } = await list(null, 2);
    expect(items.map((item) => 'name' in item && item.name)).toEqual(['c', 'b', 'a', 'd', 'e']);
  });

  it('tells since a sync token what is new, changed and gone, and nothing else', async () => {
    const { fake, list } = await start();
    const kept = fake.addCalendar('kept', 'kept');
    const gone = fake.addCalendar('gone', 'gone');
    fake.addCalendar('same', 'same');
    const first = await list();
    expect((await list(first.nextSync)).items).toEqual([]);
    kept.put('x.ics', 'an event is no change of the calendar');
    expect((await list(first.nextSync)).items).toEqual([]);
    kept.properties.set(NAME, 'renamed');
    fake.addCalendar('new', 'new');
    fake.store.calendars.delete(gone.path);
    const second = await list(first.nextSync, 1);
    expect(second.items).toHaveLength(3);
    expect(second.items).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ name: 'renamed' }),
        expect.objectContaining({ name: 'new' }),
        { id: calendarIdOfPath(gone.path), isDeleted: true },
      ]),
    );
    expect((await list(second.nextSync)).items).toEqual([]);
  });

  it('does not lose what changes while it is paged', async () => {
    const { fake, connection, list } = await start();
    const a = fake.addCalendar('a', 'a');
    fake.addCalendar('b', 'b');
    const first = await listCalendars(connection, { pageSize: 1, page: null, sync: null });
    a.properties.set(NAME, 'a changed');
    const second = await listCalendars(connection, { pageSize: 1, page: first.nextPage, sync: null });
    expect(second.nextPage).toBeNull();
    expect((await list(second.nextSync)).items).toMatchObject([{ name: 'a changed' }]);
  });

  it.each([{}, 'x', { prefix: '/', calendars: [['a']] }, { prefix: 1, calendars: [] }] as JsonValue[])(
    'refuses a token it did not make: %j',
    async (token) => {
      const { connection } = await start();
      expect((await failure(listCalendars(connection, { pageSize: 1, page: null, sync: token }))).code).toBe(
        'PageTokenInvalid',
      );
      expect((await failure(listCalendars(connection, { pageSize: 1, page: token, sync: null }))).code).toBe(
        'PageTokenInvalid',
      );
    },
  );
});

describe('one calendar', () => {
  it('is read as it is now', async () => {
    const { fake, connection } = await start();
    const calendar = fake.addCalendar('a', 'before');
    const id = calendarIdOfPath(calendar.path);
    expect(await getCalendar(connection, id)).toMatchObject({ id, name: 'before' });
    calendar.properties.set(NAME, 'after');
    expect(await getCalendar(connection, id)).toMatchObject({ name: 'after' });
    fake.store.calendars.delete(calendar.path);
    expect((await failure(getCalendar(connection, id))).code).toBe('NotFound');
  });

  const encode = (text: string) => Buffer.from(text).toString('base64url');
  it.each(['../..', '%2e%2e%2f', encode('https://evil.test/'), encode('/a/../b/'), encode('/a\r\nX: y/'), '?', '#'])(
    'N19 an id like %s is NotFound without a request',
    async (id) => {
      const { fake, connection } = await start();
      fake.requests.length = 0;
      for (const work of [
        getCalendar(connection, id),
        updateCalendar(connection, id, { name: 'x' }),
        deleteCalendar(connection, id),
      ]) {
        expect((await failure(work)).code).toBe('NotFound');
      }
      expect(fake.requests).toHaveLength(0);
    },
  );
});

const INPUT = { name: 'Ü & <b>', hexColor: '#12AB34', timeZone: 'America/New_York' };

describe('creating a calendar', () => {
  const create = async (options: FakeCalDavOptions, input: CalendarInput & { name: string } = INPUT) => {
    const { fake, connection } = await start(options);
    fake.requests.length = 0;
    const written = await createCalendar(connection, input, {}).catch((error: unknown) => {
      throw toDomainError(error, 'write');
    });
    return { fake, connection, written };
  };

  it('makes one for events only, with name, colour and zone', async () => {
    const { fake, written } = await create({ strictColor: true });
    expect(written).toMatchObject({ calendar: INPUT, ignoredFields: [] });
    const [made] = [...fake.store.calendars.values()];
    expect(made?.components).toEqual(['VEVENT']);
    expect(made?.path).toMatch(/^\/calendars\/alice\/[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}\/$/);
    expect(made?.properties.get(ZONE)).toContain('TZID:America/New_York');
    expect(fake.requestsOf('PROPPATCH')).toHaveLength(0);
  });

  it('sets again what the server did not keep (Xandikos, DAViCal)', async () => {
    const { fake, written } = await create({ creationIgnores: [COLOR, ZONE] });
    expect(written).toMatchObject({ calendar: INPUT, ignoredFields: [] });
    expect(fake.requestsOf('PROPPATCH')).toHaveLength(2);
  });

  it('names what the server cannot keep at all (SOGo: zone)', async () => {
    const { written } = await create({ creationIgnores: [ZONE], proppatchRefuses: { [ZONE]: 200 } });
    expect(written).toMatchObject({ calendar: { ...INPUT, timeZone: 'UTC' }, ignoredFields: ['timeZone'] });
  });

  it('names what the server refuses (Xandikos: zone 409)', async () => {
    const { written } = await create({ creationIgnores: [ZONE], proppatchRefuses: { [ZONE]: 409 } });
    expect(written.ignoredFields).toEqual(['timeZone']);
  });

  it.each([403, 405, 501] as const)('falls back to extended MKCOL on %i', async (mkcalendar) => {
    const { fake, written } = await create({ mkcalendar });
    expect(written).toMatchObject({ calendar: INPUT, ignoredFields: [] });
    expect(fake.requestsOf('MKCOL')).toHaveLength(1);
  });

  it('is NotSupportedByProvider where neither works', async () => {
    expect((await failure(create({ mkcalendar: 403, mkcol: 405 }))).code).toBe('NotSupportedByProvider');
  });

  it('tells of a quota', async () => {
    expect((await failure(create({ mkcalendar: 507 }))).code).toBe('ProviderRejected');
  });

  it('finds the calendar of an earlier try by its idempotency key', async () => {
    const { fake, connection } = await start();
    const first = await createCalendar(connection, INPUT, { idempotencyKey: 'k' });
    const second = await createCalendar(connection, INPUT, { idempotencyKey: 'k' });
    expect(second.calendar.id).toBe(first.calendar.id);
    const other = await createCalendar(connection, INPUT, { idempotencyKey: 'l' });
    expect(other.calendar.id).not.toBe(first.calendar.id);
    expect(fake.store.calendars.size).toBe(2);
  });

  it('refuses an unknown zone before anything is made', async () => {
    const { fake, connection } = await start();
    expect((await failure(createCalendar(connection, { name: 'x', timeZone: 'Mars/Base' }, {}))).code).toBe(
      'ValidationFailed',
    );
    expect(fake.store.calendars.size).toBe(0);
  });
});

describe('changing and deleting a calendar', () => {
  const one = async (options: FakeCalDavOptions = {}) => {
    const parts = await start(options);
    const calendar = parts.fake.addCalendar('a', 'before');
    return { ...parts, calendar, id: calendarIdOfPath(calendar.path) };
  };

  it('changes only what is given', async () => {
    const { connection, calendar, id } = await one();
    calendar.properties.set(COLOR, '#111111FF');
    const { calendar: changed, ignoredFields } = await updateCalendar(connection, id, { name: 'after' });
    expect(changed).toMatchObject({ name: 'after', hexColor: '#111111' });
    expect(ignoredFields).toEqual([]);
    expect(calendar.properties.get(COLOR)).toBe('#111111FF');
  });

  it('lets one refused property not take the others with it', async () => {
    const { connection, id } = await one({ proppatchRefuses: { [ZONE]: 409 } });
    expect(await updateCalendar(connection, id, INPUT)).toMatchObject({
      calendar: { name: INPUT.name, hexColor: INPUT.hexColor, timeZone: 'UTC' },
      ignoredFields: ['timeZone'],
    });
  });

  it('is Forbidden when the name is refused, ReadOnlyCalendar when the calendar is read-only', async () => {
    const { connection, calendar, id, bench } = await one({ proppatchRefuses: { [NAME]: 403 } });
    expect((await failure(updateCalendar(connection, id, { name: 'x' }))).code).toBe('Forbidden');
    calendar.privileges = ['{DAV:}read'];
    bench.skewMs = 61_000;
    expect((await failure(updateCalendar(connection, id, { name: 'x' }))).code).toBe('ReadOnlyCalendar');
  });

  it('is read again after ten minutes, and when the clock was set back', async () => {
    const { connection, calendar, id, bench } = await one();
    const nameAfter = async (skewMs: number) => {
      bench.skewMs = skewMs;
      return (await connection.collection(id)).displayName;
    };
    expect(await nameAfter(0)).toBe('before');
    calendar.properties.set(NAME, 'after');
    expect(await nameAfter(590_000)).toBe('before');
    expect(await nameAfter(601_000)).toBe('after');
    calendar.properties.set(NAME, 'again');
    expect(await nameAfter(-3_600_000)).toBe('again');
  });

  it('deletes it once', async () => {
    const { connection, fake, calendar, id } = await one();
    await deleteCalendar(connection, id);
    expect(fake.store.calendars.has(calendar.path)).toBe(false);
    expect((await failure(deleteCalendar(connection, id))).code).toBe('NotFound');
  });

  it('is Forbidden when the server keeps it', async () => {
    const { connection, id } = await one({ deleteCalendar: 403 });
    expect((await failure(deleteCalendar(connection, id))).code).toBe('Forbidden');
  });

  it('works on types that are calendars besides something else', async () => {
    const { connection, calendar, id } = await one();
    calendar.resourceTypes = ['{DAV:}collection', '{urn:ietf:params:xml:ns:caldav}schedule-outbox', CALENDAR_TYPE];
    expect(await updateCalendar(connection, id, { name: 'after' })).toMatchObject({ calendar: { name: 'after' } });
  });
});

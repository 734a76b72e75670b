import { isFullEvent, type NewEventInput } from '#domain/events';
import type { FakeCalDavOptions } from '../../support/fake-caldav.js';
import { JUNE, object, openCalendar, put, titles, type OpenedCalendar } from '../../support/opened-calendar.js';

const NINE = { kind: 'dateTime', local: '2027-06-10T09:00:00', offsetMinutes: 0, timeZone: null } as const;
const TOO_LARGE = {
  status: 207,
  body: `<d:multistatus xmlns:d="DAV:">${' '.repeat(10 * 1024 * 1024)}</d:multistatus>`,
};

describe('requests that are saved at a CalDAV server', () => {
  let opened: OpenedCalendar | undefined;
  afterEach(async () => {
    await opened?.close();
    opened = undefined;
  });

  const given = async (options: FakeCalDavOptions = {}) => {
    const fixture = (opened = await openCalendar(options));
    const { fake, provider, session, calendarId } = fixture;
    return {
      ...fixture,
      create: async (title: string, more: Partial<NewEventInput> = {}) =>
        (await provider.createEvent(session, calendarId, { title, start: NINE, ...more }, {})).event,
      /** Methods since the last call. */
      methods: () => fake.requests.splice(0).map(({ method }) => method),
    };
  };

  describe('written objects', () => {
    it('are shown without a read when three came back as they were written', async () => {
      const { create, methods, provider, session, calendarId } = await given();
      methods();
      for (const title of ['one', 'two', 'three']) await create(title);
      expect(methods()).toEqual(['PUT', 'GET', 'PUT', 'GET', 'PUT', 'GET']);
      const { id, etag } = await create('four');
      expect(methods()).toEqual(['PUT']);
      expect(await provider.getEvent(session, calendarId, id)).toMatchObject({ title: 'four', etag });
      methods();
      const { event } = await provider.updateEvent(session, calendarId, id, { title: 'five' }, {});
      expect(methods()).toEqual(['GET', 'PUT']);
      expect(event).toEqual(await provider.getEvent(session, calendarId, id));
    });

    it.each<[string, FakeCalDavOptions]>([
      ['that rewrites them', { rewrite: (body) => body.replace(/^SUMMARY:.*$/m, (line) => `${line}!`) }],
      ['with weak tags', { etags: 'weak', putEtag: 'weak' }],
      ['without tags of what was put', { putEtag: 'none' }],
      ['that puts them elsewhere', { renameOnPut: 'location' }],
    ])('are always read back from a server %s', async (_name, options) => {
      const { create, provider, session, calendarId, methods } = await given(options);
      for (const title of ['one', 'two', 'three', 'four', 'five']) {
        methods();
        const event = await create(title);
        expect(methods()).toContain('GET');
        expect(event).toEqual(await provider.getEvent(session, calendarId, event.id));
      }
    });

    it('with guests are always read back, because servers that schedule change them', async () => {
      const { create, methods } = await given();
      for (const title of ['one', 'two', 'three', 'four']) await create(title);
      methods();
      await create('meeting', { attendees: [{ email: 'bob@example.test' }] });
      expect(methods()).toEqual(['PUT', 'GET']);
    });
  });

  describe('listings', () => {
    const stored = async (options: FakeCalDavOptions = {}) => {
      const fixture = await given(options);
      for (const name of ['one', 'two']) await put(fixture.fake, fixture.work, `${name}.ics`, object(name, name));
      return fixture;
    };

    it('bring the objects of a small calendar', async () => {
      const { list, methods } = await stored();
      await list();
      methods();
      expect(titles((await list()).items)).toEqual(['one', 'two']);
      expect(methods()).toEqual(['REPORT']);
    });

    it.each<[string, (body: string) => boolean]>([
      ['sync-collection', (body) => body.includes('sync-collection')],
      ['calendar-query', (body) => body.includes('calendar-query')],
    ])('are asked for once more without them when %s rejects them, or is too large with them', async (report, isIt) => {
      for (const response of [{ status: 403 }, { status: 400 }, TOO_LARGE]) {
        const { fake, list, methods, close } = await stored();
        const query = report === 'calendar-query' ? JUNE : undefined;
        await list(query);
        await list();
        fake.switches.intercept = ({ body }) => (isIt(body) && body.includes('calendar-data') ? response : undefined);
        expect(titles((await list(query)).items)).toEqual(['one', 'two']);
        methods();
        const { items } = await list(query);
        expect(titles(items)).toEqual(['one', 'two']);
        expect(items.every(isFullEvent)).toBe(true);
        const reports = methods().filter((method) => method === 'REPORT');
        // The listing and the multiget: the bodies are not asked for with the listing again.
        expect(reports.length).toBeGreaterThanOrEqual(2);
        await close();
        opened = undefined;
      }
    });
  });

  it('a calendar that has become read-only is told as such at once', async () => {
    const { work, provider, session, calendarId, fake } = await given();
    fake.switches.proppatchRefuses = { '{DAV:}displayname': 403 };
    work.privileges = ['{DAV:}read'];
    await expect(provider.updateCalendar(session, calendarId, { name: 'x' })).rejects.toMatchObject({
      code: 'ReadOnlyCalendar',
    });
  });
});

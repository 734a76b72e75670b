import { SealedTokens, type SealingKeys } from '#application';
import { KeyRing } from '#persistence';
import { at, hour } from '../support/berlin-times.js';
import { FaultServer } from '../support/fault-server.js';
import { ME, openOutlookAccount, OTHER, type OutlookAccount } from './outlook-account.js';

const JUNE = { startDateTime: '2027-06-01T00:00:00Z', endDateTime: '2027-07-01T00:00:00Z' };
const IN_CALENDAR = 'me_calendars_By_calendar_id';
const GET_EVENT = `get_${IN_CALENDAR}_events_By_event_id`;
const LIST = `list_${IN_CALENDAR}_events`;
const VIEW = `list_${IN_CALENDAR}_calendarView`;
const DELTA = `list_${IN_CALENDAR}_calendarView_delta`;

describe('reading events of Outlook', () => {
  let a: OutlookAccount;
  let calendarId: string;
  let calendars = 0;

  beforeAll(async () => {
    a = await openOutlookAccount();
  });

  beforeEach(async () => {
    calendarId = await a.newCalendar(`Reading ${(calendars += 1)}`);
  });

  afterEach(() => a.sandbox.microsoft.clearFaults());

  afterAll(() => a.stop());

  const path = (eventId: string) => `/${encodeURIComponent(eventId)}`;
  const ids = async (query: object, inCalendar = calendarId) =>
    (await a.list(inCalendar, { ...query })).items.map(({ id }) => id).sort();
  const code = ({ status, body }: { status: number; body: any }) => `${status} ${body.code}`;
  const replaced = (methodId: string, body: unknown) =>
    a.sandbox.microsoft.fault({ methodId }, { type: 'replace', body: body as object });
  const remove = (eventId: string) =>
    a.outlook(`delete_${IN_CALENDAR}_events_By_event_id`, { 'calendar-id': calendarId, 'event-id': eventId });

  describe('changes', () => {
    it('are told once, whatever Graph repeats, and only of what was in the window', async () => {
      const inside = await a.create(calendarId, { title: 'Inside', ...hour('2027-06-05') });
      const outside = await a.create(calendarId, { title: 'Outside', ...hour('2027-08-05') });
      let { nextSyncToken } = await a.list(calendarId, JUNE);
      const told = async () => {
        const changes = await a.list(calendarId, { syncToken: nextSyncToken });
        nextSyncToken = changes.nextSyncToken;
        return changes.items.map(({ id, title, isCancelled }) => [id, title, isCancelled]);
      };
      await a.touch(outside.id, { subject: 'Still outside' }, calendarId);
      expect(await told()).toEqual([]);
      await remove(outside.id);
      expect(await told()).toEqual([]);
      for (const subject of ['One', 'Two', 'Three']) await a.touch(inside.id, { subject }, calendarId);
      expect(await told()).toEqual([[inside.id, 'Three', false]]);
      await a.change(calendarId, inside.id, hour('2027-07-20'));
      expect(await told()).toEqual([[inside.id, undefined, true]]);
      await a.change(calendarId, inside.id, hour('2027-06-20'));
      expect(await told()).toEqual([[inside.id, 'Three', false]]);
      await remove(inside.id);
      expect(await told()).toEqual([[inside.id, undefined, true]]);
      expect(await told()).toEqual([]);
    });

    it.each([true, false])('tell of an instance that was deleted alone; expanded: %s', async (expandRecurrences) => {
      const { id } = await a.create(calendarId, {
        title: 'Series',
        ...hour('2027-06-05'),
        recurrence: ['RRULE:FREQ=DAILY;COUNT=4'],
      });
      const { nextSyncToken } = await a.list(calendarId, { ...JUNE, expandRecurrences });
      await a.events('DELETE', calendarId, path(`${id}_20270606T080000Z`));
      const { items } = await a.list(calendarId, { syncToken: nextSyncToken });
      if (expandRecurrences) {
        const cancelled = items.filter(({ isCancelled }) => isCancelled).map((item) => item.id);
        expect(cancelled).toEqual([`${id}_20270606T080000Z`]);
      } else {
        expect(items).toMatchObject([{ id, isCancelled: false, recurrence: [expect.any(String), expect.any(String)] }]);
      }
    });

    it.each([
      [410, 'SyncStateNotFound'],
      [410, undefined],
      [400, 'syncStateNotFound'],
      [400, 'SyncStateInvalid'],
      [400, 'resyncRequired'],
    ])('are over when Graph says %d %s', async (status, word) => {
      const { nextSyncToken } = await a.list(calendarId, JUNE);
      const headers = { location: 'https://evil.example/v1.0/me/calendarView/delta' };
      const body = word === undefined ? {} : { error: { code: word, message: 'x' } };
      await a.sandbox.microsoft.fault({ methodId: DELTA }, { type: 'status', status, body, headers });
      const answer = await a.events('GET', calendarId, '', { query: { syncToken: nextSyncToken } });
      expect(code(answer)).toBe('410 SyncTokenExpired');
      await a.sandbox.microsoft.clearFaults();
      const { items, nextSyncToken: again } = await a.list(calendarId, JUNE);
      expect([items, typeof again]).toEqual([[], 'string']);
    });

    it('are not over when Graph is busy', async () => {
      const { nextSyncToken } = await a.list(calendarId, JUNE);
      await a.sandbox.microsoft.fault({ methodId: DELTA }, { type: 'status', status: 503, body: {} });
      const answer = await a.events('GET', calendarId, '', { query: { syncToken: nextSyncToken } });
      expect(code(answer)).toBe('502 ProviderUnavailable');
      await a.sandbox.microsoft.clearFaults();
      expect((await a.list(calendarId, { syncToken: nextSyncToken })).items).toEqual([]);
    });
  });

  describe('pages', () => {
    it.each([1, 2, 3, 4, 5, 6, 7, 100, 1_000])('of %d walk over everything, and none is empty', async (pageSize) => {
      const { id } = await a.create(calendarId, {
        title: 'Series',
        ...hour('2027-06-01'),
        recurrence: ['RRULE:FREQ=DAILY;COUNT=3'],
      });
      await a.change(calendarId, `${id}_20270602T080000Z`, { title: 'Changed' });
      for (const title of ['x', 'y']) await a.create(calendarId, { title, ...hour('2027-06-02') });
      for (const [query, total] of [
        [{}, 4],
        [{ startDateTime: JUNE.startDateTime }, 4],
        [{ search: 'e' }, 2],
        [JUNE, 4],
        [{ ...JUNE, expandRecurrences: true, orderBy: 'startDateTime' }, 5],
      ] as const) {
        const sizes: number[] = [];
        const seen = new Set<string>();
        let pageToken: string | undefined;
        do {
          const { status, body } = await a.events('GET', calendarId, '', { query: { ...query, pageSize, pageToken } });
          expect(status).toBe(200);
          sizes.push(body.data.length);
          for (const item of body.data) seen.add(item.id);
          pageToken = body.nextPageToken ?? undefined;
        } while (pageToken !== undefined);
        const full = Math.ceil(total / pageSize);
        expect({ query, sizes, seen: seen.size }).toEqual({
          query,
          sizes: Array.from({ length: full }, (_, page) => Math.min(pageSize, total - page * pageSize)),
          seen: total,
        });
      }
    });

    it('of a thousand events come whole', async () => {
      const body = { title: 'Daily', start: { date: '2027-01-01' }, recurrence: ['RRULE:FREQ=DAILY;COUNT=999'] };
      await a.create(calendarId, body);
      await a.create(calendarId, { ...body, title: 'Other' });
      const window = { startDateTime: '2027-01-01T00:00:00Z', endDateTime: '2030-01-01T00:00:00Z' };
      const query = { ...window, expandRecurrences: true, pageSize: 1_000 };
      const { items } = await a.list(calendarId, query);
      expect(new Set(items.map(({ id }) => id)).size).toBe(1_998);
    });
  });

  describe('N16 tokens', () => {
    const opened = (token: string, kind: 'page' | 'sync') => {
      const ring = KeyRing.parse(a.service.env['ENCRYPTION_KEYS']!);
      const keys: SealingKeys = {
        current: () => ({ kid: ring.current().kid, key: ring.current().deriveKey('client-tokens') }),
        byId: (kid) => ring.byId(kid)?.deriveKey('client-tokens') ?? null,
      };
      const binding = ['events', kind, a.service.applicationId, a.accountId, calendarId, ''];
      return new SealedTokens(keys).open(binding, token);
    };

    it('hold neither a place to go to nor anything to read', async () => {
      for (const title of ['x', 'y']) await a.create(calendarId, { title, ...hour('2027-06-02') });
      const page = async (query: object) =>
        (await a.events('GET', calendarId, '', { query: { pageSize: 1, ...query } })).body.nextPageToken;
      const { nextSyncToken } = await a.list(calendarId, JUNE);
      for (const [kind, token] of [
        ['page', await page({})],
        ['page', await page(JUNE)],
        ['sync', nextSyncToken],
      ] as const) {
        const content = JSON.stringify(opened(token, kind));
        expect(content.length).toBeGreaterThan(20);
        expect(content).not.toMatch(/https?:|127\.0\.0\.1|localhost|graph\.microsoft/);
        expect(Buffer.from(token, 'base64url').toString('latin1')).not.toMatch(/delta|calendarView|events/);
      }
    });

    it('are worth nothing for another account, calendar or kind of read', async () => {
      for (const title of ['x', 'y']) await a.create(calendarId, { title, ...hour('2027-06-02') });
      const other = await a.connected('eva@fabrikam.example');
      const { nextSyncToken: syncToken } = await a.list(calendarId, JUNE);
      const { nextPageToken: pageToken } = (await a.events('GET', calendarId, '', { query: { ...JUNE, pageSize: 1 } }))
        .body;
      const asked = (account: string, calendar: string, query: object, below = '') =>
        a.service.call('GET', `/v1/events/${account}/${encodeURIComponent(calendar)}${below}`, { query: { ...query } });
      const answers = await Promise.all([
        asked(other.accountId, other.calendarId, { syncToken }),
        asked(other.accountId, other.calendarId, { ...JUNE, pageToken }),
        asked(a.accountId, a.calendarId, { syncToken }),
        asked(a.accountId, a.calendarId, { ...JUNE, pageToken }),
        asked(a.accountId, calendarId, { pageToken: syncToken }),
        asked(a.accountId, calendarId, { syncToken: pageToken }),
        asked(a.accountId, calendarId, { syncToken: `${syncToken.slice(0, -2)}AA` }),
      ]);
      expect(answers.map(code)).toEqual(Array(7).fill('400 PageTokenInvalid'));
    });

    it.each([
      ['a list', LIST, {}, '@odata.nextLink'],
      ['a window', VIEW, JUNE, '@odata.nextLink'],
      ['changes', DELTA, JUNE, '@odata.nextLink'],
      ['the end of changes', DELTA, JUNE, '@odata.deltaLink'],
    ])('are not made of a foreign link in %s, and the link is not followed', async (_name, methodId, query, link) => {
      const trap = await FaultServer.start();
      try {
        const { port } = trap;
        const graph = new URL(a.sandbox.microsoftUrl).host;
        for (const foreign of [
          `http://127.0.0.1:${port}/v1.0/me/events`,
          `http://${graph}@127.0.0.1:${port}/v1.0/me/events`,
          `//127.0.0.1:${port}/v1.0/me/events`,
          `http://${graph}/v1.0//127.0.0.1:${port}/x`,
          `http://${graph}/beta/me/events`,
          7,
        ]) {
          await replaced(methodId, { value: [], [link]: foreign });
          expect(code(await a.events('GET', calendarId, '', { query }))).toBe('502 ProviderUnavailable');
          await a.sandbox.microsoft.clearFaults();
        }
        expect(trap.requests).toEqual([]);
      } finally {
        await trap.close();
      }
    });
  });

  describe('calendars of others', () => {
    let shared: string;
    let secretId: string;
    let theirs: string;

    beforeEach(async () => {
      theirs = (await a.outlook('create_me_calendars', {}, { name: `Theirs ${calendars}` }, OTHER)).id;
      const { start, end } = hour('2027-06-05');
      const secret = {
        subject: 'Secret',
        sensitivity: 'private',
        body: { contentType: 'text', content: 'Hidden' },
        start,
        end,
      };
      await a.made(secret, theirs, OTHER);
      shared = await a.sandbox.microsoft.share({ owner: OTHER, calendarId: theirs, with: ME, canEdit: false });
      secretId = (await a.list(shared, JUNE)).items[0].id;
    });

    it('take no writes where they are read-only, and none is tried', async () => {
      await a.sandbox.microsoft.clearRequests();
      const writes = await Promise.all([
        a.events('POST', shared, '', { body: { title: 'x', ...hour('2027-06-05') } }),
        a.events('PUT', shared, path(secretId), { body: { title: 'x' } }),
        a.events('DELETE', shared, path(secretId)),
        a.events('POST', shared, `${path(secretId)}/rsvp`, { body: { responseStatus: 'accepted' } }),
      ]);
      expect(writes.map(code)).toEqual(Array(4).fill('403 ReadOnlyCalendar'));
      const methods = (await a.sandbox.microsoft.requests({ kind: 'api' })).map(({ method }) => method);
      expect(new Set(methods)).toEqual(new Set(methods.length === 0 ? [] : ['GET']));
    });

    it('show of private events no more than Outlook does', async () => {
      const { items } = await a.list(shared, JUNE);
      expect(items).toMatchObject([{ title: 'Private', visibility: 'private' }]);
      expect(JSON.stringify(items)).not.toMatch(/Secret|Hidden/);
    });
  });

  describe('ids', () => {
    it.each(['a/b', '..', '?x', '#x', 'ü', 'x'.repeat(1_500), '\r\nHost: x', 'AAMk=', 'a@b.example'])(
      'N19 of no calendar are answered with 404: %j',
      async (id) => {
        expect(code(await a.events('GET', id))).toBe('404 NotFound');
      },
    );

    it.each(['a/b', '../../me', 'x'.repeat(1_100), 'ü', 'AAMk_20270101', '_', 'AAMk_', '$count', 'AAMk=?$top=1'])(
      'N19 of no event are answered with 404: %j',
      async (id) => {
        expect(code(await a.events('GET', calendarId, path(id)))).toBe('404 NotFound');
        expect(code(await a.events('DELETE', calendarId, path(id)))).toBe('404 NotFound');
      },
    );

    it('of events are those of one calendar', async () => {
      const { id } = await a.create(calendarId, { title: 'x', ...hour('2027-06-05') });
      expect(code(await a.events('GET', a.calendarId, path(id)))).toBe('404 NotFound');
      expect((await a.events('GET', calendarId, path(id))).status).toBe(200);
    });
  });

  it('N18 searches for signs as they are', async () => {
    const titles = ['100% "sure"', 'a_b', 'Straße', 'ÅNGSTRÖM', '日本語', 'plus+&=?#', "it's", ''];
    for (const title of titles) await a.create(calendarId, { title, ...hour('2027-06-01') });
    for (const window of [{}, JUNE]) {
      const found = async (search: string) =>
        (await a.list(calendarId, { ...window, search })).items.map(({ title }) => title);
      for (const search of ['100%', '%', '"SURE"']) expect(await found(search)).toEqual(['100% "sure"']);
      expect(await found('_')).toEqual(['a_b']);
      expect(await found('STRASSE')).toEqual(['Straße']);
      expect(await found('ångström')).toEqual(['ÅNGSTRÖM']);
      expect(await found('本')).toEqual(['日本語']);
      expect(await found('+&=?#')).toEqual(['plus+&=?#']);
      expect(await found("'s")).toEqual(["it's"]);
      for (const search of ['*', '.*', '-sure', "') or true"]) expect(await found(search)).toEqual([]);
    }
  });

  it('refuses more than Outlook can show at once, before it asks', async () => {
    await a.events('GET', calendarId, '', { query: JUNE });
    await a.sandbox.microsoft.clearRequests();
    const query = { startDateTime: '2027-01-01T00:00:00Z', endDateTime: '2032-01-01T00:00:00Z' };
    expect(code(await a.events('GET', calendarId, '', { query }))).toBe('400 ValidationFailed');
    expect(await a.sandbox.microsoft.requests({ methodId: VIEW })).toEqual([]);
    const longest = { ...query, endDateTime: '2031-12-30T00:00:00Z' };
    expect((await a.events('GET', calendarId, '', { query: longest })).status).toBe(200);
  });

  describe('nonsense', () => {
    let good: any;

    beforeEach(async () => {
      const { id } = await a.create(calendarId, { title: 'Good', ...hour('2027-06-01') });
      good = await a.held(id, calendarId);
    });

    const parts: [string, () => unknown, number][] = [
      ['no start', () => ({ ...good, start: undefined }), 502],
      ['numbers for texts', () => ({ ...good, subject: 7, start: { dateTime: 7 }, end: [] }), 502],
      [
        'a day that is none',
        () => ({ ...good, isAllDay: true, start: { dateTime: '2027-02-30T00:00:00', timeZone: 'UTC' } }),
        502,
      ],
      ['an end before the start', () => ({ ...good, end: { dateTime: '2027-05-01T10:00:00', timeZone: 'UTC' } }), 200],
      ['no end', () => ({ ...good, end: undefined }), 200],
      ['a year that is none', () => ({ ...good, start: { dateTime: '99999-01-01T00:00:00', timeZone: 'UTC' } }), 502],
      [
        'the last day of all',
        () => ({ ...good, start: { dateTime: '9999-12-31T23:59:59.9999999', timeZone: 'UTC' } }),
        200,
      ],
      [
        'wrong kinds of parts',
        () => ({
          ...good,
          body: [],
          attendees: [null, { emailAddress: { address: 5 } }],
          categories: 'x',
          location: 7,
          organizer: 'x',
          onlineMeeting: [],
          responseStatus: 7,
          singleValueExtendedProperties: [null, { id: 7, value: {} }],
          webLink: {},
        }),
        200,
      ],
      [
        'names like those of every object',
        () => ({ ...good, ...JSON.parse('{"__proto__":{"title":"x"},"constructor":"x","hasOwnProperty":1}') }),
        200,
      ],
      ['a pattern that is none', () => ({ ...good, type: 'seriesMaster', recurrence: { pattern: 7, range: [] } }), 200],
      [
        'very long texts',
        () => ({ ...good, subject: 'x'.repeat(500_000), body: { contentType: 'html', content: '<'.repeat(500_000) } }),
        200,
      ],
    ];

    it.each(parts)('N51 in an event, %s, costs nothing else', async (_name, event, status) => {
      await replaced(GET_EVENT, event());
      expect((await a.events('GET', calendarId, path(good.id))).status).toBe(status);
      await a.sandbox.microsoft.clearFaults();
      const { type, ...single } = event() as any;
      const rows = {
        value: [
          { ...single, type: 'singleInstance' },
          { ...good, id: 'neighbour' },
        ],
      };
      expect(type).toBeDefined();
      await replaced(LIST, rows);
      await replaced(VIEW, rows);
      for (const query of [{}, JUNE, { ...JUNE, expandRecurrences: true, orderBy: 'startDateTime' }]) {
        const { status: listed, body } = await a.events('GET', calendarId, '', { query });
        expect(listed).toBe(200);
        expect(body.data.map(({ id }: any) => id)).toContain('neighbour');
      }
      expect(({} as any).title).toBeUndefined();
    });

    it.each(['event', null, { id: '' }, 7, []])('N51 takes %j neither for an event nor for none', async (event) => {
      const { nextSyncToken } = await a.list(calendarId, JUNE);
      await a.touch(good.id, { subject: 'Changed' }, calendarId);
      await replaced(GET_EVENT, event);
      for (const methodId of [LIST, VIEW]) await replaced(methodId, { value: [good, event] });
      for (const [below, query] of [
        [path(good.id), {}],
        ['', {}],
        ['', JUNE],
        ['', { syncToken: nextSyncToken }],
      ] as const) {
        expect(code(await a.events('GET', calendarId, below, { query }))).toBe('502 ProviderUnavailable');
      }
    });

    it.each([{ value: {} }, { value: 'x' }, 'text', [], null, {}])(
      'N51 does not take %j for an empty list',
      async (body) => {
        const { nextSyncToken } = await a.list(calendarId, JUNE);
        await a.touch(good.id, { subject: 'Changed' }, calendarId);
        for (const methodId of [LIST, VIEW, DELTA]) await replaced(methodId, body);
        for (const query of [{}, JUNE, { syncToken: nextSyncToken }]) {
          expect(code(await a.events('GET', calendarId, '', { query }))).toBe('502 ProviderUnavailable');
        }
      },
    );

    it.each<[string, object]>([
      ['a hundred megabytes', { type: 'huge', bytes: 100_000_000 }],
      ['a page of HTML', { type: 'html' }],
      ['half of an answer', { type: 'truncate' }],
    ])('N51 %s is no answer, and harms nobody', async (_name, action) => {
      await a.sandbox.microsoft.fault({ methodId: VIEW }, action as any);
      expect(code(await a.events('GET', calendarId, '', { query: JUNE }))).toBe('502 ProviderUnavailable');
      await a.sandbox.microsoft.clearFaults();
      expect(await ids(JUNE)).toEqual([good.id]);
    });

    it('N51 answers that are nested without an end are shown as far as they are known', async () => {
      const deep: any = {};
      let inner = deep;
      for (let depth = 0; depth < 2_000; depth += 1) inner = inner.x = {};
      const meeting = { joinUrl: 'https://teams.example/x', ...deep };
      await replaced(GET_EVENT, { ...good, isOnlineMeeting: true, onlineMeeting: meeting, extra: deep });
      const { status, body } = await a.events('GET', calendarId, path(good.id));
      expect([status, body.conferenceData.joinUrl]).toEqual([200, 'https://teams.example/x']);
      expect(body.conferenceData.conferenceDetails).not.toHaveProperty('x');
    });
  });

  describe('free/busy', () => {
    const ask = (calendarIds: string[], more = {}) =>
      a.service.call('POST', `/v1/freeBusy/${a.accountId}`, {
        body: { ...JUNE, timeZone: 'Europe/Berlin', calendarIds, ...more },
      });
    const slots = ({ body }: any) => body[0].busySlots.map(({ start, end }: any) => [start.dateTime, end.dateTime]);
    const timed = (date: string, start = 10) => {
      const { start: from, end } = hour(date, start);
      return { start: from, end };
    };

    it('counts what takes up time, over a clock change and in the calendar’s days', async () => {
      const states = ['busy', 'tentative', 'oof', 'unknown', 'free', 'workingElsewhere'];
      for (const [index, showAs] of states.entries())
        await a.made({ subject: showAs, ...timed(`2027-03-2${index}`), showAs }, calendarId);
      const night = { start: at('2027-03-28T01:30:00'), end: at('2027-03-28T03:30:00') };
      await a.create(calendarId, { title: 'Night', ...night });
      await a.create(calendarId, {
        title: 'Day',
        start: { date: '2027-03-28' },
        isAllDay: true,
        transparency: 'opaque',
      });
      await a.create(calendarId, {
        title: 'Free day',
        start: { date: '2027-03-27' },
        isAllDay: true,
        transparency: 'transparent',
      });
      const window = { startDateTime: '2027-03-20T00:00:00+01:00', endDateTime: '2027-03-30T00:00:00+02:00' };
      expect(slots(await ask([calendarId], window))).toEqual([
        ...['0', '1', '2', '3'].map((day) => [`2027-03-2${day}T10:00:00+01:00`, `2027-03-2${day}T11:00:00+01:00`]),
        ['2027-03-28T00:00:00+01:00', '2027-03-29T00:00:00+02:00'],
      ]);
    });

    it('does not count what was declined or called off', async () => {
      const attendees = [{ emailAddress: { address: ME, name: 'Ida' }, type: 'required' }];
      for (const subject of ['Declined', 'Called off', 'Kept'])
        await a.made({ subject, ...timed('2027-06-07', subject.length), attendees }, undefined, OTHER);
      const { items } = await a.list(a.calendarId, JUNE);
      const idOf = (title: string) => items.find((item) => item.title === title).id;
      const theirs = (await a.outlook('list_me_events', {}, undefined, OTHER)).value;
      const calledOff = theirs.find(({ subject }: any) => subject === 'Called off').id;
      await a.outlook('cancel_me_events_By_event_id', { 'event-id': calledOff }, {}, OTHER);
      await a.events('POST', a.calendarId, `${path(idOf('Declined'))}/rsvp`, { body: { responseStatus: 'declined' } });
      expect(slots(await ask([a.calendarId]))).toEqual([['2027-06-07T04:00:00+02:00', '2027-06-07T05:00:00+02:00']]);
    });

    it('is answered over more days than Outlook shows at once', async () => {
      await a.create(calendarId, { title: 'First', ...hour('2027-01-05') });
      await a.create(calendarId, { title: 'Last', ...hour('2033-01-05') });
      const answer = await ask([calendarId], {
        startDateTime: '2027-01-01T00:00:00Z',
        endDateTime: '2033-02-01T00:00:00Z',
      });
      expect(answer.status).toBe(200);
      expect(slots(answer).map(([start]: string[]) => start)).toEqual([
        '2027-01-05T10:00:00+01:00',
        '2033-01-05T10:00:00+01:00',
      ]);
    });

    it('N51 does not take nonsense for free time', async () => {
      for (const body of [{ value: [{ id: 'x', showAs: 'busy' }] }, { value: 'x' }, null, { value: [null] }]) {
        await replaced(VIEW, body);
        expect(code(await ask([calendarId]))).toBe('502 ProviderUnavailable');
        await a.sandbox.microsoft.clearFaults();
      }
    });
  });

  describe('accounts without a mailbox', () => {
    it('are not connected, and told why', async () => {
      const email = 'guest_outside.example#EXT#@fabrikam.example';
      await a.sandbox.microsoft.addUser({
        email: 'guest@outside.example',
        userPrincipalName: email,
        hasMailbox: false,
        kind: 'work',
      });
      const { status, body } = await a.connect('guest@outside.example');
      expect([status, body.message]).toEqual([expect.any(Number), expect.stringContaining('mailbox')]);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).toBeLessThan(500);
    });

    it('that they had once are answered with 404 and the reason, and stay ACTIVE', async () => {
      const { accountId, calendarId: primary } = await a.connected('left@fabrikam.example');
      const body = { error: { code: 'MailboxNotEnabledForRESTAPI', message: 'The mailbox is inactive.' } };
      await a.sandbox.microsoft.fault(
        { kind: 'api', email: 'left@fabrikam.example' },
        { type: 'status', status: 404, body },
      );
      const answers = await Promise.all([
        a.service.call('GET', `/v1/calendars/${accountId}`),
        a.service.call('GET', `/v1/events/${accountId}/${encodeURIComponent(primary)}`),
      ]);
      for (const answer of answers) {
        expect([code(answer), answer.body.message]).toEqual(['404 NotFound', expect.stringContaining('mailbox')]);
      }
      expect((await a.service.call('GET', `/v1/endUserAccounts/${accountId}`)).body.status).toBe('ACTIVE');
    });
  });
});

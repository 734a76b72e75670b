// 18 s alone, over 30 s beside other suites: each case fills a calendar and reads what a hostile Graph makes of it.
import { SealedTokens, type SealingKeys } from '#application/tokens';
import { KeyRing } from '#persistence';
import { hour } from '../../../support/berlin-times.js';
import { FaultServer } from '../../../support/fault-server.js';
import { code, openOutlookAccount, path, type OutlookAccount } from './outlook-account.js';

const JUNE = { startDateTime: '2027-06-01T00:00:00Z', endDateTime: '2027-07-01T00:00:00Z' };
const IN_CALENDAR = 'me_calendars_By_calendar_id';
const GET_EVENT = `get_${IN_CALENDAR}_events_By_event_id`;
const LIST = `list_${IN_CALENDAR}_events`;
const VIEW = `list_${IN_CALENDAR}_calendarView`;
const DELTA = `list_${IN_CALENDAR}_calendarView_delta`;

describe('answers of a Graph that means harm', () => {
  let a: OutlookAccount;
  let calendarId: string;
  let calendars = 0;

  beforeAll(async () => {
    a = await openOutlookAccount({});
  });

  beforeEach(async () => {
    calendarId = await a.newCalendar(`Hostile ${(calendars += 1)}`);
  });

  afterEach(() => a.sandbox.microsoft.clearFaults());

  afterAll(() => a.stop());

  const ids = async (query: object, inCalendar = calendarId) =>
    (await a.list(inCalendar, { ...query })).items.map(({ id }) => id).sort();
  const replaced = (methodId: string, body: unknown) =>
    a.sandbox.microsoft.fault({ methodId }, { type: 'replace', body: body as object });

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
      const responses = await Promise.all([
        asked(other.accountId, other.calendarId, { syncToken }),
        asked(other.accountId, other.calendarId, { ...JUNE, pageToken }),
        asked(a.accountId, a.calendarId, { syncToken }),
        asked(a.accountId, a.calendarId, { ...JUNE, pageToken }),
        asked(a.accountId, calendarId, { pageToken: syncToken }),
        asked(a.accountId, calendarId, { syncToken: pageToken }),
        asked(a.accountId, calendarId, { syncToken: `${syncToken.slice(0, -2)}AA` }),
      ]);
      expect(responses.map(code)).toEqual(Array(7).fill('400 PageTokenInvalid'));
    });

    it.each([
      ['a list', LIST, {}, '@odata.nextLink'],
      ['a window', VIEW, JUNE, '@odata.nextLink'],
      ['changes', DELTA, null, '@odata.nextLink'],
      ['the end of changes', DELTA, null, '@odata.deltaLink'],
    ])('are not made of a foreign link in %s, and the link is not followed', async (_name, methodId, asked, link) => {
      const query = asked ?? { syncToken: (await a.list(calendarId, JUNE)).nextSyncToken };
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

    it('N51 in ids, texts and tags, half of a surrogate pair costs nothing else', async () => {
      const half = { ...good, subject: 'x\ud800', '@odata.etag': 'W/"\ud800"' };
      await replaced(GET_EVENT, half);
      const { body } = await a.events('GET', calendarId, path(good.id));
      expect(body).toMatchObject({ title: 'x\ufffd' });
      expect(body).not.toHaveProperty('etag');
      const change = await a.events('PUT', calendarId, path(good.id), { body: { title: 'Better' } });
      expect(change.status).toBe(200);
      await a.sandbox.microsoft.clearFaults();
      await replaced(VIEW, {
        value: [
          { ...half, seriesMasterId: 'y\ud800' },
          { ...good, id: 'neighbour' },
        ],
      });
      const listed = await a.events('GET', calendarId, '', { query: JUNE });
      expect([listed.status, listed.body.data.map(({ id }: any) => id)]).toEqual([
        200,
        expect.arrayContaining(['neighbour']),
      ]);
    });

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
});

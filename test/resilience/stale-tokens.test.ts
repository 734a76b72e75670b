import { startOAuthFixture, type OAuthSubject, type OAuthFixture } from '../support/oauth-subject.js';
import { Invariants } from './invariants.js';

type Query = Record<string, string | number | boolean | undefined>;

const TITLES = ['one', 'two', 'three', 'four', 'five'];
const NAMES = ['Home', 'Work'];
const WINDOW: Query = { startDateTime: '2027-01-01T00:00:00Z', endDateTime: '2027-03-01T00:00:00Z' };

let fixture: OAuthFixture;
let invariants: Invariants;
const paths = { GOOGLE: { events: '', calendars: '' }, MICROSOFT: { events: '', calendars: '' } };

beforeAll(async () => {
  fixture = await startOAuthFixture({ METRICS_PORT: '0' });
  await fixture.everywhere(async (subject) => {
    const { accountId, calendarId } = await subject.connected(subject.someone());
    const path = { events: `/v1/events/${accountId}/${calendarId}`, calendars: `/v1/calendars/${accountId}` };
    paths[subject.providerType] = path;
    for (const title of TITLES) {
      const body = { title, start: { date: '2027-02-01' }, end: { date: '2027-02-02' } };
      expect((await fixture.service.call('POST', path.events, { body })).status).toBe(200);
    }
    for (const name of NAMES) {
      expect((await fixture.service.call('POST', path.calendars, { body: { name } })).status).toBe(200);
    }
  });
  invariants = await Invariants.watching(fixture);
});

afterEach(() => fixture.calm());

afterAll(() => invariants?.expectAll());

afterAll(() => fixture?.stop());

const read = (path: string, query: Query = {}) => fixture.service.call('GET', path, { query });
const isSame = (one: string[], other: string[]) => expect([...one].sort()).toEqual([...other].sort());
const eventsOf = ({ providerType }: OAuthSubject) => paths[providerType].events;
const EXPIRED = { status: 410, body: { code: 'SyncTokenExpired' } };
const NO_CHANGES = { status: 200, body: { data: [] } };

/** All pages of a read; what they hold, and the sync token at their end. */
async function whole(path: string, query: Query = {}): Promise<{ names: string[]; syncToken: string }> {
  const names: string[] = [];
  for (let pageToken: string | undefined; ;) {
    const { status, body } = await read(path, { ...query, pageToken });
    expect(status).toBe(200);
    for (const { title, name } of body.data) names.push(title ?? name);
    pageToken = body.nextPageToken;
    if (pageToken === undefined || pageToken === null) return { names, syncToken: body.nextSyncToken };
  }
}

describe('F33 tokens that Google does not know any more', () => {
  const google = () => fixture.GOOGLE.half;
  const list = { methodId: 'calendar.events.list' };
  const forgotten = { items: [], nextPageToken: 'forgotten' };

  it.each(['events', 'calendars'] as const)(
    'a sync token of %s is 410, and a full read begins anew',
    async (resource) => {
      const path = paths.GOOGLE[resource];
      const { names, syncToken } = await whole(path);
      await fixture.sandbox.expireSyncTokens();
      expect(await read(path, { syncToken })).toMatchObject(EXPIRED);
      const again = await whole(path);
      isSame(again.names, names);
      expect(again.names.length).toBeGreaterThan(NAMES.length);
      expect(await read(path, { syncToken: again.syncToken })).toMatchObject(NO_CHANGES);
    },
  );

  it.each([
    ['410 without a known reason', { type: 'status', status: 410, body: '<html>gone</html>' } as const],
    ['400', { type: 'status', status: 400, reason: 'invalid' } as const],
  ])('a sync token that is refused with %s is 410 as well', async (_, action) => {
    const { events, calendars } = paths.GOOGLE;
    const tokens = [await whole(events), await whole(calendars)].map(({ syncToken }) => syncToken);
    await google().fault(list, action);
    await google().fault({ methodId: 'calendar.calendarList.list' }, action);
    expect(await read(events, { syncToken: tokens[0] })).toMatchObject(EXPIRED);
    expect(await read(calendars, { syncToken: tokens[1] })).toMatchObject(EXPIRED);
  });

  it('reads of a window do not stand on the tokens of Google', async () => {
    const { syncToken } = await whole(paths.GOOGLE.events, WINDOW);
    await fixture.sandbox.expireSyncTokens();
    expect(await read(paths.GOOGLE.events, { syncToken })).toMatchObject(NO_CHANGES);
  });

  it('a page token of calendars is 400, and a full read begins anew', async () => {
    const path = paths.GOOGLE.calendars;
    const { names } = await whole(path);
    const first = await read(path, { pageSize: 1 });
    await fixture.sandbox.expirePageTokens();
    const { status, body } = await read(path, { pageSize: 1, pageToken: first.body.nextPageToken });
    expect([status, body.code]).toEqual([400, 'PageTokenInvalid']);
    isSame((await whole(path, { pageSize: 1 })).names, names);
  });

  it('page tokens of events do not stand on those of Google, whose page is kept', async () => {
    const path = paths.GOOGLE.events;
    const { names } = await whole(path);
    const first = await read(path, { pageSize: 2 });
    await fixture.sandbox.expirePageTokens();
    const second = await read(path, { pageSize: 100, pageToken: first.body.nextPageToken });
    expect(second.status).toBe(200);
    isSame(
      [...first.body.data, ...second.body.data].map(({ title }) => title),
      names,
    );
  });

  it.each([
    ['a window', WINDOW],
    ['a search', { search: 'o' }],
    ['a whole calendar', {}],
  ])('a page token within a read of %s, that callers do not see, starts it again', async (_, query: Query) => {
    const { events } = paths.GOOGLE;
    const shown = (await whole(events, query)).names;
    await google().fault(list, { type: 'replace', body: forgotten }, { times: 1 });
    isSame((await whole(events, query)).names, shown);
  });

  it('a page token within a read of changes starts it again', async () => {
    const { events } = paths.GOOGLE;
    const { syncToken } = await whole(events);
    await google().fault(list, { type: 'replace', body: forgotten }, { times: 1 });
    expect(await read(events, { syncToken })).toMatchObject(NO_CHANGES);
  });

  it('page tokens that never work end in a failure of the provider, not of the caller', async () => {
    for (let pages = 0; pages < 5; pages += 1) {
      await google().fault(list, { type: 'replace', body: forgotten }, { times: 1 });
      await google().fault(list, { type: 'status', status: 400, reason: 'invalid' }, { times: 1 });
    }
    const { status, body: failure } = await read(paths.GOOGLE.events, WINDOW);
    expect([status, failure.code]).toEqual([502, 'ProviderUnavailable']);
  });
});

describe('F33 links that Graph does not know any more', () => {
  const delta = { methodId: 'list_me_calendars_By_calendar_id_calendarView_delta' };
  const view = { methodId: 'list_me_calendars_By_calendar_id_calendarView' };
  const microsoft = () => fixture.sandbox.microsoft;
  const events = () => eventsOf(fixture.MICROSOFT);
  /** Nothing yet, and more behind a link that leads nowhere. */
  const forgotten = (path: string) => ({
    type: 'replace' as const,
    body: { value: [], '@odata.nextLink': `${microsoft().url}/v1.0/me/calendars/x/${path}?$skiptoken=forgotten` },
  });

  it('a sync token of a window is 410, and a full read begins anew', async () => {
    const { names, syncToken } = await whole(events(), WINDOW);
    isSame(names, TITLES);
    // The first sync begins the delta.
    const first = await read(events(), { syncToken });
    expect(first).toMatchObject(NO_CHANGES);
    await microsoft().expireDeltaTokens();
    expect(await read(events(), { syncToken: first.body.nextSyncToken })).toMatchObject(EXPIRED);
    const again = await whole(events(), WINDOW);
    isSame(again.names, TITLES);
    expect(await read(events(), { syncToken: again.syncToken })).toMatchObject(NO_CHANGES);
  });

  it.each([
    [410, undefined],
    [400, 'SyncStateInvalid'],
    [400, 'resyncRequired'],
    [404, 'SyncStateNotFound'],
  ])('a sync token that is refused with %d %s is 410 as well', async (status, reason) => {
    const { syncToken } = await whole(events(), WINDOW);
    const words = reason === undefined ? { body: '<html>gone</html>' } : { reason };
    await microsoft().fault(delta, { type: 'status', status, ...words });
    expect(await read(events(), { syncToken })).toMatchObject(EXPIRED);
  });

  it('sync tokens of calendars and of one series do not stand on links of Graph', async () => {
    const { calendars } = paths.MICROSOFT;
    const { syncToken } = await whole(calendars);
    await microsoft().expireDeltaTokens();
    expect(await read(calendars, { syncToken })).toMatchObject(NO_CHANGES);
  });

  it('page tokens of events do not stand on links of Graph', async () => {
    for (const query of [{}, WINDOW]) {
      const first = await read(events(), { ...query, pageSize: 2 });
      await microsoft().expireDeltaTokens();
      const second = await read(events(), { ...query, pageSize: 2, pageToken: first.body.nextPageToken });
      expect([second.status, second.body.data.length]).toEqual([200, 2]);
    }
  });

  it.each([
    ['its round of changes', delta, 'calendarView/delta'],
    ['its instances', view, 'calendarView'],
  ])('a link within %s, that callers do not see, starts a read again', async (_, match, path) => {
    await microsoft().fault(match, forgotten(path), { times: 1 });
    await microsoft().fault(match, { type: 'status', status: 410 }, { times: 1 });
    isSame((await whole(events(), WINDOW)).names, TITLES);
  });

  it('a link within a read of changes starts it again', async () => {
    const { syncToken } = await whole(events(), WINDOW);
    await microsoft().fault(delta, forgotten('calendarView/delta'), { times: 1 });
    await microsoft().fault(delta, { type: 'status', status: 410 }, { times: 1 });
    expect(await read(events(), { syncToken })).toMatchObject(NO_CHANGES);
  });

  it('links that never work end in a failure of the provider, not of the caller', async () => {
    for (let pages = 0; pages < 5; pages += 1) {
      await microsoft().fault(view, forgotten('calendarView'), { times: 1 });
      await microsoft().fault(view, { type: 'status', status: 410 }, { times: 1 });
    }
    const { status, body } = await read(events(), WINDOW);
    expect([status, body.code]).toEqual([502, 'ProviderUnavailable']);
  });
});

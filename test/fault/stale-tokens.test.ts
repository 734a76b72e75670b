import { startGoogleService, type GoogleService } from '../support/google-service.js';

const ADA = 'ada@example.test';
const TITLES = ['one', 'two', 'three', 'four', 'five'];
const CALENDARS = [ADA, 'Holidays in the United Kingdom', 'Home', 'Work'];

describe('F33 tokens that Google does not know any more', () => {
  let google: GoogleService;
  let accountId: string;

  beforeAll(async () => {
    google = await startGoogleService();
    ({ accountId } = await google.connected(ADA));
    for (const title of TITLES) {
      const body = { title, start: { date: '2027-02-01' }, end: { date: '2027-02-02' } };
      expect((await google.service.call('POST', `/v1/events/${accountId}/${ADA}`, { body })).status).toBe(200);
    }
    for (const name of ['Home', 'Work']) {
      expect((await google.service.call('POST', `/v1/calendars/${accountId}`, { body: { name } })).status).toBe(200);
    }
  }, 120_000);

  afterEach(async () => {
    await google.sandbox.clearFaults();
    await google.sandbox.expectNoViolations();
  });

  afterAll(() => google?.stop());

  type Query = Record<string, string | number | boolean | undefined>;
  const WINDOW: Query = { startDateTime: '2027-01-01T00:00:00Z', endDateTime: '2027-03-01T00:00:00Z' };
  const read = (path: string, query: Query = {}) => google.service.call('GET', path, { query });
  const eventsPath = () => `/v1/events/${accountId}/${ADA}`;
  const calendarsPath = () => `/v1/calendars/${accountId}`;
  const isSame = (one: string[], other: string[]) => expect([...one].sort()).toEqual([...other].sort());

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

  it.each([
    ['events', eventsPath, TITLES],
    ['calendars', calendarsPath, CALENDARS],
  ])('a sync token of %s is 410, and a full read begins anew', async (_, path, expected) => {
    const { syncToken } = await whole(path());
    await google.sandbox.expireSyncTokens();
    const stale = await read(path(), { syncToken });
    expect([stale.status, stale.body.code]).toEqual([410, 'SyncTokenExpired']);
    const again = await whole(path());
    isSame(again.names, expected);
    expect(await read(path(), { syncToken: again.syncToken })).toMatchObject({ status: 200, body: { data: [] } });
  });

  it.each([
    ['410 without a known reason', { type: 'status', status: 410, body: '<html>gone</html>' } as const],
    ['400', { type: 'status', status: 400, reason: 'invalid' } as const],
  ])('a sync token that is refused with %s is 410 as well', async (_, action) => {
    const events = await whole(eventsPath());
    const calendars = await whole(calendarsPath());
    await google.sandbox.fault({ methodId: 'calendar.events.list' }, action);
    await google.sandbox.fault({ methodId: 'calendar.calendarList.list' }, action);
    for (const [path, { syncToken }] of [
      [eventsPath(), events],
      [calendarsPath(), calendars],
    ] as const) {
      const { status, body } = await read(path, { syncToken });
      expect([status, body.code]).toEqual([410, 'SyncTokenExpired']);
    }
  });

  it('reads of a window do not stand on the tokens of Google', async () => {
    const { syncToken } = await whole(eventsPath(), WINDOW);
    await google.sandbox.expireSyncTokens();
    expect(await read(eventsPath(), { syncToken })).toMatchObject({ status: 200, body: { data: [] } });
  });

  it.each([
    ['events', eventsPath, 2, TITLES],
    ['calendars', calendarsPath, 1, CALENDARS],
  ])('a page token of %s is 400, and a full read begins anew', async (_, path, pageSize, expected) => {
    const first = await read(path(), { pageSize });
    await google.sandbox.expirePageTokens();
    const { status, body } = await read(path(), { pageSize, pageToken: first.body.nextPageToken });
    expect([status, body.code]).toEqual([400, 'PageTokenInvalid']);
    isSame((await whole(path(), { pageSize })).names, expected);
  });

  it.each([
    ['a window', WINDOW],
    ['a search', { search: 'o' }],
    ['a whole calendar', {}],
  ])('a page token within a read of %s, that callers do not see, starts it again', async (_, query: Query) => {
    const shown = (await whole(eventsPath(), query)).names;
    const body = { items: [], nextPageToken: 'forgotten' };
    await google.sandbox.fault({ methodId: 'calendar.events.list' }, { type: 'replace', body }, { times: 1 });
    isSame((await whole(eventsPath(), query)).names, shown);
  });

  it('a page token within a read of changes starts it again', async () => {
    const { syncToken } = await whole(eventsPath());
    const body = { items: [], nextPageToken: 'forgotten' };
    await google.sandbox.fault({ methodId: 'calendar.events.list' }, { type: 'replace', body }, { times: 1 });
    expect(await read(eventsPath(), { syncToken })).toMatchObject({ status: 200, body: { data: [] } });
  });

  it('page tokens that never work end in a failure of the provider, not of the caller', async () => {
    const body = { items: [], nextPageToken: 'forgotten' };
    const list = { methodId: 'calendar.events.list' };
    for (let pages = 0; pages < 5; pages += 1) {
      await google.sandbox.fault(list, { type: 'replace', body }, { times: 1 });
      await google.sandbox.fault(list, { type: 'status', status: 400, reason: 'invalid' }, { times: 1 });
    }
    const { status, body: failure } = await read(eventsPath(), WINDOW);
    expect([status, failure.code]).toEqual([502, 'ProviderUnavailable']);
  });
});

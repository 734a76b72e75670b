import { hour } from '../../../support/berlin-times.js';
import { code, ME, openOutlookAccount, OTHER, path, type OutlookAccount } from './outlook-account.js';

const JUNE = { startDateTime: '2027-06-01T00:00:00Z', endDateTime: '2027-07-01T00:00:00Z' };
const IN_CALENDAR = 'me_calendars_By_calendar_id';
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

  const remove = (eventId: string) =>
    a.outlook(`delete_${IN_CALENDAR}_events_By_event_id`, { 'calendar-id': calendarId, 'event-id': eventId });

  describe('changes', () => {
    it('are told once, whatever Graph repeats, and only of what was in the window', async () => {
      const inside = await a.create(calendarId, { title: 'Inside', ...hour('2027-06-05') });
      const outside = await a.create(calendarId, { title: 'Outside', ...hour('2027-08-05') });
      let { nextSyncToken } = await a.list(calendarId, JUNE);
      const listAll = async () => {
        const changes = await a.list(calendarId, { syncToken: nextSyncToken });
        nextSyncToken = changes.nextSyncToken;
        return changes.items.map(({ id, title, isCancelled }) => [id, title, isCancelled]);
      };
      await a.touch(outside.id, { subject: 'Still outside' }, calendarId);
      expect(await listAll()).toEqual([]);
      await remove(outside.id);
      expect(await listAll()).toEqual([]);
      for (const subject of ['One', 'Two', 'Three']) await a.touch(inside.id, { subject }, calendarId);
      expect(await listAll()).toEqual([[inside.id, 'Three', false]]);
      await a.change(calendarId, inside.id, hour('2027-07-20'));
      expect(await listAll()).toEqual([[inside.id, undefined, true]]);
      await a.change(calendarId, inside.id, hour('2027-06-20'));
      expect(await listAll()).toEqual([[inside.id, 'Three', false]]);
      await remove(inside.id);
      expect(await listAll()).toEqual([[inside.id, undefined, true]]);
      expect(await listAll()).toEqual([]);
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
      const response = await a.events('GET', calendarId, '', { query: { syncToken: nextSyncToken } });
      expect(code(response)).toBe('410 SyncTokenExpired');
      await a.sandbox.microsoft.clearFaults();
      const { items, nextSyncToken: again } = await a.list(calendarId, JUNE);
      expect([items, typeof again]).toEqual([[], 'string']);
    });

    it('are not over when Graph is busy', async () => {
      const { nextSyncToken } = await a.list(calendarId, JUNE);
      await a.sandbox.microsoft.fault({ methodId: DELTA }, { type: 'status', status: 503, body: {} });
      const response = await a.events('GET', calendarId, '', { query: { syncToken: nextSyncToken } });
      expect(code(response)).toBe('502 ProviderUnavailable');
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

  describe('windows that are longer than Graph shows at once', () => {
    const YEARS = { startDateTime: '2020-01-01T00:00:00Z', endDateTime: '2060-01-01T00:00:00Z' };

    it('are refused by Graph itself', async () => {
      const query = { startDateTime: YEARS.startDateTime, endDateTime: '2024-12-31T00:00:00Z' };
      const viewed = (methodId: string) =>
        a.sandbox.microsoft.act({ email: ME, methodId, path: { 'calendar-id': calendarId }, query });
      for (const methodId of [VIEW, DELTA]) {
        const { status, body } = await viewed(methodId);
        expect([status, body.error.code]).toEqual([400, 'ErrorInvalidRequest']);
      }
    });

    it.each([false, true])('are listed and synced as a whole; expanded: %s', async (expandRecurrences) => {
      const singles: any[] = [];
      for (const year of [2021, 2027, 2041, 2059]) {
        singles.push(await a.create(calendarId, { title: String(year), ...hour(`${year}-06-05`) }));
      }
      const series = await a.create(calendarId, {
        title: 'Yearly',
        ...hour('2022-03-01'),
        recurrence: ['RRULE:FREQ=YEARLY;COUNT=30'],
      });
      const instances = Array.from({ length: 30 }, (_, at) => `${series.id}_${2022 + at}0301T090000Z`);
      const shown = [...singles.map(({ id }) => id), ...(expandRecurrences ? instances : [series.id])];
      const { items, nextSyncToken } = await a.list(calendarId, { ...YEARS, expandRecurrences, pageSize: 7 });
      expect(items.map(({ id }) => id).sort()).toEqual(shown.sort());
      expect((await a.list(calendarId, { syncToken: nextSyncToken })).items).toEqual([]);
      await remove(singles[3].id);
      await a.events('DELETE', calendarId, path(instances[20]!));
      const changes = await a.list(calendarId, { syncToken: nextSyncToken });
      const gone = changes.items.filter(({ isCancelled }) => isCancelled).map(({ id }) => id);
      expect(gone.sort()).toEqual([singles[3].id, ...(expandRecurrences ? [instances[20]] : [])].sort());
      expect(changes.items.some(({ id }) => id === series.id)).toBe(!expandRecurrences);
      const { items: occurrences } = await a.list(calendarId, YEARS, `${path(series.id)}/occurrences`);
      expect(occurrences.map(({ id }) => id)).toEqual(instances.filter((_, at) => at !== 20));
    });
  });

  describe('a list without both bounds', () => {
    it('misses nothing that is deleted, changed or made between its pages', async () => {
      const made: any[] = [];
      for (let at = 0; at < 9; at += 1) {
        made.push(await a.create(calendarId, { title: `At ${at}`, ...hour('2027-06-05') }));
      }
      const query = { pageSize: 3 };
      const first = await a.events('GET', calendarId, '', { query });
      const seen = first.body.data.map(({ id }: any) => id);
      expect(seen).toEqual(made.slice(0, 3).map(({ id }) => id));
      await remove(seen[0]);
      await remove(seen[2]);
      await a.touch(made[8].id, { subject: 'Changed' }, calendarId);
      const added = await a.create(calendarId, { title: 'New', ...hour('2027-06-01') });
      let { nextPageToken } = first.body;
      while (nextPageToken != null) {
        const { status, body } = await a.events('GET', calendarId, '', {
          query: { ...query, pageToken: nextPageToken },
        });
        expect(status).toBe(200);
        seen.push(...body.data.map(({ id }: any) => id));
        nextPageToken = body.nextPageToken;
      }
      expect(seen).toEqual([...made, added].map(({ id }) => id));
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
    const query = { startDateTime: '2000-01-01T00:00:00Z', endDateTime: '2100-02-01T00:00:00Z' };
    expect(code(await a.events('GET', calendarId, '', { query }))).toBe('400 ValidationFailed');
    expect(await a.sandbox.microsoft.requests({ methodId: VIEW })).toEqual([]);
    const longest = { ...query, endDateTime: '2099-12-01T00:00:00Z' };
    expect((await a.events('GET', calendarId, '', { query: longest })).status).toBe(200);
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
      const responses = await Promise.all([
        a.service.call('GET', `/v1/calendars/${accountId}`),
        a.service.call('GET', `/v1/events/${accountId}/${encodeURIComponent(primary)}`),
      ]);
      for (const response of responses) {
        expect([code(response), response.body.message]).toEqual(['404 NotFound', expect.stringContaining('mailbox')]);
      }
      expect((await a.service.call('GET', `/v1/endUserAccounts/${accountId}`)).body.status).toBe('ACTIVE');
    });
  });
});

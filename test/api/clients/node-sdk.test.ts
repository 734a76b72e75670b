// 20 s: all of the public client with four providers, two of them with sign-in pages.
import type * as Sdk from '@apiroc/unified-calendar-api-node-sdk';
import { GOOGLE, MICROSOFT } from '../../browser/sign-in-subjects.js';
import { startCalDavSubject } from '../../conformance/caldav-subject.js';
import { Visitor } from '../../sandbox/visitor.js';
import { Browser } from '../../support/browser.js';

// The public client, unmodified (2.0.1), used the way its own README and types say.

const PASSWORD = 'abcd-efgh-ijkl-mnop';
const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}/;

let sdk: typeof Sdk;

beforeAll(async () => {
  process.env['LOG_LEVEL'] = 'silent'; // it logs every error to the console as it is loaded
  sdk = await import('@apiroc/unified-calendar-api-node-sdk');
});

describe.each(['APPLE', 'CALDAV'] as const)('the public Node client with an account of %s', (type) => {
  let fixture: Awaited<ReturnType<typeof startCalDavSubject>>;
  let api: Sdk.UnifiedCalendarApi;
  let account: Sdk.EndUserAccount;
  let calendar: Sdk.Calendar;

  /** The client's types know no CALDAV yet; it sends what it is given. */
  const credentials = (password = PASSWORD): Sdk.UpsertEndUserAccountInput => {
    const login = { email: 'alice@example.test', password, providerType: type as Sdk.ProviderType };
    return type === 'CALDAV' ? Object.assign(login, { serverUrl: fixture.serverUrl }) : login;
  };

  beforeAll(async () => {
    fixture = await startCalDavSubject('radicale', type);
    api = new sdk.UnifiedCalendarApi({ apiKey: fixture.service.apiKey, unifiedApiBaseUrl: fixture.service.baseUrl });
    account = await api.endUserAccounts.upsert({ ...credentials(), externalId: 'user-1' });
    calendar = await api.calendars.create(account.id, {
      name: 'SDK',
      hexColor: '#1a73e8',
      timeZone: 'Europe/Berlin',
    });
  });

  afterAll(() => fixture?.stop());

  const create = (event: Partial<Sdk.CreateEventInput> = {}): Promise<Sdk.Event> =>
    api.events.create(account.id, calendar.id, {
      title: 'Planning',
      start: { dateTime: '2033-03-01T09:00:00', timeZone: 'Europe/Berlin' },
      end: { dateTime: '2033-03-01T10:00:00', timeZone: 'Europe/Berlin' },
      ...event,
    });

  describe('endUserAccounts', () => {
    it('upsert answers the account, and the same one again', async () => {
      expect(account).toMatchObject({
        email: 'alice@example.test',
        externalId: 'user-1',
        status: sdk.EndUserAccountCredentialStatus.ACTIVE,
        providerType: type,
        applicationId: fixture.service.applicationId,
        authorizedScopes: [],
        providerAccountId: null,
        createdAt: expect.stringMatching(ISO),
        updatedAt: expect.stringMatching(ISO),
      });
      const again = await api.endUserAccounts.upsert({ ...credentials(), authorizedScopes: ['all'] });
      expect(again).toMatchObject({ id: account.id, createdAt: account.createdAt, authorizedScopes: [] });
    });

    it('get and list find it, by status, search and page', async () => {
      expect(await api.endUserAccounts.get(account.id)).toMatchObject({ id: account.id });
      for (const params of [undefined, { limit: 1 }, { search: 'ALICE' }, { statusFilter: 'active' as const }]) {
        const page = await api.endUserAccounts.list(params);
        expect(page.data.map(({ id }) => id)).toEqual([account.id]);
        expect(page.nextPageToken ?? undefined).toBeUndefined();
      }
      expect((await api.endUserAccounts.list({ statusFilter: 'expired' })).data).toEqual([]);
    });

    it('getCredentials answers without a password', async () => {
      const found = await api.endUserAccounts.getCredentials(account.id);
      expect(found).toMatchObject({ endUserAccountId: account.id, status: 'ACTIVE', accessToken: null });
      expect(JSON.stringify(found)).not.toContain(PASSWORD);
    });

    it('delete removes it, and upsert brings it back as another', async () => {
      const second = new sdk.UnifiedCalendarApi({
        apiKey: (await fixture.service.createApplication('second')).apiKey,
        unifiedApiBaseUrl: fixture.service.baseUrl,
      });
      const made = await second.endUserAccounts.upsert(credentials());
      expect(await second.endUserAccounts.delete(made.id)).toMatchObject({ success: true });
      await expect(second.endUserAccounts.get(made.id)).rejects.toBeInstanceOf(sdk.NotFoundError);
      expect((await second.endUserAccounts.upsert(credentials())).id).not.toBe(made.id);
    });
  });

  it('basicAuth.connect answers the account', async () => {
    const { email, ...rest } = credentials();
    const { providerType: _, ...body } = { email, ...rest };
    const connected = await api.basicAuth.connect(
      fixture.service.applicationId,
      type.toLowerCase() as 'apple',
      body as Sdk.ConnectAppleInput,
    );
    expect(connected).toMatchObject({ id: account.id, status: 'ACTIVE', providerType: type });
  });

  it('calendars: list, get, create, update, delete', async () => {
    expect(calendar).toMatchObject({ id: expect.any(String), name: 'SDK', readOnly: false, timeZone: 'Europe/Berlin' });
    expect(calendar.hexColor).toMatch(/^#1a73e8$/i);
    const page = await api.calendars.list(account.id, { pageSize: 250 });
    expect(page.data.map(({ id }) => id)).toContain(calendar.id);
    expect(await api.calendars.get(account.id, calendar.id)).toEqual(page.data.find(({ id }) => id === calendar.id));
    const other = await api.calendars.create(account.id, { name: 'Another' });
    const updated = await api.calendars.update(account.id, other.id, { name: 'Renamed', hexColor: '#00ff00' });
    expect(updated).toMatchObject({ id: other.id, name: 'Renamed' });
    expect(updated.hexColor).toMatch(/^#00ff00$/i);
    const changes = await api.calendars.list(account.id, { syncToken: page.nextSyncToken as string });
    expect(changes.data.map(({ id }) => id)).toEqual([other.id]);
    expect(await api.calendars.delete(account.id, other.id)).toEqual({ success: true });
    await expect(api.calendars.get(account.id, other.id)).rejects.toBeInstanceOf(sdk.NotFoundError);
  });

  describe('events', () => {
    it('create, get, update, delete', async () => {
      const made = await create({
        description: 'Agenda follows.',
        location: 'Room 1',
        colorId: sdk.EventColorId.PEACOCK,
        transparency: 'opaque',
        visibility: 'private',
        reminders: { useDefault: false, overrides: [{ method: 'popup', minutes: 10 }] },
        attendees: [{ email: 'bob@example.test', name: 'Bob' }],
        publicExtendedProperties: { project: 'apollo' },
        privateExtendedProperties: { crm: '4711' },
      });
      expect(made).toMatchObject({
        title: 'Planning',
        description: 'Agenda follows.',
        location: 'Room 1',
        start: { dateTime: '2033-03-01T09:00:00+01:00', timeZone: 'Europe/Berlin' },
        isAllDay: false,
        isCancelled: false,
        transparency: 'opaque',
        visibility: 'private',
        publicExtendedProperties: { project: 'apollo' },
        privateExtendedProperties: { crm: '4711' },
        iCalUid: expect.any(String),
        etag: expect.any(String),
      });
      expect(made.attendees?.map(({ email }) => email)).toContain('bob@example.test');
      expect(await api.events.get(account.id, calendar.id, made.id)).toEqual(made);
      const updated = await api.events.update(account.id, calendar.id, made.id, { title: 'Moved' });
      expect(updated).toMatchObject({ id: made.id, title: 'Moved', location: 'Room 1' });
      expect(await api.events.delete(account.id, calendar.id, made.id)).toEqual({ success: true });
      await expect(api.events.get(account.id, calendar.id, made.id)).rejects.toBeInstanceOf(sdk.NotFoundError);
    });

    it('take back what they gave: an event that was read can be written as it is', async () => {
      const made = await create({
        recurrence: ['RRULE:FREQ=WEEKLY;COUNT=3'],
        attendees: [{ email: 'bob@example.test' }],
      });
      const written = await api.events.update(account.id, calendar.id, made.id, { ...made, title: 'Again' });
      const { etag: _, updatedAt: __, title: ___, ...same } = written;
      expect(made).toMatchObject(same);
      expect(written.title).toBe('Again');
      const copy = await api.events.create(account.id, calendar.id, made);
      expect(copy.id).not.toBe(made.id);
      for (const { id } of [made, copy]) await api.events.delete(account.id, calendar.id, id);
    });

    it('list takes Date objects, a metadata object, an order, a search and booleans', async () => {
      const made = [
        await create({
          title: 'Second',
          start: { dateTime: '2034-01-11T09:00:00Z' },
          end: { dateTime: '2034-01-11T10:00:00Z' },
        }),
        await create({
          title: 'First',
          start: { dateTime: '2034-01-10T09:00:00Z' },
          end: { dateTime: '2034-01-10T10:00:00Z' },
          privateExtendedProperties: { deal: '7' },
        }),
      ];
      const window = { startDateTime: new Date('2034-01-01T00:00:00Z'), endDateTime: new Date('2034-02-01T00:00:00Z') };
      const titles = async (params: Sdk.ListEventsParams) =>
        (await api.events.list(account.id, calendar.id, { ...window, ...params })).data.map(({ title }) => title);
      expect((await titles({})).sort()).toEqual(['First', 'Second']);
      const ordered = { expandRecurrences: true, orderBy: sdk.EventOrderBy.START_TIME };
      expect(await titles(ordered)).toEqual(['First', 'Second']);
      expect(await titles({ ...ordered, orderBy: sdk.EventOrderBy.UPDATED })).toHaveLength(2);
      expect(await titles({ metadataFilters: { deal: '7' } })).toEqual(['First']);
      expect(await titles({ search: 'seco' })).toEqual(['Second']);
      expect(await titles({ isAllDay: true })).toEqual([]);
      expect(await titles({ isCancelled: false, updatedAfter: new Date(0) })).toHaveLength(2);
      const [shown] = (await api.events.list(account.id, calendar.id, { ...window, timeZone: 'Asia/Tokyo' })).data;
      expect(shown?.start).toMatchObject({ dateTime: expect.stringMatching(/\+09:00$/), timeZone: 'Asia/Tokyo' });
      for (const { id } of made) await api.events.delete(account.id, calendar.id, id);
    });

    it('list is read page by page with nextPageToken, then changes with nextSyncToken', async () => {
      const paged = await api.calendars.create(account.id, { name: 'Paged' });
      const start = (day: number) => ({ dateTime: `2033-05-0${day}T09:00:00Z` });
      const made: string[] = [];
      for (const day of [1, 2, 3, 4, 5]) {
        const event = { title: `Event ${day}`, start: start(day), end: { dateTime: `2033-05-0${day}T10:00:00Z` } };
        made.push((await api.events.create(account.id, paged.id, event)).id);
      }
      const seen: string[] = [];
      let page: Sdk.PaginatedResponse<Sdk.Event> | undefined;
      do {
        page = await api.events.list(account.id, paged.id, {
          pageSize: 2,
          ...(page?.nextPageToken != null && { pageToken: page.nextPageToken }),
        });
        seen.push(...page.data.map(({ id }) => id));
      } while (page.nextPageToken);
      expect(seen.sort()).toEqual(made.sort());

      let syncToken = page.nextSyncToken as string;
      const changes = async () => {
        const changed = await api.events.list(account.id, paged.id, { syncToken });
        syncToken = changed.nextSyncToken as string;
        return changed.data.map(({ id, isCancelled }) => [id, isCancelled]);
      };
      expect(await changes()).toEqual([]);
      const [first, second] = made as [string, string];
      await api.events.update(account.id, paged.id, first, { title: 'Changed' });
      expect(await changes()).toEqual([[first, false]]);
      await api.events.delete(account.id, paged.id, second);
      expect(await changes()).toEqual([[second, true]]);
      expect(await changes()).toEqual([]);
      await api.calendars.delete(account.id, paged.id);
    });

    it('getOccurrences answers the instances of a series, which can be changed one by one', async () => {
      const series = await create({ title: 'Daily', recurrence: ['RRULE:FREQ=DAILY;COUNT=5'] });
      expect(series).toMatchObject({ isRecurring: true, recurrence: ['RRULE:FREQ=DAILY;COUNT=5'] });
      const window = { startDateTime: new Date('2033-03-02T00:00:00Z'), endDateTime: '2033-03-05T00:00:00Z' };
      const { data } = await api.events.getOccurrences(account.id, calendar.id, series.id, window);
      expect(data).toHaveLength(3);
      for (const instance of data) {
        expect(instance).toMatchObject({ recurringEventId: series.id, title: 'Daily' });
        expect(instance.id.startsWith(`${series.id}_`)).toBe(true);
      }
      const instance = data[1] as Sdk.Event;
      await api.events.update(account.id, calendar.id, instance.id, { title: 'This one' });
      await api.events.delete(account.id, calendar.id, (data[0] as Sdk.Event).id);
      const after = await api.events.getOccurrences(account.id, calendar.id, series.id, window);
      expect(after.data.map(({ title }) => title).sort()).toEqual(['Daily', 'This one']);
      await api.events.delete(account.id, calendar.id, series.id);
    });

    it('rsvp answers an invitation', async () => {
      const iCalUid = await fixture.subject.elsewhere.invite(calendar.id, {
        title: 'Invitation',
        startUtc: '2033-06-10T09:00:00Z',
        endUtc: '2033-06-10T10:00:00Z',
      });
      const { data } = await api.events.list(account.id, calendar.id, { search: 'Invitation' });
      const invitation = data.find((event) => event.iCalUid === iCalUid) as Sdk.Event;
      expect(invitation.myResponseStatus).toBe('needsAction');
      expect(await api.events.rsvp(account.id, calendar.id, invitation.id, { responseStatus: 'accepted' })).toEqual({
        success: true,
      });
      expect((await api.events.get(account.id, calendar.id, invitation.id)).myResponseStatus).toBe('accepted');
      await api.events.delete(account.id, calendar.id, invitation.id);
    });
  });

  it('freeBusy.get takes Date objects and answers a bare array', async () => {
    const made = await create({
      start: { dateTime: '2033-09-01T09:00:00Z' },
      end: { dateTime: '2033-09-01T10:30:00Z' },
    });
    const busy = await api.freeBusy.get(account.id, {
      startDateTime: new Date('2033-09-01T00:00:00Z'),
      endDateTime: new Date('2033-09-02T00:00:00Z'),
      timeZone: 'Europe/Berlin',
      calendarIds: [calendar.id],
    });
    expect(busy).toEqual([
      {
        calendarId: calendar.id,
        busySlots: [
          {
            start: { dateTime: '2033-09-01T11:00:00+02:00', timeZone: 'Europe/Berlin' },
            end: { dateTime: '2033-09-01T12:30:00+02:00', timeZone: 'Europe/Berlin' },
          },
        ],
      },
    ]);
    await api.events.delete(account.id, calendar.id, made.id);
  });

  describe('its errors', () => {
    const failure = (work: Promise<unknown>): Promise<Sdk.APIRequestError> =>
      work.then(
        () => {
          throw new Error('nothing was refused');
        },
        (error: Sdk.APIRequestError) => error,
      );
    const withKey = (apiKey: string) =>
      new sdk.UnifiedCalendarApi({ apiKey, unifiedApiBaseUrl: fixture.service.baseUrl });

    it('AuthenticationError for a wrong key, with our sentence', async () => {
      const error = await failure(withKey('wrong').endUserAccounts.list());
      expect(error).toBeInstanceOf(sdk.AuthenticationError);
      expect(error).toMatchObject({ status: 401, message: 'The application key is not valid.' });
    });

    it('AuthorizationError for a key without the scope', async () => {
      const options = ['--application', fixture.service.applicationId, '--name', 'reader', '--expires', 'never'];
      const { apiKey } = await fixture.service.ops('api-key', 'create', ...options, '--scopes', 'read');
      const error = await failure(withKey(apiKey).calendars.create(account.id, { name: 'x' }));
      expect(error).toBeInstanceOf(sdk.AuthorizationError);
      expect(error).toMatchObject({ status: 403, message: expect.stringContaining('write') });
    });

    it('NotFoundError for what is not there', async () => {
      const error = await failure(api.events.get(account.id, calendar.id, 'nothing'));
      expect(error).toBeInstanceOf(sdk.NotFoundError);
      expect(error.status).toBe(404);
    });

    it('RateLimitError with the seconds to wait', async () => {
      const { applicationId } = await fixture.service.ops(
        'application',
        'create',
        '--name',
        'slow',
        '--rate-limit',
        '1',
      );
      const options = ['--application', applicationId, '--name', 'slow', '--expires', 'never'];
      const { apiKey } = await fixture.service.ops('api-key', 'create', ...options);
      const slow = withKey(apiKey);
      const outcomes = await Promise.allSettled([1, 2, 3].map(() => slow.endUserAccounts.list()));
      const rejected = outcomes.find(({ status }) => status === 'rejected') as PromiseRejectedResult;
      expect(rejected.reason).toBeInstanceOf(sdk.RateLimitError);
      expect(rejected.reason.retryAfter).toBeGreaterThanOrEqual(1);
    });

    it('APIRequestError with code and details for a request that is not valid', async () => {
      const error = await failure(create({ start: { dateTime: 'tomorrow' } }));
      expect(error).toBeInstanceOf(sdk.APIRequestError);
      expect(error).toMatchObject({
        status: 400,
        code: 'ValidationFailed',
        details: [{ path: 'start.dateTime', message: expect.any(String) }],
      });
    });

    it('APIRequestError with code for credentials that the provider refuses', async () => {
      const error = await failure(api.endUserAccounts.upsert(credentials('wrong')));
      expect(error).toMatchObject({ name: 'APIRequestError', status: 400, code: 'CredentialsRejected' });
    });
  });
});

describe.each([
  {
    ...{ subject: GOOGLE, email: 'ada@example.com', calendarId: 'ada@example.com' },
    ...{ providerAccountId: /^\d+$/, scope: 'https://www.googleapis.com/auth/calendar' },
  },
  {
    ...{ subject: MICROSOFT, email: 'ida@fabrikam.example', calendarId: expect.any(String) },
    ...{ providerAccountId: /^[0-9a-f-]{36}\.[0-9a-f-]{36}$/, scope: 'calendars.readwrite' },
  },
  {
    ...{ subject: MICROSOFT, email: 'pat@outlook.com', calendarId: expect.any(String) },
    ...{ providerAccountId: /^9188040d-6c67-4c5b-b112-36a304b66dad\.[0-9a-f-]{36}$/, scope: 'calendars.readwrite' },
  },
])('the public Node client with an account of $subject.providerType', (expected) => {
  const { subject, email, calendarId, providerAccountId, scope } = expected;

  it(`connects ${email}: getOAuthUrl leads to an account that its calls work with`, async () => {
    const { sandbox, service, stop } = await subject.start();
    try {
      const { applicationId, apiKey, baseUrl } = service;
      const redirectUrl = 'https://app.example.test/connected?tab=calendars';
      await service.ops('redirect-url', 'add', '--application', applicationId, '--url', 'https://app.example.test/');
      await service.ops('redirect-url', 'add', '--application', applicationId, '--url', redirectUrl);
      await subject.half(sandbox).addUser({ email });

      const state = Buffer.from('{"user":42}').toString('base64');
      const url = sdk.getOAuthUrl(applicationId, subject.providerType, {
        ...{ redirectUrl, externalId: 'user-42', loginHint: email, prompt: 'consent', state },
        unifiedApiBaseUrl: baseUrl,
      });
      const browser = new Browser();
      const { location } = await browser.visit(url);
      const { url: callback } = await new Visitor(subject.origin(sandbox)).signIn(location ?? '', email);
      const home = new URL((await browser.visit(callback)).location ?? '');
      expect(home.href.startsWith(`${redirectUrl}&`)).toBe(true);
      expect(home.searchParams.get('state')).toBe(state);

      const api = new sdk.UnifiedCalendarApi({ apiKey, unifiedApiBaseUrl: baseUrl });
      const account = await api.endUserAccounts.get(home.searchParams.get('endUserAccountId') ?? '');
      expect(account).toMatchObject({
        ...{ email, externalId: 'user-42', providerType: subject.providerType },
        status: sdk.EndUserAccountCredentialStatus.ACTIVE,
        providerAccountId: expect.stringMatching(providerAccountId),
        authorizedScopes: expect.arrayContaining([scope]),
      });
      expect(await api.endUserAccounts.getCredentials(account.id)).toMatchObject({
        ...{ endUserAccountId: account.id, status: 'ACTIVE' },
        ...{ accessToken: expect.stringMatching(/./), refreshToken: expect.stringMatching(/./) },
      });
      const [calendar] = (await api.calendars.list(account.id)).data;
      expect(calendar).toMatchObject({ id: calendarId, isPrimary: true });

      const start = { dateTime: '2033-03-01T09:00:00', timeZone: 'Europe/Berlin' };
      const end = { dateTime: '2033-03-01T10:00:00', timeZone: 'Europe/Berlin' };
      const made = await api.events.create(account.id, 'primary', { title: 'Planning', start, end });
      expect(made.start).toMatchObject({ dateTime: '2033-03-01T09:00:00+01:00', timeZone: 'Europe/Berlin' });
      expect(await api.events.get(account.id, 'primary', made.id)).toEqual(made);
      const window = { startDateTime: new Date('2033-03-01'), endDateTime: new Date('2033-03-02') };
      const page = await api.events.list(account.id, 'primary', window);
      expect(page.data).toEqual([made]);
      const updated = await api.events.update(account.id, 'primary', made.id, { title: 'Moved' });
      expect(updated).toMatchObject({ id: made.id, title: 'Moved' });
      const changes = await api.events.list(account.id, 'primary', { syncToken: page.nextSyncToken as string });
      expect(changes.data.map(({ id, title }) => [id, title])).toEqual([[made.id, 'Moved']]);
      const [busy] = await api.freeBusy.get(account.id, { ...window, timeZone: 'UTC', calendarIds: ['primary'] });
      expect(busy?.busySlots).toHaveLength(1);
      expect(await api.events.delete(account.id, 'primary', made.id)).toEqual({ success: true });

      const webhookUrl = 'https://8.8.8.8/hooks';
      const subscribed = await api.calendarSubscriptions.create(account.id, {
        ...{ calendarId: 'primary', webhookUrl, rateLimit: 5, subscriptionType: 'event' },
      });
      expect(subscribed.endpointSecret).toMatch(/^whsec_/);
      const subscriptions = await api.calendarSubscriptions.list(account.id, { limit: 1 });
      expect(subscriptions.data).toEqual([
        expect.objectContaining({
          ...{ id: subscribed.webhookSubscriptionId, endUserAccountId: account.id, calendarId, url: webhookUrl },
          ...{ provider: subject.providerType, expiration: expect.stringMatching(ISO) },
        }),
      ]);
      expect(await api.calendarSubscriptions.delete(account.id, subscribed.webhookSubscriptionId)).toEqual({
        success: true,
      });
      expect((await api.calendarSubscriptions.list(account.id)).data).toEqual([]);
      await sandbox.expectNoViolations();
    } finally {
      await stop();
    }
  });
});

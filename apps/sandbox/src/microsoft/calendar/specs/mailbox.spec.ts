import { at, GUEST, guests, hour, IDA, MailboxFixture, NAMESAKE, OMAR, PIA, type Json } from './mailbox-fixture.js';

let fixture: MailboxFixture;
beforeEach(() => {
  fixture = new MailboxFixture();
});

describe('a user', () => {
  it('is told with the address that there is', async () => {
    expect(await fixture.body(IDA, 'getMe')).toMatchObject({
      id: IDA.oid,
      displayName: 'Ida Berg',
      givenName: 'Ida',
      surname: 'Berg',
      mail: 'ida.berg@fabrikam.example',
      userPrincipalName: 'ida@fabrikam.example',
    });
    expect(await fixture.body(GUEST, 'getMe')).toMatchObject({ mail: null });
  });

  it('with a personal account has another id here than in tokens', async () => {
    expect((await fixture.body(PIA, 'getMe'))['id']).toMatch(/^[0-9a-f]{16}$/);
  });

  it('has a zone, where there is a mailbox', async () => {
    expect(await fixture.body(IDA, 'getMailboxSettings')).toMatchObject({
      timeZone: 'W. Europe Standard Time',
      workingHours: { timeZone: { name: 'W. Europe Standard Time' } },
    });
    expect(await fixture.refusal(GUEST, 'getMailboxSettings')).toBe('404 MailboxNotEnabledForRESTAPI');
  });
});

describe('N40 objects of two directories with one id', () => {
  const subscription = {
    ...{ resource: 'me/events', changeType: 'created', notificationUrl: 'https://receiver.example/' },
    expirationDateTime: '2026-11-22T09:00:00Z',
  };

  it('have calendars and events of their own', async () => {
    const { id } = await fixture.create(IDA, { subject: 'Hers', ...hour(9) });
    expect(await fixture.list(NAMESAKE)).toEqual([]);
    expect(await fixture.refusal(NAMESAKE, 'get_me_events_By_event_id', { path: { 'event-id': id } })).toBe(
      '404 ErrorItemNotFound',
    );
    const calendarsOf = async (user: typeof IDA) => (await fixture.body(user, 'list_me_calendars'))['value'];
    const [hers, theirs] = [await calendarsOf(IDA), await calendarsOf(NAMESAKE)];
    expect([hers.length, theirs.length]).toEqual([1, 1]);
    expect(theirs[0].id).not.toBe(hers[0].id);
  });

  it('invite each other', async () => {
    await fixture.create(IDA, { subject: 'Both', ...hour(9), ...guests(NAMESAKE.email) });
    expect(await fixture.list(NAMESAKE)).toMatchObject([{ subject: 'Both', isOrganizer: false }]);
    expect(await fixture.list(IDA)).toHaveLength(1);
  });

  it('may use one transactionId each', async () => {
    const body = { subject: 'Once', transactionId: 't-1', ...hour(9) };
    const [hers, theirs] = [await fixture.create(IDA, body), await fixture.create(NAMESAKE, body)];
    expect(theirs['id']).not.toBe(hers['id']);
  });

  it('see no subscriptions of each other, and lose no delta links of each other', async () => {
    const { id } = await fixture.body(IDA, 'createSubscription', { body: subscription });
    expect(await fixture.refusal(NAMESAKE, 'deleteSubscription', { path: { 'subscription-id': id } })).toBe(
      '404 ResourceNotFound',
    );
    expect(fixture.api.subscriptions()).toMatchObject([{ email: IDA.email }]);
    const query = { startDateTime: '2026-12-01T00:00:00Z', endDateTime: '2026-12-02T00:00:00Z' };
    await fixture.delta(IDA, { query });
    expect(fixture.api.expireDeltaTokens({ email: NAMESAKE.email! })).toBe(0);
    expect(fixture.api.expireDeltaTokens({ email: IDA.email! })).toBe(1);
  });

  it('keep their mailboxes over a restart', async () => {
    await fixture.create(IDA, { subject: 'Hers', ...hour(9) });
    fixture.memory.restore(fixture.memory.snapshot());
    expect(await fixture.list(NAMESAKE)).toEqual([]);
    expect(await fixture.list(IDA)).toHaveLength(1);
  });
});

describe('a schedule', () => {
  const ask = { startTime: at('2026-12-01T08:00:00'), endTime: at('2026-12-01T10:00:00') };
  const read = async (body: Json) => (await fixture.body(IDA, 'getSchedule_me_calendar', { body }))['value'] as Json[];

  it('tells when somebody works', async () => {
    expect(await read({ ...ask, schedules: [OMAR.email] })).toMatchObject([
      { scheduleId: OMAR.email, workingHours: { timeZone: { name: OMAR.mailboxTimeZone } } },
    ]);
  });

  it('of nobody is an error of its own', async () => {
    expect(await read({ ...ask, schedules: ['nobody@fabrikam.example'] })).toMatchObject([
      { error: { responseCode: '5016' } },
    ]);
  });

  it('has a window of 62 days, and no view of availability', async () => {
    const rejection = (more: Json, user = IDA) =>
      fixture.refusal(user, 'getSchedule_me_calendar', { body: { ...ask, schedules: [OMAR.email], ...more } });
    expect(await rejection({ endTime: at('2027-02-01T08:00:01') })).toBe('400 ErrorTimeIntervalTooBig');
    expect(await rejection({ endTime: ask.startTime })).toBe('400 ErrorInvalidRequest');
    expect(await rejection({ availabilityViewInterval: 60 })).toBe('501 NotImplemented');
    expect(await rejection({}, PIA)).toBe('403 ErrorAccessDenied');
  });
});

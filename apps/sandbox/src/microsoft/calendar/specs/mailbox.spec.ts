import { at, GUEST, guests, hour, IDA, MailboxFixture, NAMESAKE, OMAR, PIA, type Json } from './mailbox-fixture.js';

let house: MailboxFixture;
beforeEach(() => {
  house = new MailboxFixture();
});

describe('a user', () => {
  it('is told with the address that there is', async () => {
    expect(await house.body(IDA, 'getMe')).toMatchObject({
      id: IDA.oid,
      displayName: 'Ida Berg',
      givenName: 'Ida',
      surname: 'Berg',
      mail: 'ida.berg@fabrikam.example',
      userPrincipalName: 'ida@fabrikam.example',
    });
    expect(await house.body(GUEST, 'getMe')).toMatchObject({ mail: null });
  });

  it('with a personal account has another id here than in tokens', async () => {
    expect((await house.body(PIA, 'getMe'))['id']).toMatch(/^[0-9a-f]{16}$/);
  });

  it('has a zone, where there is a mailbox', async () => {
    expect(await house.body(IDA, 'getMailboxSettings')).toMatchObject({
      timeZone: 'W. Europe Standard Time',
      workingHours: { timeZone: { name: 'W. Europe Standard Time' } },
    });
    expect(await house.refusal(GUEST, 'getMailboxSettings')).toBe('404 MailboxNotEnabledForRESTAPI');
  });
});

describe('N40 objects of two directories with one id', () => {
  const subscription = {
    ...{ resource: 'me/events', changeType: 'created', notificationUrl: 'https://receiver.example/' },
    expirationDateTime: '2026-11-22T09:00:00Z',
  };

  it('have calendars and events of their own', async () => {
    const { id } = await house.create(IDA, { subject: 'Hers', ...hour(9) });
    expect(await house.list(NAMESAKE)).toEqual([]);
    expect(await house.refusal(NAMESAKE, 'get_me_events_By_event_id', { path: { 'event-id': id } })).toBe(
      '404 ErrorItemNotFound',
    );
    const calendarsOf = async (user: typeof IDA) => (await house.body(user, 'list_me_calendars'))['value'];
    const [hers, theirs] = [await calendarsOf(IDA), await calendarsOf(NAMESAKE)];
    expect([hers.length, theirs.length]).toEqual([1, 1]);
    expect(theirs[0].id).not.toBe(hers[0].id);
  });

  it('invite each other', async () => {
    await house.create(IDA, { subject: 'Both', ...hour(9), ...guests(NAMESAKE.email) });
    expect(await house.list(NAMESAKE)).toMatchObject([{ subject: 'Both', isOrganizer: false }]);
    expect(await house.list(IDA)).toHaveLength(1);
  });

  it('may use one transactionId each', async () => {
    const body = { subject: 'Once', transactionId: 't-1', ...hour(9) };
    const [hers, theirs] = [await house.create(IDA, body), await house.create(NAMESAKE, body)];
    expect(theirs['id']).not.toBe(hers['id']);
  });

  it('see no subscriptions of each other, and lose no delta links of each other', async () => {
    const { id } = await house.body(IDA, 'createSubscription', { body: subscription });
    expect(await house.refusal(NAMESAKE, 'deleteSubscription', { path: { 'subscription-id': id } })).toBe(
      '404 ResourceNotFound',
    );
    expect(house.api.subscriptions()).toMatchObject([{ email: IDA.email }]);
    const query = { startDateTime: '2026-12-01T00:00:00Z', endDateTime: '2026-12-02T00:00:00Z' };
    await house.delta(IDA, { query });
    expect(house.api.expireDeltaTokens({ email: NAMESAKE.email! })).toBe(0);
    expect(house.api.expireDeltaTokens({ email: IDA.email! })).toBe(1);
  });

  it('keep their mailboxes over a restart', async () => {
    await house.create(IDA, { subject: 'Hers', ...hour(9) });
    house.memory.restore(house.memory.snapshot());
    expect(await house.list(NAMESAKE)).toEqual([]);
    expect(await house.list(IDA)).toHaveLength(1);
  });
});

describe('a schedule', () => {
  const ask = { startTime: at('2026-12-01T08:00:00'), endTime: at('2026-12-01T10:00:00') };
  const read = async (body: Json) => (await house.body(IDA, 'getSchedule_me_calendar', { body }))['value'] as Json[];

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
    const refusal = (more: Json, user = IDA) =>
      house.refusal(user, 'getSchedule_me_calendar', { body: { ...ask, schedules: [OMAR.email], ...more } });
    expect(await refusal({ endTime: at('2027-02-01T08:00:01') })).toBe('400 ErrorTimeIntervalTooBig');
    expect(await refusal({ endTime: ask.startTime })).toBe('400 ErrorInvalidRequest');
    expect(await refusal({ availabilityViewInterval: 60 })).toBe('501 NotImplemented');
    expect(await refusal({}, PIA)).toBe('403 ErrorAccessDenied');
  });
});

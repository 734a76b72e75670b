import { clientOver, openConnection, refusal, sessionOf } from './testing/microsoft-client.js';
import { ScriptedEgress, type Scripted } from '#providers/kit/testing/scripted-egress';

const PRIMARY = 'GET /v1.0/me/calendar';
const SETTINGS = 'GET /v1.0/me/mailboxSettings';
const SCHEDULE = 'POST /v1.0/me/calendar/getSchedule';
const ENTRY = { id: 'AAMk1=', name: 'Calendar', isDefaultCalendar: true };

describe('GraphAccountClient', () => {
  it('resolves the alias of the default calendar, and keeps it under both names for ten minutes', async () => {
    const egress = new ScriptedEgress().on(PRIMARY, { json: ENTRY });
    const { connection, clock } = clientOver(egress);
    expect((await connection.calendar('primary')).id).toBe('AAMk1=');
    await connection.calendar('primary');
    await connection.calendar('AAMk1=');
    expect(egress.requests).toHaveLength(1);
    clock.nowMs += 601_000;
    await connection.calendar('primary');
    expect(egress.requests).toHaveLength(2);
    expect(new URL(egress.requests[0]!.url).searchParams.get('$expand')).toMatch(/ucHexColor.*ucTimeZone/);
  });

  it('keeps the calendars of accounts apart', async () => {
    const egress = new ScriptedEgress().on(PRIMARY, { json: ENTRY });
    const { connection, deps } = clientOver(egress);
    await connection.calendar('primary');
    await openConnection(deps, sessionOf({ accountId: 'other' })).calendar('primary');
    await openConnection(deps, sessionOf({ applicationId: 'other' })).calendar('primary');
    expect(egress.requests).toHaveLength(3);
  });

  it.each([
    [404, 'ErrorItemNotFound'],
    [410, 'gone'],
    [400, 'ErrorInvalidIdMalformed'],
  ])('tells %d %s as an unknown calendar', async (status, code) => {
    const egress = new ScriptedEgress().on('GET /v1.0/me/calendars/x', refusal(status, code));
    await expect(clientOver(egress).connection.calendar('x')).rejects.toMatchObject({ code: 'NotFound' });
  });

  it('does not take a missing mailbox for a missing calendar', async () => {
    const egress = new ScriptedEgress().on(PRIMARY, refusal(404, 'MailboxNotEnabledForRESTAPI'));
    await expect(clientOver(egress).connection.calendar('primary')).rejects.toMatchObject({
      name: 'GraphApiError',
      code: 'MailboxNotEnabledForRESTAPI',
    });
  });

  it.each<Scripted>([{ json: {} }, { json: { id: 7 } }, { status: 204 }])('takes %j for nonsense', async (response) => {
    const egress = new ScriptedEgress().on(PRIMARY, response);
    await expect(clientOver(egress).connection.calendar('primary')).rejects.toMatchObject({
      code: 'ProviderUnavailable',
    });
  });

  it.each(['', '.', '..', 'a'.repeat(3_000), 'a\r\nHost: x', 'a\u0000', '\ud800'])(
    'N19 knows without asking that there is no calendar %j',
    async (calendarId) => {
      const { connection, egress } = clientOver(new ScriptedEgress());
      await expect(connection.calendar(calendarId)).rejects.toMatchObject({ code: 'NotFound' });
      expect(egress.requests).toEqual([]);
    },
  );

  it.each([
    ['../../etc', '..%2F..%2Fetc'],
    ['https://evil.example/x', 'https%3A%2F%2Fevil.example%2Fx'],
    ['a?b#c&d', 'a%3Fb%23c%26d'],
    ['AAMk+/=', 'AAMk%2B%2F%3D'],
  ])('N19 sends %j as one segment of the path', async (calendarId, segment) => {
    const egress = new ScriptedEgress().on(`GET /v1.0/me/calendars/${segment}`, { json: { id: calendarId } });
    expect((await clientOver(egress).connection.calendar(calendarId)).id).toBe(calendarId);
  });

  it('refuses a password', () => {
    const session = sessionOf({ credentials: { kind: 'password', password: 'canary' } });
    expect(() => clientOver(new ScriptedEgress(), session)).toThrow(
      expect.objectContaining({ code: 'CredentialsRejected' }),
    );
  });

  it('takes from the budget, and holds one of three slots of the mailbox, for every try', async () => {
    const egress = new ScriptedEgress().on(PRIMARY, refusal(503, 'serviceNotAvailable'), { json: ENTRY });
    const { connection, budget, slots } = clientOver(egress);
    await connection.calendar('primary');
    expect(budget.taken).toBe(2);
    expect(slots.held).toEqual(Array(2).fill({ account: 'application account', limit: 3 }));
  });
});

describe('mailboxTimeZone', () => {
  const over = (...responses: [Scripted, ...Scripted[]]) =>
    clientOver(new ScriptedEgress().on(SETTINGS, ...responses).on(SCHEDULE, { json: { value: [] } }));

  it.each([
    ['W. Europe Standard Time', 'Europe/Berlin'],
    ['India Standard Time', 'Asia/Kolkata'],
    ['America/New_York', 'America/New_York'],
    ['tzone://Microsoft/Custom', 'UTC'],
    [null, 'UTC'],
  ])('takes %s for %s', async (timeZone, zone) => {
    expect(await over({ json: { timeZone } }).connection.mailboxTimeZone()).toBe(zone);
  });

  it('is asked for once in a while, for each account', async () => {
    const { connection, egress, clock, deps } = over({ json: { timeZone: 'UTC' } });
    await connection.mailboxTimeZone();
    await connection.mailboxTimeZone();
    expect(egress.requests).toHaveLength(1);
    clock.nowMs += 600_001;
    await connection.mailboxTimeZone();
    await openConnection(deps, sessionOf({ accountId: 'other' })).mailboxTimeZone();
    expect(egress.requests).toHaveLength(3);
  });

  it('is the zone of the working hours where the settings may not be read', async () => {
    const { connection, egress } = over(refusal(403, 'ErrorAccessDenied'));
    const workingHours = { timeZone: { name: 'Tokyo Standard Time' } };
    egress.on(SCHEDULE, { json: { value: [{ scheduleId: 'ida.berg@fabrikam.example', workingHours }] } });
    expect(await connection.mailboxTimeZone()).toBe('Asia/Tokyo');
    expect(egress.bodies.at(-1)).toEqual({
      schedules: ['ida.berg@fabrikam.example'],
      startTime: { dateTime: '2026-11-21T00:00:00', timeZone: 'UTC' },
      endTime: { dateTime: '2026-11-22T00:00:00', timeZone: 'UTC' },
    });
  });

  it('is UTC for an account without working hours, such as a personal one', async () => {
    const { connection, egress } = over(refusal(403, 'ErrorAccessDenied'));
    egress.on(SCHEDULE, refusal(400, 'ErrorInvalidRequest'));
    expect(await connection.mailboxTimeZone()).toBe('UTC');
  });

  it.each<[Scripted, Scripted]>([
    [refusal(401, 'InvalidAuthenticationToken'), { json: {} }],
    [refusal(404, 'MailboxNotEnabledForRESTAPI'), { json: {} }],
    [refusal(500, 'x'), { json: {} }],
    [refusal(403, 'ErrorAccessDenied'), refusal(401, 'InvalidAuthenticationToken')],
    [refusal(403, 'ErrorAccessDenied'), refusal(429, 'TooManyRequests')],
    [refusal(403, 'ErrorAccessDenied'), 'reset'],
  ])('is not guessed when the question fails: %j, %j', async (settings, schedule) => {
    const { connection, egress } = over(settings);
    egress.on(SCHEDULE, schedule);
    await expect(connection.mailboxTimeZone()).rejects.toThrow();
  });
});

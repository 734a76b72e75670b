import { clientOver, openConnection, refusal, sessionOf } from './testing/google-client.js';
import { ScriptedEgress } from '#providers/kit/testing/scripted-egress';

const PRIMARY = 'GET /calendar/v3/users/me/calendarList/primary';
const ENTRY = { id: 'mara@example.com', primary: true, accessRole: 'owner' };

describe('GoogleAccountClient', () => {
  it('resolves the alias of the primary calendar, and keeps it under both names for ten minutes', async () => {
    const egress = new ScriptedEgress().on(PRIMARY, { json: ENTRY });
    const { connection, clock } = clientOver(egress);
    expect((await connection.calendar('primary')).id).toBe('mara@example.com');
    await connection.calendar('primary');
    await connection.calendar('mara@example.com');
    expect(egress.requests).toHaveLength(1);
    clock.nowMs += 601_000;
    await connection.calendar('primary');
    expect(egress.requests).toHaveLength(2);
  });

  it('keeps the calendars of accounts apart', async () => {
    const egress = new ScriptedEgress().on(PRIMARY, { json: ENTRY });
    const { connection, deps } = clientOver(egress);
    await connection.calendar('primary');
    await openConnection(deps, sessionOf({ accountId: 'other' })).calendar('primary');
    await openConnection(deps, sessionOf({ applicationId: 'other' })).calendar('primary');
    expect(egress.requests).toHaveLength(3);
  });

  it.each([404, 410])('tells %d as an unknown calendar', async (status) => {
    const egress = new ScriptedEgress().on(PRIMARY, refusal(status, 'notFound'));
    await expect(clientOver(egress).connection.calendar('primary')).rejects.toMatchObject({ code: 'NotFound' });
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
    ['a%2fb', 'a%252fb'],
  ])('N19 sends %j as one segment of the path', async (calendarId, segment) => {
    const egress = new ScriptedEgress().on(`GET /calendar/v3/users/me/calendarList/${segment}`, { json: { id: 'x' } });
    await clientOver(egress).connection.calendar(calendarId);
    expect(egress.lines).toEqual([`GET /calendar/v3/users/me/calendarList/${segment}`]);
  });

  it('refuses a password', () => {
    const session = sessionOf({ credentials: { kind: 'password', password: 'canary' } });
    expect(() => clientOver(new ScriptedEgress(), session)).toThrow(
      expect.objectContaining({ code: 'CredentialsRejected' }),
    );
  });
});

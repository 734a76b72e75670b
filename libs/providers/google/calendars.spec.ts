import { clientOver, refusal } from './testing/google-client.js';
import { ScriptedEgress } from '#providers/kit/testing/scripted-egress';
import { colors, deleteCalendar, getCalendar, updateCalendar } from './calendars.js';

const ENTRY = 'GET /calendar/v3/users/me/calendarList/c%401';
const PATCH_ENTRY = 'PATCH /calendar/v3/users/me/calendarList/c%401';
const PATCH_CALENDAR = 'PATCH /calendar/v3/calendars/c%401';

function bench(entry: object) {
  const own = { id: 'c@1', summary: 'Old', timeZone: 'UTC', backgroundColor: '#000000', accessRole: 'owner', ...entry };
  const egress = new ScriptedEgress()
    .on(ENTRY, { json: own })
    .on(PATCH_ENTRY, { json: { ...own, backgroundColor: '#ab12cd' } })
    .on(PATCH_CALENDAR, { json: { id: 'c@1', summary: 'New', timeZone: 'Asia/Tokyo' } })
    .on('DELETE /calendar/v3/users/me/calendarList/c%401', { status: 204 })
    .on('DELETE /calendar/v3/calendars/c%401', { status: 204 });
  return clientOver(egress);
}

describe('updateCalendar (google)', () => {
  it('writes name and zone to the calendar and the colour to the list, as owner', async () => {
    const { connection, egress } = bench({});
    const { calendar, ignoredFields } = await updateCalendar(connection, 'c@1', {
      name: 'New',
      timeZone: 'Tokyo Standard Time',
      hexColor: '#AB12CD',
    });
    expect(egress.lines).toEqual([ENTRY, PATCH_CALENDAR, `${PATCH_ENTRY}?colorRgbFormat=true`]);
    expect(egress.bodies).toEqual([
      null,
      { summary: 'New', timeZone: 'Asia/Tokyo' },
      { backgroundColor: '#ab12cd', foregroundColor: '#ffffff' },
    ]);
    expect(calendar).toMatchObject({ name: 'New', timeZone: 'Asia/Tokyo', hexColor: '#AB12CD' });
    expect(ignoredFields).toEqual([]);
  });

  it('reads again what it answers when only the calendar was changed', async () => {
    const { connection, egress } = bench({});
    const { calendar } = await updateCalendar(connection, 'c@1', { name: 'New' });
    expect(egress.lines).toEqual([ENTRY, PATCH_CALENDAR, ENTRY]);
    expect(calendar.name).toBe('New');
  });

  it("takes the owner's other name off, which would hide the new one", async () => {
    const { connection, egress } = bench({ summaryOverride: 'Mine' });
    await updateCalendar(connection, 'c@1', { name: 'New' });
    expect(egress.bodies).toContainEqual({ summaryOverride: null });
  });

  it.each(['reader', 'writer', 'freeBusyReader'])(
    'gives a calendar another name for the account itself, as %s',
    async (accessRole) => {
      const { connection, egress } = bench({ accessRole });
      egress.on(PATCH_ENTRY, { json: { id: 'c@1', summary: 'Old', summaryOverride: 'New', accessRole } });
      const { calendar, ignoredFields } = await updateCalendar(connection, 'c@1', {
        name: 'New',
        timeZone: 'Asia/Tokyo',
      });
      expect(egress.lines).toEqual([ENTRY, PATCH_ENTRY]);
      expect(egress.bodies[1]).toEqual({ summaryOverride: 'New' });
      expect(calendar.name).toBe('New');
      expect(ignoredFields).toEqual(['timeZone']);
    },
  );

  it.each([
    ['reader', 'ReadOnlyCalendar'],
    ['writer', 'Forbidden'],
  ])('refuses a zone alone to a %s as %s', async (accessRole, code) => {
    const { connection, egress } = bench({ accessRole });
    await expect(updateCalendar(connection, 'c@1', { timeZone: 'Asia/Tokyo' })).rejects.toMatchObject({ code });
    expect(egress.requests).toHaveLength(1);
  });

  it('refuses a zone that nobody knows before asking Google', async () => {
    const { connection, egress } = bench({});
    await expect(updateCalendar(connection, 'c@1', { timeZone: 'Mars/Olympus' })).rejects.toMatchObject({
      code: 'ValidationFailed',
    });
    expect(egress.requests).toEqual([]);
  });

  it('says which field Google did not keep', async () => {
    const { connection, egress } = bench({});
    egress.on(PATCH_ENTRY, { json: { id: 'c@1', accessRole: 'owner', backgroundColor: '#111111' } });
    expect((await updateCalendar(connection, 'c@1', { hexColor: '#AB12CD' })).ignoredFields).toEqual(['hexColor']);
  });

  it('changes nothing when nothing is asked for', async () => {
    const { connection, egress } = bench({});
    expect((await updateCalendar(connection, 'c@1', {})).calendar.name).toBe('Old');
    expect(egress.lines.every((line) => line.startsWith('GET'))).toBe(true);
  });

  it('is seen at once by the next call for the calendar', async () => {
    const { connection, egress } = bench({ primary: true });
    egress.on('GET /calendar/v3/users/me/calendarList/primary', { json: { id: 'c@1', primary: true } });
    await connection.calendar('primary');
    await updateCalendar(connection, 'c@1', { hexColor: '#AB12CD' });
    const before = egress.requests.length;
    await connection.calendar('primary');
    await connection.calendar('c@1');
    expect(egress.requests.length).toBe(before + 1);
  });
});

describe('deleteCalendar (google)', () => {
  it.each([
    ['owner', 'DELETE /calendar/v3/calendars/c%401'],
    ['writer', 'DELETE /calendar/v3/users/me/calendarList/c%401'],
    ['reader', 'DELETE /calendar/v3/users/me/calendarList/c%401'],
  ])('as %s sends %s', async (accessRole, line) => {
    const { connection, egress } = bench({ accessRole });
    await deleteCalendar(connection, 'c@1');
    expect(egress.lines).toEqual([ENTRY, line]);
  });

  it('refuses the primary calendar, whose events a clear would take', async () => {
    const { connection, egress } = bench({ primary: true });
    await expect(deleteCalendar(connection, 'c@1')).rejects.toMatchObject({ code: 'Forbidden' });
    expect(egress.requests).toHaveLength(1);
  });

  it('takes a calendar that went away meanwhile for deleted, an unknown one for unknown', async () => {
    const { connection, egress } = bench({});
    egress.on('DELETE /calendar/v3/calendars/c%401', refusal(410, 'deleted'));
    await deleteCalendar(connection, 'c@1');
    egress.on(ENTRY, refusal(404, 'notFound'));
    await expect(deleteCalendar(connection, 'c@1')).rejects.toMatchObject({ code: 'NotFound' });
  });

  it('fails as Google does otherwise', async () => {
    const { connection, egress } = bench({});
    egress.on('DELETE /calendar/v3/calendars/c%401', refusal(403, 'forbidden'));
    await expect(deleteCalendar(connection, 'c@1')).rejects.toMatchObject({ status: 403 });
  });
});

describe('getCalendar (google)', () => {
  it('asks Google each time', async () => {
    const { connection, egress } = bench({});
    await getCalendar(connection, 'c@1');
    await getCalendar(connection, 'c@1');
    expect(egress.requests).toHaveLength(2);
  });
});

describe('colors', () => {
  it.each([
    ['#FFFFFF', '#000000'],
    ['#FBE983', '#000000'],
    ['#000000', '#ffffff'],
    ['#16A765', '#ffffff'],
  ])('writes on %s in %s', (hexColor, foregroundColor) => {
    expect(colors(hexColor)).toEqual({ backgroundColor: hexColor.toLowerCase(), foregroundColor });
  });
});

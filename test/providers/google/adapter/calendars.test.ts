import type { Calendar } from '#domain/calendars';
import type { AccountSession, CalendarProvider } from '#domain/providers';
import { MARA, RAVI, startSandboxedAdapter, type SandboxedAdapter } from './sandboxed-adapter.js';

let google: SandboxedAdapter;
let provider: CalendarProvider;
let mara: AccountSession;
let ravi: AccountSession;
beforeAll(async () => {
  google = await startSandboxedAdapter();
  provider = google.provider();
  mara = await google.session(MARA);
  ravi = await google.session(RAVI);
});
afterAll(() => google?.stop());
afterEach(() => google.sandbox.expectNoViolations());

const LIST = { pageSize: 100, page: null, sync: null };

/** A calendar of Mara's, on Ravi's list with that role. */
async function shared(role: string): Promise<Calendar> {
  const { calendar } = await provider.createCalendar(mara, { name: `For ${role}`, timeZone: 'Europe/Lisbon' }, {});
  const path = { calendarId: calendar.id };
  const body = { role, scope: { type: 'user', value: RAVI } };
  await google.sandbox.act({ email: MARA, methodId: 'calendar.acl.insert', path, body });
  await google.sandbox.act({ email: RAVI, methodId: 'calendar.calendarList.insert', body: { id: calendar.id } });
  return calendar;
}

describe('calendars of the sandbox', () => {
  it('shows the primary calendar under its own id and its alias', async () => {
    const primary = await provider.getCalendar(mara, 'primary');
    expect(primary).toMatchObject({ id: MARA, isPrimary: true, isShared: false, readOnly: false, inviteEmail: MARA });
    expect(await provider.getCalendar(mara, MARA)).toEqual(primary);
    await expect(provider.deleteCalendar(mara, 'primary')).rejects.toMatchObject({ code: 'Forbidden' });
  });

  it('lists the same calendar that it made, and that it is gone', async () => {
    const before = await provider.listCalendars(mara, LIST);
    const { calendar } = await provider.createCalendar(
      mara,
      { name: 'Boats', hexColor: '#B99AFF', timeZone: 'Asia/Tokyo' },
      { idempotencyKey: 'boats' },
    );
    expect(calendar).toMatchObject({ name: 'Boats', hexColor: '#B99AFF', timeZone: 'Asia/Tokyo' });
    const made = await provider.listCalendars(mara, { ...LIST, sync: before.nextSync });
    expect(made.items).toEqual([calendar]);
    await provider.deleteCalendar(mara, calendar.id);
    const gone = await provider.listCalendars(mara, { ...LIST, sync: made.nextSync });
    expect(gone.items).toEqual([{ id: calendar.id, isDeleted: true }]);
    await expect(provider.getCalendar(mara, calendar.id)).rejects.toMatchObject({ code: 'NotFound' });
  });

  it('F33 tells stale sync tokens and page tokens', async () => {
    const { nextSync } = await provider.listCalendars(mara, LIST);
    await provider.createCalendar(mara, { name: 'Second' }, {});
    const { nextPage } = await provider.listCalendars(mara, { ...LIST, pageSize: 1 });
    expect(nextPage).not.toBeNull();
    await google.sandbox.expirePageTokens();
    await expect(provider.listCalendars(mara, { ...LIST, page: nextPage })).rejects.toMatchObject({
      code: 'PageTokenInvalid',
    });
    await google.sandbox.expireSyncTokens({ email: MARA });
    await expect(provider.listCalendars(mara, { ...LIST, sync: nextSync })).rejects.toMatchObject({
      code: 'SyncTokenExpired',
    });
    await expect(provider.listCalendars(mara, { ...LIST, sync: 'garbage' })).rejects.toMatchObject({
      code: 'SyncTokenExpired',
    });
  });

  it.each([
    ['reader', true],
    ['writer', false],
  ])('lets a %s name and colour a calendar for itself, and unsubscribe from it', async (role, readOnly) => {
    const { id } = await shared(role);
    expect(await provider.getCalendar(ravi, id)).toMatchObject({ readOnly, isShared: true });
    const { calendar, ignoredFields } = await provider.updateCalendar(ravi, id, {
      name: 'Mine',
      hexColor: '#16A765',
      timeZone: 'UTC',
    });
    expect(calendar).toMatchObject({ name: 'Mine', hexColor: '#16A765', timeZone: 'Europe/Lisbon' });
    expect(ignoredFields).toEqual(['timeZone']);
    expect(await provider.getCalendar(mara, id)).toMatchObject({ name: `For ${role}` });
    await provider.deleteCalendar(ravi, id);
    await expect(provider.getCalendar(ravi, id)).rejects.toMatchObject({ code: 'NotFound' });
    expect(await provider.getCalendar(mara, id)).toMatchObject({ id });
  });

  it('F23 makes one calendar of two tries, the first of which was lost', async () => {
    await google.sandbox.fault({ methodId: 'calendar.calendars.insert' }, { type: 'lose-response' }, { times: 1 });
    const input = { name: 'Once', hexColor: '#16A765' };
    const options = { idempotencyKey: 'once' };
    await expect(provider.createCalendar(mara, input, options)).rejects.toMatchObject({ code: 'ProviderUnavailable' });
    const { calendar } = await provider.createCalendar(mara, input, options);
    const { items } = await provider.listCalendars(mara, LIST);
    expect(items.filter((item) => 'name' in item && item.name === 'Once')).toEqual([calendar]);
    const { body } = await google.sandbox.act({
      email: MARA,
      methodId: 'calendar.calendars.get',
      path: { calendarId: calendar.id },
    });
    expect(body.description ?? '').toBe('');
  });
});

describe('free/busy of the sandbox', () => {
  it('asks over months, and tells the calendar that cannot be read from the ones that can', async () => {
    const { calendar } = await provider.createCalendar(mara, { name: 'Busy' }, {});
    const busy = async (start: string, end: string) => {
      await google.sandbox.act({
        email: MARA,
        methodId: 'calendar.events.insert',
        path: { calendarId: calendar.id },
        body: { summary: 'Busy', start: { dateTime: start }, end: { dateTime: end } },
      });
    };
    const window = { startMs: Date.UTC(2027, 0, 1), endMs: Date.UTC(2027, 5, 1) };
    // Over the end of the first query's range, which is 60 days.
    await busy('2027-03-01T22:00:00Z', '2027-03-02T02:00:00Z');
    await busy('2026-12-31T23:00:00Z', '2027-01-01T01:00:00Z');
    const outcomes = await provider.freeBusy(mara, {
      window,
      timeZone: 'UTC',
      calendarIds: ['nobody@example.com', calendar.id, MARA],
    });
    expect(outcomes).toEqual([
      { calendarId: 'nobody@example.com', error: expect.objectContaining({ code: 'NotFound' }) },
      {
        calendarId: calendar.id,
        busySlots: [
          { startMs: window.startMs, endMs: Date.UTC(2027, 0, 1, 1) },
          { startMs: Date.UTC(2027, 2, 1, 22), endMs: Date.UTC(2027, 2, 2, 2) },
        ],
      },
      { calendarId: MARA, busySlots: [] },
    ]);
  });
});

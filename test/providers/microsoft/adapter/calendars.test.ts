import type { Calendar } from '#domain/calendars';
import type { AccountSession, CalendarProvider } from '#domain/providers';
import { IDA, PIA, startSandboxedAdapter, type SandboxedAdapter } from './sandboxed-adapter.js';

const ALL = { pageSize: 100, page: null, sync: null };

describe('calendars of MICROSOFT accounts', () => {
  let fixture: SandboxedAdapter;
  let provider: CalendarProvider;
  let ida: AccountSession;

  beforeAll(async () => {
    fixture = await startSandboxedAdapter();
    ida = await fixture.session(IDA);
  });
  afterAll(() => fixture.stop());

  beforeEach(() => {
    provider = fixture.provider();
  });
  afterEach(async () => {
    expect(await fixture.sandbox.microsoft.violations()).toEqual([]);
    expect(fixture.slots.most).toBeLessThanOrEqual(3);
  });

  const make = (name: string, input: Partial<Calendar> = {}) => provider.createCalendar(ida, { name, ...input }, {});

  it('finds the default calendar, by its alias too', async () => {
    const { items } = await provider.listCalendars(ida, ALL);
    expect(items).toEqual([
      {
        id: expect.any(String),
        name: 'Calendar',
        hexColor: expect.stringMatching(/^#[0-9A-F]{6}$/),
        readOnly: false,
        isPrimary: true,
        isShared: false,
        timeZone: 'Europe/Berlin',
        inviteEmail: IDA,
        allowedOnlineMeetingProviders: ['teamsForBusiness'],
        defaultOnlineMeetingProvider: 'teamsForBusiness',
      },
    ]);
    expect(await provider.getCalendar(ida, 'primary')).toEqual(items[0]);
  });

  it('offers a personal account no meetings that it cannot make', async () => {
    const pia = await fixture.session(PIA);
    const calendar = await provider.getCalendar(pia, 'primary');
    expect(calendar).toMatchObject({ timeZone: 'Europe/London', allowedOnlineMeetingProviders: [] });
    expect(calendar).not.toHaveProperty('defaultOnlineMeetingProvider');
  });

  it('keeps name, colour and zone, and shows changes of them by the next sync', async () => {
    const { nextSync } = await provider.listCalendars(ida, ALL);
    const wanted = { name: 'Trips', hexColor: '#1A73E8', timeZone: 'America/New_York' };
    const made = await provider.createCalendar(ida, wanted, {});
    expect(made).toEqual({ calendar: expect.objectContaining({ ...wanted, isShared: false }), ignoredFields: [] });
    const { id } = made.calendar;
    let sync = nextSync;
    for (const change of [{ name: 'Journeys' }, { hexColor: '#00AA55' }, { timeZone: 'Asia/Tokyo' }]) {
      const { calendar, ignoredFields } = await provider.updateCalendar(ida, id, change);
      expect([calendar, ignoredFields]).toEqual([expect.objectContaining(change), []]);
      const changes = await provider.listCalendars(ida, { ...ALL, sync });
      expect(changes.items).toEqual([calendar]);
      sync = changes.nextSync;
    }
    await provider.deleteCalendar(ida, id);
    expect((await provider.listCalendars(ida, { ...ALL, sync })).items).toEqual([{ id, isDeleted: true }]);
    await expect(provider.getCalendar(ida, id)).rejects.toMatchObject({ code: 'NotFound' });
    await expect(provider.deleteCalendar(ida, id)).rejects.toMatchObject({ code: 'NotFound' });
  });

  it('shows the colour that somebody picked in Outlook', async () => {
    const { calendar } = await make('Painted', { hexColor: '#1A73E8' });
    await fixture.sandbox.microsoft.act({
      email: IDA,
      methodId: 'update_me_calendars_By_calendar_id',
      path: { 'calendar-id': calendar.id },
      body: { color: 'lightRed' },
    });
    expect((await provider.getCalendar(ida, calendar.id)).hexColor).toBe('#E05555');
  });

  it('F23 makes one calendar for one key, however often it is asked', async () => {
    const options = { idempotencyKey: 'key-of-a-calendar' };
    const wanted = { name: 'Once', timeZone: 'Asia/Kolkata' };
    await fixture.sandbox.microsoft.fault({ methodId: 'create_me_calendars' }, { type: 'lose-response' }, { times: 1 });
    await expect(provider.createCalendar(ida, wanted, options)).rejects.toThrow();
    const again = await provider.createCalendar(ida, wanted, options);
    const third = await provider.createCalendar(ida, wanted, options);
    expect(third).toEqual(again);
    const { items } = await provider.listCalendars(ida, ALL);
    expect(items.filter((item) => 'name' in item && item.name === 'Once')).toEqual([again.calendar]);
  });

  it('tells a name that is taken', async () => {
    await make('Taken');
    await expect(make('Taken')).rejects.toMatchObject({ code: 'Conflict' });
  });

  it('never deletes the default calendar', async () => {
    await fixture.sandbox.microsoft.clearRequests();
    await expect(provider.deleteCalendar(ida, 'primary')).rejects.toMatchObject({ code: 'Forbidden' });
    const asked = (await fixture.sandbox.microsoft.requests()).map(({ methodId }) => methodId);
    expect(asked.filter((methodId) => methodId?.startsWith('delete'))).toEqual([]);
  });

  it('shows a calendar that is shared, and writes to it only where that is allowed', async () => {
    const pia = await fixture.session(PIA);
    const calendarId = await fixture.sandbox.microsoft.share({ owner: IDA, with: PIA, canEdit: false });
    expect(await provider.getCalendar(pia, calendarId)).toMatchObject({
      isShared: true,
      readOnly: true,
      inviteEmail: IDA,
    });
    await expect(provider.updateCalendar(pia, calendarId, { name: 'Mine' })).rejects.toMatchObject({
      code: 'ReadOnlyCalendar',
    });
    await expect(
      provider.createEvent(pia, calendarId, { title: 'x', start: { kind: 'date', date: '2026-12-01' } }, {}),
    ).rejects.toMatchObject({ code: 'ReadOnlyCalendar' });
  });

  it('walks pages of one', async () => {
    const whole = await provider.listCalendars(ida, ALL);
    const seen = [];
    let page = await provider.listCalendars(ida, { ...ALL, pageSize: 1 });
    seen.push(...page.items);
    while (page.nextPage !== null) {
      page = await provider.listCalendars(ida, { ...ALL, pageSize: 1, page: page.nextPage });
      seen.push(...page.items);
    }
    expect(seen).toEqual(whole.items);
    expect(page.nextSync).not.toBeNull();
  });

  it('N19 knows no foreign, no made up and no malformed ids', async () => {
    for (const id of ['AAMk-none=', '../me', 'x'.repeat(2_000), 'a/b', '%2e%2e', 'https://evil.example/']) {
      await expect(provider.getCalendar(ida, id)).rejects.toMatchObject({ code: 'NotFound' });
    }
  });
});

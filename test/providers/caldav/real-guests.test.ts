import { WHOLE_CALENDAR, type AccountSession } from '#domain/providers';
import { CountedPermits, MemoryPrivateProperties, MemorySnapshots, UnlimitedRate } from '#domain/testing/memory-stores';
import { GuardedEgress } from '#egress';
import { createCalDavProvider } from '#providers/caldav';
import { UnreadableObjects } from '#providers/kit/definition';
import { ALICE, basicAuthorization, type CalDavServer } from '../../support/caldav-server.js';
import { object } from '../../support/opened-calendar.js';
import { startRadicale } from '../../support/radicale.js';
import { startSabre } from '../../support/sabre.js';
import { startXandikos } from '../../support/xandikos.js';

class Unheard extends UnreadableObjects {
  override report() {}
}

const JUNE = { startMs: Date.UTC(2027, 5, 1), endMs: Date.UTC(2027, 6, 1) };

/** None of them schedules; what each says of its users differs. */
describe.each([
  ['radicale', startRadicale],
  ['xandikos', startXandikos],
  ['sabre', startSabre],
])('a user of %s whose login is no e-mail address', (_, start) => {
  let server: CalDavServer;
  let egress: GuardedEgress;
  let session: AccountSession;
  let provider: ReturnType<typeof createCalDavProvider>;
  let calendarId: string;

  beforeAll(async () => {
    server = await start({ ...ALICE, username: 'alice' });
    egress = new GuardedEgress({ allow: server.authority });
    provider = createCalDavProvider({
      egress,
      budget: new UnlimitedRate(),
      slots: new CountedPermits(),
      privateProperties: new MemoryPrivateProperties(),
      snapshots: new MemorySnapshots(),
      unreadable: new Unheard(),
      requestsPerMinute: 6_000,
      nowMs: () => Date.now(),
    });
    const credentials = { kind: 'password' as const, password: server.password };
    const signal = AbortSignal.timeout(120_000);
    const applicationId = 'app';
    const connected = await provider.connect({
      applicationId,
      email: server.username,
      serverUrl: server.url,
      credentials,
      signal,
    });
    session = {
      applicationId,
      accountId: 'account',
      email: server.username,
      serverUrl: connected.serverUrl,
      credentials,
      providerState: connected.providerState,
      signal,
      saveProviderState: async () => undefined,
    };
    calendarId = (await provider.createCalendar(session, { name: 'Guests' }, {})).calendar.id;
  });
  afterAll(async () => {
    await egress?.close();
    await server?.stop();
  });

  it('invites guests as an organizer that the server knows, and changes the event', async () => {
    expect(server.username).not.toContain('@');
    const meeting = {
      title: 'With guests',
      start: { kind: 'dateTime' as const, local: '2027-06-10T09:00:00', offsetMinutes: 0, timeZone: null },
      attendees: [{ email: 'bob@example.test' }],
    };
    const quiet = await provider.createEvent(session, calendarId, meeting, { notifyParticipants: 'none' });
    expect(quiet).toMatchObject({
      ignoredFields: [],
      event: { organizer: { isSelf: true }, myResponseStatus: 'accepted', attendees: [{ email: 'bob@example.test' }] },
    });
    const { id } = quiet.event;
    const attendees = [...meeting.attendees, { email: 'carol@example.test' }];
    const changed = await provider.updateEvent(session, calendarId, id, { attendees }, { notifyParticipants: 'all' });
    expect(changed.ignoredFields).toEqual(['notifyParticipants']);
    expect(changed.event.attendees).toHaveLength(2);
    expect(await provider.deleteEvent(session, calendarId, id, { notifyParticipants: 'none' })).toEqual({
      ignoredFields: [],
    });
  });

  /** By another client. Resolves with the event's id. */
  const store = async (name: string, lines: string[]) => {
    const path = Buffer.from(calendarId.replaceAll('~', '_'), 'base64url').toString('utf8');
    const stored = await fetch(new URL(`${path}${name}.ics`, server.url), {
      method: 'PUT',
      headers: { authorization: basicAuthorization(server), 'content-type': 'text/calendar; charset=utf-8' },
      body: object(name, name, lines),
    });
    expect([201, 204]).toContain(stored.status);
    return Buffer.from(`${name}.ics`).toString('base64url');
  };
  const freeBusy = () => provider.freeBusy(session, { window: JUNE, timeZone: 'UTC', calendarIds: [calendarId] });

  it('has no expanded list while one of the series is without bounds, and is busy, not free', async () => {
    const id = await store('ticking', ['RRULE:FREQ=SECONDLY']);
    const list = { query: { ...WHOLE_CALENDAR, window: JUNE }, pageSize: 10, page: null, sync: null };
    const expanded = { ...list, query: { ...list.query, expandRecurrences: true } };
    await expect(provider.listEvents(session, calendarId, expanded)).rejects.toMatchObject({
      code: 'ValidationFailed',
      message: expect.stringContaining(id),
    });
    expect((await provider.listEvents(session, calendarId, list)).items).toMatchObject([{ id }]);
    const startMs = Date.UTC(2027, 5, 10, 9);
    expect(await freeBusy()).toEqual([{ calendarId, busySlots: [{ startMs, endMs: JUNE.endMs }] }]);
    await provider.deleteEvent(session, calendarId, id, {});
    expect((await provider.listEvents(session, calendarId, expanded)).items).toEqual([]);
  });

  it('is not read as free where an event is too large to be read', async () => {
    const id = await store('heavy', [`DESCRIPTION:${'x'.repeat(1_200_000)}`]);
    const error = { code: 'ProviderUnavailable', message: expect.stringContaining(id) };
    expect(await freeBusy()).toMatchObject([{ calendarId, error }]);
  });
});

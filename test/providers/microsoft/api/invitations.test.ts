import { hour } from '../../../support/berlin-times.js';
import { ignoredBy, ME, openOutlookAccount, OTHER, path, timed, type OutlookAccount } from './outlook-account.js';

const THREE_DAYS = {
  pattern: { type: 'daily', interval: 1 },
  range: {
    ...{ type: 'numbered', startDate: '2027-05-12', numberOfOccurrences: 3 },
    recurrenceTimeZone: 'Europe/Berlin',
  },
};

describe('invitations of Outlook', () => {
  let a: OutlookAccount;
  let primary: string;

  beforeAll(async () => {
    a = await openOutlookAccount();
    primary = a.calendarId;
  });

  afterEach(() => a.sandbox.microsoft.clearFaults());

  afterAll(() => a.stop());

  const get = async (eventId: string, inCalendar = primary) => (await a.events('GET', inCalendar, path(eventId))).body;
  const put = (eventId: string, body: object, inCalendar = primary) =>
    a.events('PUT', inCalendar, path(eventId), { body });
  const changesSent = async () =>
    (await a.sandbox.microsoft.requests()).filter(({ method }) => method !== 'GET' && method !== 'POST');
  const guest = (address: string, type = 'required') => ({ emailAddress: { address, name: address }, type });

  describe('guests', () => {
    it('are told apart by address, whatever the case, and keep name, answer and kind', async () => {
      const made = await a.made({
        subject: 'Kinds',
        ...timed('2027-05-10'),
        attendees: [guest(OTHER, 'optional'), guest('room@fabrikam.example', 'resource'), guest('x@example.net')],
      });
      const shown = await get(made.id);
      const attendees = [
        ...shown.attendees.map(({ email }: any) => ({ email: email.toUpperCase() })),
        { email: OTHER },
        { email: 'y@example.net', name: 'Y' },
      ];
      const changed = await a.change(primary, made.id, { attendees });
      expect(changed.attendees).toHaveLength(4);
      const { attendees: held } = await a.held(made.id);
      expect(held.map(({ type, emailAddress }: any) => [type, emailAddress.address, emailAddress.name])).toEqual([
        ['optional', OTHER, OTHER],
        ['resource', 'room@fabrikam.example', 'room@fabrikam.example'],
        ['required', 'x@example.net', 'x@example.net'],
        ['required', 'y@example.net', 'Y'],
      ]);
    });

    it('who are not named in a change stay invited', async () => {
      const { id } = await a.create(primary, {
        title: 'Stay',
        ...hour('2027-05-10'),
        attendees: [{ email: OTHER }, { email: 'x@example.net' }],
      });
      await a.change(primary, id, { title: 'Stayed', location: 'Here' });
      expect((await a.held(id)).attendees).toHaveLength(2);
      expect((await a.change(primary, id, { attendees: [] })).attendees).toEqual([]);
    });

    it('may be five hundred, and no more', async () => {
      const attendees = Array.from({ length: 501 }, (_, index) => ({ email: `g${index}@example.net` }));
      const body = { title: 'Many', ...hour('2027-05-11') };
      const event = await a.create(primary, { ...body, attendees: attendees.slice(1) });
      expect(event.attendees).toHaveLength(500);
      const { status } = await a.events('POST', primary, '', { body: { ...body, attendees } });
      expect(status).toBe(400);
    });
  });

  describe('a guest', () => {
    const invited = async (subject: string, more: object = {}) => {
      await a.made({ subject, ...timed('2027-05-12'), attendees: [guest(ME)], ...more }, undefined, OTHER);
      const { items } = await a.list(primary, { search: subject });
      return items[0];
    };
    const response = (eventId: string, responseStatus: string) =>
      a.events('POST', primary, `${path(eventId)}/rsvp`, { body: { responseStatus } });

    it('answers for one instance, and for the series, and the organizer hears of it', async () => {
      const { id } = await invited('Round', { recurrence: THREE_DAYS });
      expect((await response(id, 'accepted')).body).toEqual({ success: true });
      expect((await response(`${id}_20270513T080000Z`, 'tentative')).body).toEqual({ success: true });
      const { items } = await a.list(
        primary,
        { startDateTime: '2027-05-12T00:00:00Z', endDateTime: '2027-05-16T00:00:00Z' },
        `${path(id)}/occurrences`,
      );
      expect(items.map(({ myResponseStatus }) => myResponseStatus)).toEqual(['accepted', 'tentative', 'accepted']);
      expect(items[1].attendees).toMatchObject([{ email: ME, responseStatus: 'tentative' }]);
      expect(items[0].organizer).toMatchObject({ email: OTHER, isSelf: false });
      const declined = await response(`${id}_20270514`, 'declined');
      expect(declined.body).toEqual({ success: true });
      expect((await a.events('GET', primary, path(`${id}_20270514`))).status).toBe(404);
    });

    it('answers with a change of the event, and tells the organizer unless asked not to', async () => {
      const organizers = async (subject: string) => {
        const { value } = await a.outlook('list_me_events', {}, undefined, OTHER);
        return value.find((event: any) => event.subject === subject).attendees[0].status.response;
      };
      const { id } = await invited('Put');
      const accepted = await put(id, { myResponseStatus: 'accepted', colorId: '4' });
      expect(accepted.body).toMatchObject({ myResponseStatus: 'accepted', colorId: '4' });
      expect(ignoredBy(accepted)).not.toContain('myResponseStatus');
      expect(await organizers('Put')).toBe('accepted');
      for (const same of ['accepted', 'needsAction']) {
        await a.sandbox.microsoft.clearRequests();
        const back = await put(id, { ...accepted.body, myResponseStatus: same });
        expect([back.status, back.body.myResponseStatus]).toEqual([200, 'accepted']);
        expect(ignoredBy(back).includes('myResponseStatus')).toBe(same === 'needsAction');
        const sent = await a.sandbox.microsoft.requests();
        expect(sent.filter(({ method }) => method !== 'GET')).toEqual([]);
      }
      const silent = await a.events('PUT', primary, path(id), {
        body: { myResponseStatus: 'tentative' },
        query: { notifyParticipants: 'none' },
      });
      expect(silent.body.myResponseStatus).toBe('tentative');
      expect(ignoredBy(silent)).not.toContain('notifyParticipants');
      expect(await organizers('Put')).toBe('accepted');
      const declined = await put(id, { myResponseStatus: 'declined' });
      expect([declined.status, declined.body.myResponseStatus]).toEqual([200, 'declined']);
      expect((await a.events('GET', primary, path(id))).status).toBe(404);
    });

    it.each(['declined', 'tentative'])(
      'is who may answer: %s of the organizer is refused',
      async (myResponseStatus) => {
        const own = await a.create(primary, {
          title: 'Own',
          ...hour('2027-05-12'),
          attendees: [{ email: 'x@example.net' }],
        });
        const response = await put(own.id, { title: 'Not written', myResponseStatus });
        expect([response.status, response.body.code]).toEqual([400, 'ValidationFailed']);
        expect(response.body.details).toEqual([
          { path: 'myResponseStatus', message: expect.stringContaining('organises') },
        ]);
        expect(await get(own.id)).toMatchObject({ title: 'Own', myResponseStatus: 'accepted' });
      },
    );

    it('cannot take an answer back, and need not give none', async () => {
      const { id } = await invited('None');
      expect((await response(id, 'needsAction')).body).toEqual({ success: true });
      await response(id, 'accepted');
      const { status, body } = await response(id, 'needsAction');
      expect([status, body.code]).toEqual([400, 'NotSupportedByProvider']);
    });

    it('declines once: the event is put away, and sync tells so', async () => {
      const { id } = await invited('Away');
      const window = { startDateTime: '2027-05-01T00:00:00Z', endDateTime: '2027-06-01T00:00:00Z' };
      const { nextSyncToken } = await a.list(primary, window);
      expect((await response(id, 'declined')).body).toEqual({ success: true });
      expect((await response(id, 'declined')).status).toBe(404);
      const { items } = await a.list(primary, { syncToken: nextSyncToken });
      expect(items).toMatchObject([{ id, isCancelled: true }]);
    });

    it('sends back what was read without a request', async () => {
      const { id } = await invited('Echo');
      await a.sandbox.microsoft.clearRequests();
      expect(ignoredBy(await put(id, await get(id)))).not.toContain('attendees.responseStatus');
      expect(await changesSent()).toEqual([]);
    });

    it('sees that the organizer has called it off, and has no event any more', async () => {
      const { id, iCalUid } = await invited('Off');
      const { value } = await a.outlook('list_me_events', {}, undefined, OTHER);
      const theirs = value.find(({ subject }: any) => subject === 'Off');
      await a.outlook('cancel_me_events_By_event_id', { 'event-id': theirs.id }, { comment: 'no' }, OTHER);
      for (const filter of [{}, { isCancelled: true }]) {
        expect((await a.list(primary, { iCalUid, ...filter })).items).toMatchObject([{ id, isCancelled: true }]);
      }
      expect((await a.list(primary, { iCalUid, isCancelled: false })).items).toEqual([]);
      expect((await a.events('GET', primary, path(id))).status).toBe(404);
      expect((await response(id, 'accepted')).status).toBe(404);
    });

    it('answers with a change of one instance, and of the series', async () => {
      const { id } = await invited('Change', { recurrence: THREE_DAYS });
      const window = { startDateTime: '2027-05-12T00:00:00Z', endDateTime: '2027-05-16T00:00:00Z' };
      const responses = async () =>
        (await a.list(primary, window, `${path(id)}/occurrences`)).items.map((item) => item.myResponseStatus);
      const instance = await put(`${id}_20270513T080000Z`, { myResponseStatus: 'tentative' });
      expect(instance.body).toMatchObject({ recurringEventId: id, myResponseStatus: 'tentative' });
      expect(await responses()).toEqual(['needsAction', 'tentative', 'needsAction']);
      const series = await put(id, { myResponseStatus: 'accepted', title: 'Mine' });
      expect(series.body).toMatchObject({ id, title: 'Mine', myResponseStatus: 'accepted' });
      expect(await responses()).toEqual(['accepted', 'accepted', 'accepted']);
      const whole = await a.events('PUT', primary, path(`${id}_20270514T080000Z`), {
        body: { myResponseStatus: 'tentative' },
        query: { scope: 'all' },
      });
      expect(whole.body).toMatchObject({ id, myResponseStatus: 'tentative' });
      const declined = await put(`${id}_20270514T080000Z`, { myResponseStatus: 'declined' });
      expect([declined.status, declined.body.myResponseStatus]).toEqual([200, 'declined']);
      expect(await responses()).toEqual(['tentative', 'tentative']);
    });
  });

  it.each([[[]], [[{ email: OTHER }]]])(
    'an organizer answers no invitation of its own: guests %j',
    async (attendees) => {
      const { id } = await a.create(primary, { title: 'Mine', ...hour('2027-05-13'), attendees });
      await a.sandbox.microsoft.clearRequests();
      const body = { responseStatus: 'declined' };
      const response = await a.events('POST', primary, `${path(id)}/rsvp`, { body });
      expect([response.status, response.body.code]).toEqual([400, 'ValidationFailed']);
      expect(
        await a.sandbox.microsoft.requests({ methodId: 'decline_me_calendars_By_calendar_id_events_By_event_id' }),
      ).toEqual([]);
    },
  );
});

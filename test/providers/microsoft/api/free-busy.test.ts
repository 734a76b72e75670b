import { at, hour } from '../../../support/berlin-times.js';
import { code, ME, openOutlookAccount, OTHER, path, timed, type OutlookAccount } from './outlook-account.js';

const JUNE = { startDateTime: '2027-06-01T00:00:00Z', endDateTime: '2027-07-01T00:00:00Z' };
const IN_CALENDAR = 'me_calendars_By_calendar_id';
const VIEW = `list_${IN_CALENDAR}_calendarView`;

describe('free/busy of Outlook', () => {
  let a: OutlookAccount;
  let calendarId: string;
  let calendars = 0;

  beforeAll(async () => {
    a = await openOutlookAccount();
  });

  beforeEach(async () => {
    calendarId = await a.newCalendar(`Busy ${(calendars += 1)}`);
  });

  afterEach(() => a.sandbox.microsoft.clearFaults());

  afterAll(() => a.stop());

  const replaced = (methodId: string, body: unknown) =>
    a.sandbox.microsoft.fault({ methodId }, { type: 'replace', body: body as object });

  describe('free/busy', () => {
    const ask = (calendarIds: string[], more = {}) =>
      a.service.call('POST', `/v1/freeBusy/${a.accountId}`, {
        body: { ...JUNE, timeZone: 'Europe/Berlin', calendarIds, ...more },
      });
    const slots = ({ body }: any) => body[0].busySlots.map(({ start, end }: any) => [start.dateTime, end.dateTime]);

    it('counts what takes up time, over a clock change and in the calendar’s days', async () => {
      const states = ['busy', 'tentative', 'oof', 'unknown', 'free', 'workingElsewhere'];
      for (const [index, showAs] of states.entries())
        await a.made({ subject: showAs, ...timed(`2027-03-2${index}`), showAs }, calendarId);
      const night = { start: at('2027-03-28T01:30:00'), end: at('2027-03-28T03:30:00') };
      await a.create(calendarId, { title: 'Night', ...night });
      await a.create(calendarId, {
        title: 'Day',
        start: { date: '2027-03-28' },
        isAllDay: true,
        transparency: 'opaque',
      });
      await a.create(calendarId, {
        title: 'Free day',
        start: { date: '2027-03-27' },
        isAllDay: true,
        transparency: 'transparent',
      });
      const window = { startDateTime: '2027-03-20T00:00:00+01:00', endDateTime: '2027-03-30T00:00:00+02:00' };
      expect(slots(await ask([calendarId], window))).toEqual([
        ...['0', '1', '2', '3'].map((day) => [`2027-03-2${day}T10:00:00+01:00`, `2027-03-2${day}T11:00:00+01:00`]),
        ['2027-03-28T00:00:00+01:00', '2027-03-29T00:00:00+02:00'],
      ]);
    });

    it('does not count what was declined or called off', async () => {
      const attendees = [{ emailAddress: { address: ME, name: 'Ida' }, type: 'required' }];
      for (const subject of ['Declined', 'Called off', 'Kept'])
        await a.made({ subject, ...timed('2027-06-07', subject.length), attendees }, undefined, OTHER);
      const { items } = await a.list(a.calendarId, JUNE);
      const idOf = (title: string) => items.find((item) => item.title === title).id;
      const theirs = (await a.outlook('list_me_events', {}, undefined, OTHER)).value;
      const calledOff = theirs.find(({ subject }: any) => subject === 'Called off').id;
      await a.outlook('cancel_me_events_By_event_id', { 'event-id': calledOff }, {}, OTHER);
      await a.events('POST', a.calendarId, `${path(idOf('Declined'))}/rsvp`, { body: { responseStatus: 'declined' } });
      expect(slots(await ask([a.calendarId]))).toEqual([['2027-06-07T04:00:00+02:00', '2027-06-07T05:00:00+02:00']]);
    });

    it('is answered over more days than Outlook shows at once', async () => {
      await a.create(calendarId, { title: 'First', ...hour('2027-01-05') });
      await a.create(calendarId, { title: 'Last', ...hour('2033-01-05') });
      const response = await ask([calendarId], {
        startDateTime: '2027-01-01T00:00:00Z',
        endDateTime: '2033-02-01T00:00:00Z',
      });
      expect(response.status).toBe(200);
      expect(slots(response).map(([start]: string[]) => start)).toEqual([
        '2027-01-05T10:00:00+01:00',
        '2033-01-05T10:00:00+01:00',
      ]);
    });

    it('N51 does not take nonsense for free time', async () => {
      for (const body of [{ value: [{ id: 'x', showAs: 'busy' }] }, { value: 'x' }, null, { value: [null] }]) {
        await replaced(VIEW, body);
        expect(code(await ask([calendarId]))).toBe('502 ProviderUnavailable');
        await a.sandbox.microsoft.clearFaults();
      }
    });
  });
});

import { at, hour } from '../../../support/berlin-times.js';
import { asAdmin } from '../../../support/postgres.js';
import { openOutlookAccount, OTHER, path, type OutlookAccount } from './outlook-account.js';

describe('writing events of Outlook', () => {
  let a: OutlookAccount;
  let primary: string;
  let calendarId: string;

  beforeAll(async () => {
    a = await openOutlookAccount();
    primary = a.calendarId;
    calendarId = await a.newCalendar();
  });

  afterEach(() => a.sandbox.microsoft.clearFaults());

  afterAll(() => a.stop());

  const get = async (eventId: string, inCalendar = primary) => (await a.events('GET', inCalendar, path(eventId))).body;

  describe('a key', () => {
    const body = { title: 'Keyed', ...hour('2027-05-21') };
    const post = (key: string, more = {}) =>
      a.events('POST', calendarId, '', { body: { ...body, ...more }, headers: { 'idempotency-key': key } });
    /** As if the service had died before it kept its answer. */
    const forget = () => asAdmin(a.service.adminDatabaseUrl, (admin) => admin.query('delete from idempotency_record'));

    it('makes one event, also when the service does not remember that it did', async () => {
      const first = await post('k1');
      await forget();
      expect((await post('k1')).body).toEqual(first.body);
      await a.change(calendarId, first.body.id, { title: 'Changed since', publicExtendedProperties: { a: 'b' } });
      await forget();
      const again = await post('k1');
      expect([again.status, again.body.id, again.body.title]).toEqual([200, first.body.id, 'Changed since']);
    });

    it('finds its event when the same key says something else', async () => {
      const first = await post('k2');
      await forget();
      const other = await post('k2', { title: 'Else', recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] });
      expect([other.status, other.body.id]).toEqual([200, first.body.id]);
    });

    it('of an event that was deleted since makes no other one', async () => {
      const first = await post('k3');
      await a.events('DELETE', calendarId, path(first.body.id));
      await forget();
      const again = await post('k3');
      expect([again.status, again.body.code]).toEqual([409, 'Conflict']);
    });

    it('is told apart by calendar', async () => {
      const [one, other] = await Promise.all(
        [calendarId, primary].map((id) => a.events('POST', id, '', { body, headers: { 'idempotency-key': 'k4' } })),
      );
      expect(one!.body.id).not.toBe(other!.body.id ?? '');
    });
  });

  describe('versions', () => {
    it('are taken with and without quotes, and refused when they are old', async () => {
      const event = await a.create(calendarId, { title: 'V', ...hour('2027-05-22') });
      const write = (method: string, etag: string, more = {}) =>
        a.events(method, calendarId, path(event.id), { headers: { 'if-match': etag }, ...more });
      const first = await write('PUT', event.etag, { body: { title: 'W' } });
      expect(first.status).toBe(200);
      await a.touch(event.id, { subject: 'Theirs' }, calendarId);
      const [put, gone] = [
        await write('PUT', first.body.etag, { body: { title: 'X' } }),
        await write('DELETE', first.body.etag),
      ];
      expect([put.status, put.body.code, gone.status]).toEqual([412, 'PreconditionFailed', 412]);
      const current = await get(event.id, calendarId);
      expect(current.title).toBe('Theirs');
      expect((await write('DELETE', `"${current.etag}"`)).status).toBe(200);
      expect((await write('DELETE', current.etag)).status).toBe(404);
    });

    it('change by every change of a kind that is shown', async () => {
      const { id } = await a.create(calendarId, { title: 'V', ...hour('2027-05-22') });
      const etags = new Set<string>();
      const changes = [
        { title: 'x' },
        { description: 'd' },
        { publicExtendedProperties: { a: '1' } },
        { customColor: '#aabbcc' },
        { attendees: [{ email: OTHER }] },
        { recurrence: ['RRULE:FREQ=DAILY;COUNT=2'] },
      ];
      for (const change of changes) etags.add((await a.change(calendarId, id, change)).etag);
      expect(etags.size).toBe(changes.length);
    });
  });

  describe('times', () => {
    it.each([
      ['that the clock leaves out', '2027-03-28T02:30:00', '2027-03-28T03:30:00+02:00'],
      ['that comes twice, the first', '2027-10-31T02:30:00+02:00', '2027-10-31T02:30:00+02:00'],
      ['that comes twice, the second', '2027-10-31T02:30:00+01:00', '2027-10-31T02:30:00+01:00'],
    ])('show one %s', async (_name, written, shown) => {
      const event = await a.create(calendarId, { title: 'Clock', start: at(written) });
      expect([event.start.dateTime, event.start.timeZone]).toEqual([shown, 'Europe/Berlin']);
      expect(Date.parse(event.end.dateTime) - Date.parse(shown)).toBe(3_600_000);
    });

    it.each([
      ['Asia/Kolkata', 'Asia/Kolkata'],
      ['Asia/Calcutta', 'Asia/Calcutta'],
      ['Europe/Rome', 'Europe/Rome'],
      ['Europe/Kyiv', 'Europe/Kyiv'],
      ['Antarctica/Troll', 'Antarctica/Troll'],
      ['America/Argentina/Ushuaia', 'America/Argentina/Ushuaia'],
      ['Pacific Standard Time', 'America/Los_Angeles'],
      ['Etc/UTC', 'Etc/UTC'],
    ])('in %s come back in %s', async (written, read) => {
      const start = at('2027-06-10T10:00:00', written);
      const event = await a.create(calendarId, { title: 'Zone', start });
      expect([event.start.timeZone, event.start.dateTime.slice(0, 19)]).toEqual([read, '2027-06-10T10:00:00']);
    });

    it('of a series are in a zone that Outlook has, or refused by its name', async () => {
      const body = {
        title: 'Troll',
        recurrence: ['RRULE:FREQ=DAILY;COUNT=2'],
        start: at('2027-06-10T10:00:00', 'Antarctica/Troll'),
      };
      const response = await a.events('POST', calendarId, '', { body });
      expect([response.status, response.body.message]).toEqual([400, expect.stringContaining('Antarctica/Troll')]);
      const rome = { ...body, start: at('2027-06-10T10:00:00', 'Europe/Rome') };
      expect((await a.create(calendarId, rome)).start.timeZone).toBe('Europe/Rome');
    });
  });
});

import type { Fixture } from './subject.js';

const WINDOW = { startDateTime: '2034-03-01T00:00:00Z', endDateTime: '2034-03-08T00:00:00Z', timeZone: 'UTC' };

export function freeBusyConforms(fixture: () => Fixture): void {
  describe('free/busy', () => {
    let emptyId: string;

    beforeAll(async () => {
      const { create, call, calendarId, subject } = fixture();
      emptyId = (await call('POST', 'calendars', '', { body: { name: 'Empty' } })).body.id;
      const busy = (start: string, end: string, more = {}) =>
        create({ title: 'x', start: { dateTime: start }, end: { dateTime: end }, ...more });
      await busy('2034-02-28T23:00:00Z', '2034-03-01T01:00:00Z'); // clipped
      await busy('2034-03-01T09:00:00Z', '2034-03-01T10:00:00Z');
      await busy('2034-03-01T09:30:00Z', '2034-03-01T11:00:00Z'); // overlaps
      await busy('2034-03-01T11:00:00Z', '2034-03-01T12:00:00Z'); // touches
      await busy('2034-03-02T09:00:00Z', '2034-03-02T10:00:00Z', { transparency: 'transparent' });
      await busy('2034-03-03T09:00:00Z', '2034-03-03T10:00:00Z', { recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] });
      const daily = await busy('2034-03-06T09:00:00Z', '2034-03-06T10:00:00Z', {
        recurrence: ['RRULE:FREQ=DAILY;COUNT=2'],
      });
      await call('DELETE', 'events', `/${calendarId}/${daily.id}_20340307T090000Z`);
      const iCalUid = await subject.elsewhere.invite(calendarId, {
        title: 'Declined',
        startUtc: '2034-03-02T14:00:00Z',
        endUtc: '2034-03-02T15:00:00Z',
      });
      const [invitation] = (await fixture().readAll(`/${calendarId}`, { iCalUid })).items;
      await call('POST', 'events', `/${calendarId}/${invitation.id}/rsvp`, { body: { responseStatus: 'declined' } });
    });

    const slots = (element: any) => element.busySlots.map(({ start, end }: any) => [start.dateTime, end.dateTime]);

    it('merges, clips, sorts, and leaves out what is not busy', async () => {
      const { call, calendarId } = fixture();
      const { status, body } = await call('POST', 'freeBusy', '', {
        body: { ...WINDOW, calendarIds: [emptyId, calendarId] },
      });
      expect(status).toBe(200);
      expect(body.map(({ calendarId: id }: any) => id)).toEqual([emptyId, calendarId]);
      expect(body[0].busySlots).toEqual([]);
      expect(slots(body[1])).toEqual([
        ['2034-03-01T00:00:00Z', '2034-03-01T01:00:00Z'],
        ['2034-03-01T09:00:00Z', '2034-03-01T12:00:00Z'],
        ['2034-03-03T09:00:00Z', '2034-03-03T10:00:00Z'],
        ['2034-03-04T09:00:00Z', '2034-03-04T10:00:00Z'],
        ['2034-03-05T09:00:00Z', '2034-03-05T10:00:00Z'],
        ['2034-03-06T09:00:00Z', '2034-03-06T10:00:00Z'],
      ]);
      expect(body[1].busySlots[0].start.timeZone).toBe('UTC');
    });

    it('answers in the zone asked for', async () => {
      const { call, calendarId } = fixture();
      const { body } = await call('POST', 'freeBusy', '', {
        body: {
          startDateTime: '2034-03-03T00:00:00',
          endDateTime: '2034-03-04T00:00:00',
          timeZone: 'America/New_York',
          calendarIds: [calendarId],
        },
      });
      expect(body[0].busySlots).toEqual([
        {
          start: { dateTime: '2034-03-03T04:00:00-05:00', timeZone: 'America/New_York' },
          end: { dateTime: '2034-03-03T05:00:00-05:00', timeZone: 'America/New_York' },
        },
      ]);
    });

    it("counts an all-day event in the calendar's zone", async () => {
      const { call } = fixture();
      const made = (await call('POST', 'calendars', '', { body: { name: 'Zoned', timeZone: 'Europe/Berlin' } })).body;
      await call('POST', 'events', `/${made.id}`, { body: { title: 'Day off', start: { date: '2034-03-10' } } });
      const { body } = await call('POST', 'freeBusy', '', {
        body: {
          startDateTime: '2034-03-09T00:00:00Z',
          endDateTime: '2034-03-12T00:00:00Z',
          timeZone: 'UTC',
          calendarIds: [made.id],
        },
      });
      expect(slots(body[0])).toEqual(
        made.timeZone === 'Europe/Berlin'
          ? [['2034-03-09T23:00:00Z', '2034-03-10T23:00:00Z']]
          : [['2034-03-10T00:00:00Z', '2034-03-11T00:00:00Z']],
      );
    });

    it('fails as a whole, naming the calendar, unless partial answers are allowed', async () => {
      const { call, calendarId } = fixture();
      const whole = await call('POST', 'freeBusy', '', { body: { ...WINDOW, calendarIds: [calendarId, 'unknown'] } });
      expect(whole.status).toBe(404);
      expect(whole.body.message).toContain('unknown');
      const partial = await call('POST', 'freeBusy', '', {
        body: { ...WINDOW, calendarIds: [calendarId, 'unknown'], allowPartial: true },
      });
      expect(partial.status).toBe(200);
      expect(partial.body[0].busySlots.length).toBeGreaterThan(0);
      expect(partial.body[1]).toEqual({
        calendarId: 'unknown',
        error: { code: 'NotFound', message: expect.any(String) },
      });
    });

    it.each([
      [{ calendarIds: [] }, 'calendarIds'],
      [{ calendarIds: 'x' }, 'calendarIds'],
      [{ timeZone: 'Mars/Olympus' }, 'timeZone'],
      [{ timeZone: undefined }, 'timeZone'],
      [{ startDateTime: WINDOW.endDateTime, endDateTime: WINDOW.startDateTime }, 'endDateTime'],
      [{ startDateTime: 'x' }, 'startDateTime'],
      [
        { endDateTime: '2044-03-01T00:00:00Z', calendarIds: Array.from({ length: 1000 }, (_, index) => `c${index}`) },
        'calendarIds',
      ],
    ])('refuses %j naming %s', async (change, path) => {
      const { call, calendarId } = fixture();
      const { status, body } = await call('POST', 'freeBusy', '', {
        body: { ...WINDOW, calendarIds: [calendarId], ...change },
      });
      expect(status).toBe(400);
      expect(body.details.map((detail: any) => detail.path)).toContain(path);
    });
  });
}

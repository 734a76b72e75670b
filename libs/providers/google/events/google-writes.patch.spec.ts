import type { calendar_v3 } from '@googleapis/calendar';
import { readGoogleEvent } from './google-event.js';
import { isAlreadyApplied } from './google-writes.js';

const ZONE = 'Europe/Lisbon';
const RAW = {
  id: 'e1',
  summary: 'Now',
  start: { dateTime: '2027-03-01T09:00:00+01:00', timeZone: 'Europe/Berlin' },
  end: { dateTime: '2027-03-01T10:00:00+01:00', timeZone: 'Europe/Berlin' },
  recurrence: ['RRULE:FREQ=DAILY;COUNT=4'],
  attendees: [{ email: 'a@example.com', responseStatus: 'accepted' }],
  extendedProperties: { private: { kept: '1', set: '2' } },
};

function applied(body: calendar_v3.Schema$Event, raw: object = RAW): boolean {
  return isAlreadyApplied(body, readGoogleEvent(raw, ZONE)!, ZONE);
}

describe('F23 a patch is applied', () => {
  it.each<[string, calendar_v3.Schema$Event]>([
    ['texts', { summary: 'Now' }],
    ['properties taken away', { location: null }],
    ['lines of a rule', { recurrence: ['RRULE:FREQ=DAILY;COUNT=4'] }],
    ['parts of guests and properties', { attendees: [{ email: 'a@example.com' }] }],
    ['single properties', { extendedProperties: { private: { set: '2' } } }],
    ['times written with another offset', { start: { dateTime: '2027-03-01T08:00:00Z', timeZone: 'Europe/Berlin' } }],
    ['nothing at all', {}],
  ])('with %s', (_, body) => {
    expect(applied(body)).toBe(true);
  });

  it.each<[string, calendar_v3.Schema$Event]>([
    ['another text', { summary: 'Then' }],
    ['a property that is still there', { summary: null }],
    ['another rule', { recurrence: ['RRULE:FREQ=DAILY;COUNT=5'] }],
    ['one line more', { recurrence: ['RRULE:FREQ=DAILY;COUNT=4', 'EXDATE:20270301T080000Z'] }],
    ['no rule', { recurrence: null }],
    ['other guests', { attendees: [{ email: 'b@example.com' }] }],
    ['a single property', { extendedProperties: { private: { set: '3' } } }],
    ['a property of the prototype', { toString: {} } as never],
    ['another time', { start: { dateTime: '2027-03-01T10:00:00Z', timeZone: 'Europe/Berlin' } }],
    ['another zone', { start: { dateTime: '2027-03-01T08:00:00Z', timeZone: 'Europe/Lisbon' } }],
    ['a day', { end: { date: '2027-03-01' } }],
  ])('but not with %s', (_, body) => {
    expect(applied(body)).toBe(false);
  });

  it('to whole days', () => {
    const day = { id: 'e1', start: { date: '2027-03-01' }, end: { date: '2027-03-02' } };
    expect(applied({ start: { date: '2027-03-01', dateTime: null, timeZone: null } }, day)).toBe(true);
    expect(applied({ end: { date: '2027-03-03' } }, day)).toBe(false);
  });
});

import { readGraphTime, readOriginalStart } from './graph-times.js';

const read = (dateTime: unknown, timeZone: unknown = 'UTC', isAllDay = false) =>
  readGraphTime({ dateTime, timeZone }, isAllDay, 'Europe/Berlin');
const berlin = (local: string, offsetMinutes: number) => ({
  kind: 'dateTime',
  local,
  timeZone: 'Europe/Berlin',
  offsetMinutes,
});

describe('readGraphTime', () => {
  it.each([
    ['2027-03-22T08:00:00.0000000', 'UTC', berlin('2027-03-22T09:00:00', 60)],
    ['2027-06-22T08:00:00', 'UTC', berlin('2027-06-22T10:00:00', 120)],
    ['2027-03-22T08:00:00', 'Eastern Standard Time', berlin('2027-03-22T13:00:00', 60)],
    ['2028-02-29T23:30:00.123Z', undefined, berlin('2028-03-01T00:30:00', 60)],
  ])('shows %s in %s on the clock that is asked for', (dateTime, timeZone, time) => {
    expect(read(dateTime, timeZone)).toEqual(time);
  });

  it('takes an all-day time for its date', () => {
    expect(read('2027-03-22T00:00:00.0000000', 'UTC', true)).toEqual({ kind: 'date', date: '2027-03-22' });
  });

  it.each([
    '2027-02-30T08:00:00',
    '2027-02-29T08:00:00',
    '2027-13-01T08:00:00',
    '2027-03-00T08:00:00',
    '2027-03-31T24:00:00',
    '2027-03-31T23:59:60',
    '2027-03-31',
    '2027-03-31T08:00:00+02:00',
    '',
    null,
    7,
  ])('reads no time out of %s', (dateTime) => {
    expect(read(dateTime)).toBeNull();
    expect(read(dateTime, 'UTC', true)).toBeNull();
    expect(readOriginalStart(dateTime, false, 'UTC')).toBeNull();
  });

  it('reads no time of a zone that nobody knows', () => {
    expect(read('2027-03-22T08:00:00', 'tzone://Microsoft/Custom')).toBeNull();
  });
});

describe('readOriginalStart', () => {
  it('is an instant, and of an all-day series midnight of its day or the instant at which that begins', () => {
    expect(readOriginalStart('2027-03-22T08:00:00Z', false, 'Europe/Berlin')).toEqual(
      berlin('2027-03-22T09:00:00', 60),
    );
    const day = { kind: 'date', date: '2027-03-22' };
    expect(readOriginalStart('2027-03-22T00:00:00Z', true, 'Europe/Berlin')).toEqual(day);
    expect(readOriginalStart('2027-03-21T23:00:00Z', true, 'Europe/Berlin')).toEqual(day);
  });
});

import { instantOf, onClock, withWall } from '#providers/kit/series';
import { readGoogleTime, toGoogleTime, toGoogleTimePatch } from './google-event.js';

const LISBON = 'Europe/Lisbon';

describe('readGoogleTime', () => {
  it.each([
    [
      'puts an instant on the clock of the event, whatever zone the answer is in',
      { dateTime: '2026-12-07T08:00:00Z', timeZone: 'Europe/Berlin' },
      { local: '2026-12-07T09:00:00', timeZone: 'Europe/Berlin', offsetMinutes: 60 },
    ],
    [
      'takes the calendar’s zone where the event has none',
      { dateTime: '2026-07-07T08:00:00-03:00' },
      { local: '2026-07-07T12:00:00', timeZone: LISBON, offsetMinutes: 60 },
    ],
    [
      'reads a clock without an offset',
      { dateTime: '2026-07-07T08:00:00', timeZone: 'America/New_York' },
      { local: '2026-07-07T08:00:00', timeZone: 'America/New_York', offsetMinutes: -240 },
    ],
    [
      'keeps the wall time of a zone that nobody knows',
      { dateTime: '2026-07-07T08:00:00+02:00', timeZone: 'Mars/Olympus' },
      { local: '2026-07-07T08:00:00', timeZone: 'Mars/Olympus', offsetMinutes: null },
    ],
    [
      'drops fractions of a second',
      { dateTime: '2026-07-07T08:00:00.123Z', timeZone: 'UTC' },
      { local: '2026-07-07T08:00:00', timeZone: 'UTC', offsetMinutes: 0 },
    ],
    [
      'keeps what is written on the clock of its own zone',
      { dateTime: '2026-07-07T08:00:00-04:00', timeZone: 'America/New_York' },
      { local: '2026-07-07T08:00:00', timeZone: 'America/New_York', offsetMinutes: -240 },
    ],
    [
      'takes minus nothing for nothing',
      { dateTime: '2026-07-07T08:00:00-00:00', timeZone: 'UTC' },
      { local: '2026-07-07T08:00:00', timeZone: 'UTC', offsetMinutes: 0 },
    ],
    [
      'tells the second of two equal readings',
      { dateTime: '2026-10-25T01:30:00Z', timeZone: 'Europe/Berlin' },
      { local: '2026-10-25T02:30:00', timeZone: 'Europe/Berlin', offsetMinutes: 60 },
    ],
  ])('%s', (_name, written, read) => {
    expect(readGoogleTime(written, LISBON)).toEqual({ kind: 'dateTime', ...read });
  });

  it('keeps a date a date', () => {
    expect(readGoogleTime({ date: '2026-03-29' }, 'Pacific/Kiritimati')).toEqual({ kind: 'date', date: '2026-03-29' });
  });

  it('knows the days of every century', () => {
    for (const date of ['2028-02-29', '2000-02-29', '1900-02-28', '0096-02-29', '9999-12-31']) {
      expect(readGoogleTime({ date }, LISBON)).toEqual({ kind: 'date', date });
    }
    expect(readGoogleTime({ date: '1900-02-29' }, LISBON)).toBeNull();
    expect(readGoogleTime({ dateTime: '0050-01-01T09:00:00Z', timeZone: 'UTC' }, LISBON)).toMatchObject({
      local: '0050-01-01T09:00:00',
      offsetMinutes: 0,
    });
  });

  it.each([
    [null],
    ['2026-01-01'],
    [[]],
    [{}],
    [{ date: '2026-02-30' }],
    [{ date: 20260101 }],
    [{ dateTime: '2026-02-30T00:00:00Z' }],
    [{ dateTime: '2026-01-01T24:00:00Z' }],
    [{ dateTime: '2026-01-01T25:00:00Z' }],
    [{ dateTime: '2026-01-01T09:60:00Z' }],
    [{ dateTime: '2026-01-01T09:00:60Z' }],
    [{ date: '2026-00-10' }],
    [{ date: '2026-13-10' }],
    [{ date: '2026-01-00' }],
    [{ date: '2026-04-31' }],
    [{ date: '2027-02-29' }],
    [{ dateTime: 'tomorrow' }],
    [{ dateTime: { toString: 'x' } }],
  ])('says nothing of %j', (written) => {
    expect(readGoogleTime(written, LISBON)).toBeNull();
  });
});

describe('toGoogleTime', () => {
  it('says offset and zone, so that neither a series nor a time that comes twice is in doubt', () => {
    const second = {
      kind: 'dateTime' as const,
      local: '2026-10-25T02:30:00',
      timeZone: 'Europe/Berlin',
      offsetMinutes: 60,
    };
    expect(toGoogleTime(second)).toEqual({ dateTime: '2026-10-25T02:30:00+01:00', timeZone: 'Europe/Berlin' });
    expect(toGoogleTime(onClock('2026-01-01T09:00:00', 'UTC'))).toEqual({
      dateTime: '2026-01-01T09:00:00Z',
      timeZone: 'UTC',
    });
    expect(toGoogleTime(onClock('2026-01-01T09:00:00', 'America/St_Johns')).dateTime).toBe('2026-01-01T09:00:00-03:30');
  });

  it('leaves an offset of odd seconds to the zone', () => {
    expect(toGoogleTime(onClock('1900-06-01T09:00:00', 'Europe/Amsterdam')).dateTime).toMatch(/^1900-06-01T09:00:00/);
    expect(toGoogleTime(onClock('1900-06-01T09:00:00', 'Africa/Monrovia')).dateTime).toBe('1900-06-01T09:00:00');
  });

  it('takes out what the other kind of time had', () => {
    expect(toGoogleTimePatch({ kind: 'date', date: '2026-01-01' })).toEqual({
      date: '2026-01-01',
      dateTime: null,
      timeZone: null,
    });
    expect(toGoogleTimePatch(onClock('2026-01-01T09:00:00', 'UTC'))).toMatchObject({ date: null, timeZone: 'UTC' });
  });
});

describe('arithmetic', () => {
  it('reads a time that the clock leaves out as the one it stands for', () => {
    expect(onClock('2026-03-29T02:30:00', 'Europe/Berlin')).toMatchObject({
      local: '2026-03-29T03:30:00',
      offsetMinutes: 120,
    });
  });

  it('keeps the wall time over a clock change', () => {
    const before = onClock('2026-03-28T09:00:00', 'Europe/Berlin');
    const after = withWall(before, Date.UTC(2026, 2, 30, 9));
    expect(after).toMatchObject({ local: '2026-03-30T09:00:00', offsetMinutes: 120 });
    expect(instantOf(after, LISBON) - instantOf(before, LISBON)).toBe(47 * 3_600_000);
  });

  it('lives dates in the calendar’s zone', () => {
    expect(instantOf({ kind: 'date', date: '2026-07-01' }, 'Asia/Tokyo')).toBe(Date.UTC(2026, 5, 30, 15));
  });
});

import type { EventInput, EventTime, GivenTimeInput } from '#domain/events';
import { changedSpan, newSpan, shiftedSpan, spanFrom } from './input-times.js';
import { onClock, SeriesTimes } from './times.js';

const TIMES = new SeriesTimes('Europe/Berlin');
const FRAME = { times: TIMES, isSeries: false };
const SERIES = { ...FRAME, isSeries: true };
const at = (local: string, timeZone: string | null = null, offsetMinutes: number | null = null): GivenTimeInput => ({
  kind: 'dateTime',
  local,
  timeZone,
  offsetMinutes,
});
const day = (date: string) => ({ kind: 'date' as const, date });
const NINE = {
  start: onClock('2027-03-10T09:00:00', 'America/New_York'),
  end: onClock('2027-03-10T10:00:00', 'America/New_York'),
};
const DAYS = { start: day('2027-03-10'), end: day('2027-03-12') };
const rejectedAt = (path: string) => expect.objectContaining({ details: [expect.objectContaining({ path })] });

describe('newSpan', () => {
  it.each<[string, EventInput & { start: GivenTimeInput }, object]>([
    [
      'an hour without an end',
      { start: at('2027-03-10T09:00:00', 'UTC') },
      { end: { local: '2027-03-10T10:00:00', timeZone: 'UTC' } },
    ],
    [
      'an hour without an end, in a night of 25',
      { start: at('2027-10-31T02:30:00', 'Europe/Berlin', 120) },
      { end: { local: '2027-10-31T02:30:00', offsetMinutes: 60 } },
    ],
    ['a day without an end', { start: day('2027-03-10'), end: null }, { end: day('2027-03-11') }],
    [
      'the calendar’s clock without a zone',
      { start: at('2027-03-10T09:00:00') },
      { start: { timeZone: 'Europe/Berlin', offsetMinutes: 60 } },
    ],
    [
      'an instant in UTC',
      { start: at('2027-03-10T09:00:00', null, 120) },
      { start: { local: '2027-03-10T07:00:00', timeZone: 'UTC' } },
    ],
    [
      'an instant in the zone given with it',
      { start: at('2027-03-10T09:00:00', 'Asia/Tokyo', 0) },
      { start: { local: '2027-03-10T18:00:00', timeZone: 'Asia/Tokyo' } },
    ],
    [
      'an end on the clock of the start',
      { start: at('2027-03-10T09:00:00', 'Asia/Tokyo'), end: at('2027-03-10T11:00:00') },
      { end: { local: '2027-03-10T11:00:00', timeZone: 'Asia/Tokyo' } },
    ],
    [
      'an end of another zone',
      { start: at('2027-03-10T09:00:00', 'Asia/Tokyo'), end: at('2027-03-10T09:00:00', 'UTC') },
      { end: { local: '2027-03-10T09:00:00', timeZone: 'UTC' } },
    ],
    [
      'no length at all',
      { start: at('2027-03-10T09:00:00'), end: at('2027-03-10T09:00:00') },
      { end: { local: '2027-03-10T09:00:00' } },
    ],
    [
      'the day of a time that is all day',
      { start: at('2027-03-10T09:00:00'), isAllDay: true },
      { start: day('2027-03-10'), end: day('2027-03-11') },
    ],
    [
      'all days that an end within a day touches',
      { start: day('2027-03-10'), end: at('2027-03-11T01:00:00'), isAllDay: true },
      { end: day('2027-03-12') },
    ],
  ])('takes %s', (_name, input, span) => {
    expect(newSpan(input, FRAME)).toMatchObject(span);
  });

  it('gives a series the calendar’s zone, where a single event may do with an instant', () => {
    expect(newSpan({ start: at('2027-03-10T09:00:00', null, 0) }, SERIES).start).toMatchObject({
      local: '2027-03-10T10:00:00',
      timeZone: 'Europe/Berlin',
    });
  });

  it.each<[EventInput & { start: GivenTimeInput }, string]>([
    [{ start: at('2027-03-10T09:00:00'), end: at('2027-03-10T08:59:59') }, 'end'],
    [{ start: day('2027-03-10'), end: day('2027-03-09') }, 'end'],
    [{ start: day('2027-03-10'), end: day('2027-03-10') }, 'end'],
    [{ start: day('2027-03-10'), end: at('2027-03-11T09:00:00') }, 'end'],
    [{ start: day('2027-03-10'), isAllDay: false }, 'start'],
  ])('refuses %j', (input, path) => {
    expect(() => newSpan(input, FRAME)).toThrow(rejectedAt(path));
  });
});

describe('changedSpan', () => {
  it.each<[string, EventInput]>([
    ['nothing given', { title: 'x' }],
    ['the same wall time without a zone', { start: at('2027-03-10T09:00:00') }],
    ['the same instant', { start: at('2027-03-10T14:00:00', null, 0), isAllDay: false }],
  ])('is nothing with %s', (_name, input) => {
    expect(changedSpan(NINE, input, FRAME)).toBeNull();
  });

  it.each<[string, typeof NINE | typeof DAYS, EventInput, object]>([
    [
      'stays on the event’s own clock',
      NINE,
      { start: at('2027-03-10T08:00:00') },
      { start: { local: '2027-03-10T08:00:00', timeZone: 'America/New_York' }, end: NINE.end },
    ],
    [
      'puts an instant on it',
      NINE,
      { end: at('2027-03-10T16:00:00', null, 0) },
      { end: { local: '2027-03-10T11:00:00', timeZone: 'America/New_York' } },
    ],
    [
      'goes back to an hour',
      NINE,
      { end: null, start: at('2027-03-10T08:00:00') },
      { end: { local: '2027-03-10T09:00:00' } },
    ],
    ['becomes the day that it is on', NINE, { isAllDay: true }, { start: day('2027-03-10'), end: day('2027-03-11') }],
    [
      'becomes an hour of a day',
      DAYS,
      { start: at('2027-03-10T09:00:00'), isAllDay: false },
      { start: { timeZone: 'Europe/Berlin' }, end: { local: '2027-03-10T10:00:00' } },
    ],
    ['keeps the last day', DAYS, { start: day('2027-03-11') }, { start: day('2027-03-11'), end: day('2027-03-12') }],
  ])('%s', (_name, current, input, span) => {
    expect(changedSpan<EventTime>(current, input, FRAME)).toMatchObject(span);
  });

  it('refuses a start behind the end that stays', () => {
    expect(() => changedSpan(NINE, { start: at('2027-03-10T10:00:01') }, FRAME)).toThrow(rejectedAt('end'));
    expect(() => changedSpan(DAYS, { isAllDay: false }, FRAME)).toThrow(rejectedAt('start'));
  });
});

it('spans move and keep their length by the clock', () => {
  const berlin = {
    start: onClock('2027-03-27T09:00:00', 'Europe/Berlin'),
    end: onClock('2027-03-27T10:30:00', 'Europe/Berlin'),
  };
  const moved = { start: { local: '2027-03-28T09:00:00', offsetMinutes: 120 }, end: { local: '2027-03-28T10:30:00' } };
  expect(shiftedSpan(berlin, 86_400_000, TIMES)).toMatchObject(moved);
  expect(spanFrom(onClock('2027-03-28T09:00:00', 'Europe/Berlin'), berlin, TIMES)).toMatchObject(moved);
});

describe('another zone alone', () => {
  const zone = (timeZone: string) => ({ kind: 'timeZone' as const, timeZone });
  const inZones = (start: string, end: string) => ({
    start: { local: '2027-03-10T09:00:00', timeZone: start },
    end: { local: '2027-03-10T10:00:00', timeZone: end },
  });

  it.each<[string, EventInput, string, string]>([
    ['of the start', { start: zone('Asia/Tokyo') }, 'Asia/Tokyo', 'Asia/Tokyo'],
    ['further west', { start: zone('Pacific/Honolulu') }, 'Pacific/Honolulu', 'Pacific/Honolulu'],
    ['of both', { start: zone('Asia/Tokyo'), end: zone('Asia/Seoul') }, 'Asia/Tokyo', 'Asia/Seoul'],
    ['of the end', { end: zone('America/Chicago') }, 'America/New_York', 'America/Chicago'],
  ])('%s keeps the wall time', (_name, input, start, end) => {
    expect(changedSpan(NINE, input, FRAME)).toMatchObject(inZones(start, end));
  });

  it('leaves dates as they are, and what has that zone already', () => {
    expect(changedSpan(DAYS, { start: zone('Asia/Tokyo') }, FRAME)).toBeNull();
    expect(changedSpan(NINE, { start: zone('America/New_York') }, FRAME)).toBeNull();
  });
});

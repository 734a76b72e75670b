import type { EventTime } from '#domain/events';
import { assertCopyable, isFrom, shiftException } from './series-exceptions.js';
import { onClock, SeriesTimes } from './times.js';

const berlin = (local: string) => onClock(`2027-03-${local}:00`, 'Europe/Berlin');
const tokyo = (local: string) => onClock(`2027-03-${local}:00`, 'Asia/Tokyo');
const SERIES = { start: berlin('08T09:00'), end: berlin('08T10:00') };
const moved = (start = berlin('10T11:00'), end = berlin('10T12:30')) => ({
  originalStart: berlin('10T09:00'),
  start,
  end,
});

const TIMES = new SeriesTimes('UTC');
const place = (start: EventTime, hours = 1) => ({
  start,
  end: TIMES.withWall(start, TIMES.wallOf(start) + hours * 3_600_000),
});

describe('shiftException', () => {
  it('keeps an instance as far from where the series puts it, and as long', () => {
    expect(shiftException(moved(), SERIES, place(berlin('10T14:00')))).toEqual({
      start: berlin('10T16:00'),
      end: berlin('10T17:30'),
    });
    const longer = moved(berlin('10T09:00'), berlin('10T10:30'));
    expect(shiftException(longer, SERIES, place(berlin('10T14:00')))).toEqual({
      start: berlin('10T14:00'),
      end: berlin('10T15:30'),
    });
  });

  it('keeps the clock that an instance was moved to', () => {
    const abroad = moved(tokyo('10T20:00'), tokyo('10T21:00'));
    expect(shiftException(abroad, SERIES, place(berlin('10T10:00')))).toEqual({
      start: tokyo('10T21:00'),
      end: tokyo('10T22:00'),
    });
  });

  it('keeps its length by the clock over a change of the clocks', () => {
    const evening = moved(berlin('10T23:00'), berlin('11T04:00'));
    expect(shiftException(evening, SERIES, place(berlin('27T09:00')))).toEqual({
      start: berlin('27T23:00'),
      end: berlin('28T04:00'),
    });
  });

  it('moves an all-day instance of a timed series, and the reverse, by days alone', () => {
    const day = (date: string) => ({ kind: 'date' as const, date: `2027-03-${date}` });
    const allDay = moved(day('11') as never, day('13') as never);
    const inTimed = (target: EventTime) => shiftException(allDay, SERIES, place(target));
    expect(inTimed(berlin('10T09:00'))).toEqual({ start: day('11'), end: day('13') });
    expect(inTimed(berlin('10T07:00'))).toEqual({ start: day('11'), end: day('13') });
    expect(inTimed(berlin('12T23:00'))).toEqual({ start: day('13'), end: day('15') });
    expect(inTimed(day('12'))).toEqual({ start: day('13'), end: day('15') });
    const days = { start: day('08'), end: day('09') };
    const timed = { ...moved(berlin('10T11:00'), berlin('10T12:00')), originalStart: day('10') };
    const inDays = (target: EventTime) => shiftException(timed, days, place(target, 24));
    expect(inDays(day('12'))).toEqual({ start: berlin('12T11:00'), end: berlin('12T12:00') });
    expect(inDays(berlin('10T09:00'))).toEqual({ start: berlin('10T11:00'), end: berlin('10T12:00') });
  });

  it('keeps the days that an instance was moved by when its series becomes one of days, or the reverse', () => {
    const day = (date: string) => ({ kind: 'date' as const, date: `2027-03-${date}` });
    const later = moved(berlin('12T11:00'), berlin('12T12:30'));
    expect(shiftException(later, SERIES, place(day('10'), 24))).toEqual({ start: day('12'), end: day('13') });
    const days = { start: day('08'), end: day('09') };
    const dayLater = { originalStart: day('10'), start: day('12'), end: day('13') };
    expect(shiftException(dayLater, days, place(berlin('10T09:00')))).toEqual({
      start: berlin('12T09:00'),
      end: berlin('12T10:00'),
    });
  });

  it('is as long as the changed series when it was as long as the series', () => {
    const alike = moved(berlin('10T11:00'), berlin('10T12:00'));
    expect(shiftException(alike, SERIES, place(berlin('10T09:00'), 3))).toEqual({
      start: berlin('10T11:00'),
      end: berlin('10T14:00'),
    });
    expect(shiftException(moved(), SERIES, place(berlin('10T09:00'), 3))?.end).toEqual(berlin('10T12:30'));
  });

  it('says nothing of an instance that stayed, or that has no times', () => {
    const there = place(berlin('10T14:00'));
    expect(shiftException(moved(berlin('10T09:00'), berlin('10T10:00')), SERIES, there)).toBeNull();
    expect(shiftException({ ...moved(), end: null }, SERIES, there)).toBeNull();
    expect(shiftException({ ...moved(), originalStart: null }, SERIES, there)).toBeNull();
  });
});

describe('changed instances of a series', () => {
  it('are told apart by where the series had put them', () => {
    expect(isFrom(moved(), berlin('10T09:00'), 'Europe/Berlin')).toBe(true);
    expect(isFrom(moved(), berlin('10T09:01'), 'Europe/Berlin')).toBe(false);
    const day = { ...moved(), originalStart: { kind: 'date' as const, date: '2027-03-10' } };
    expect(isFrom(day, onClock('2027-03-10T00:00:00', 'Asia/Tokyo'), 'Asia/Tokyo')).toBe(true);
    expect(isFrom({ ...moved(), originalStart: null }, berlin('01T09:00'), 'Europe/Berlin')).toBe(false);
  });

  it('are carried along up to a hundred', () => {
    expect(() => assertCopyable(100)).not.toThrow();
    expect(() => assertCopyable(101)).toThrow(expect.objectContaining({ code: 'Conflict' }));
  });
});

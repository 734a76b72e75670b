import type { CalendarEvent, EventTime } from '#domain/events';
import { toEventItemView, toEventView } from './event-view.js';
import { showInstant, showOriginalStart, showTime, type ShownIn } from './show-time.js';

const BERLIN: EventTime = {
  kind: 'dateTime',
  local: '2026-07-01T09:00:00',
  timeZone: 'Europe/Berlin',
  offsetMinutes: 120,
};
const UTC: EventTime = { kind: 'dateTime', local: '2026-07-01T09:00:00', timeZone: 'UTC', offsetMinutes: 0 };
const FLOATING: EventTime = { kind: 'dateTime', local: '2026-07-01T09:00:00', timeZone: null, offsetMinutes: null };
const UNKNOWN: EventTime = {
  kind: 'dateTime',
  local: '2026-07-01T09:00:00',
  timeZone: 'Nowhere/City',
  offsetMinutes: null,
};
const DAY: EventTime = { kind: 'date', date: '2026-07-01' };
const own: ShownIn = { requestedZone: null, calendarZone: 'America/New_York' };
const tokyo: ShownIn = { requestedZone: 'Asia/Tokyo', calendarZone: 'America/New_York' };

describe('showTime', () => {
  it.each<[string, EventTime, ShownIn, object]>([
    ['a zoned time', BERLIN, own, { dateTime: '2026-07-01T09:00:00+02:00', timeZone: 'Europe/Berlin' }],
    ['a zoned time elsewhere', BERLIN, tokyo, { dateTime: '2026-07-01T16:00:00+09:00', timeZone: 'Asia/Tokyo' }],
    ['a UTC time', UTC, own, { dateTime: '2026-07-01T09:00:00Z', timeZone: 'UTC' }],
    ['a UTC time elsewhere', UTC, tokyo, { dateTime: '2026-07-01T18:00:00+09:00', timeZone: 'Asia/Tokyo' }],
    ['a floating time', FLOATING, own, { dateTime: '2026-07-01T09:00:00', timeZone: 'America/New_York' }],
    ['a floating time elsewhere', FLOATING, tokyo, { dateTime: '2026-07-01T22:00:00+09:00', timeZone: 'Asia/Tokyo' }],
    [
      'a floating time in the zone it is lived in',
      FLOATING,
      { requestedZone: 'America/New_York', calendarZone: 'America/New_York' },
      { dateTime: '2026-07-01T09:00:00-04:00', timeZone: 'America/New_York' },
    ],
    [
      'a floating time of a calendar that nothing is known of',
      FLOATING,
      { requestedZone: 'Asia/Tokyo', calendarZone: null },
      { dateTime: '2026-07-01T09:00:00', timeZone: 'Asia/Tokyo' },
    ],
    ['a zone nobody knows', UNKNOWN, own, { dateTime: '2026-07-01T09:00:00', timeZone: 'Nowhere/City' }],
    ['a zone nobody knows, elsewhere', UNKNOWN, tokyo, { dateTime: '2026-07-01T09:00:00', timeZone: 'Nowhere/City' }],
    ['a date', DAY, own, { date: '2026-07-01', dateTime: '2026-07-01T00:00:00', timeZone: 'America/New_York' }],
    ['a date elsewhere', DAY, tokyo, { date: '2026-07-01', dateTime: '2026-07-01T00:00:00', timeZone: 'Asia/Tokyo' }],
  ])('%s', (_name, time, shownIn, shown) => {
    expect(showTime(time, shownIn)).toEqual(shown);
  });

  it('reads a floating time that the calendar’s clock leaves out with the offset before (RFC 5545 §3.3.5)', () => {
    const time: EventTime = { ...FLOATING, local: '2026-03-29T02:30:00' };
    expect(showTime(time, { requestedZone: 'UTC', calendarZone: 'Europe/Berlin' })).toEqual({
      dateTime: '2026-03-29T01:30:00Z',
      timeZone: 'UTC',
    });
  });

  it('tells the two hours of a clock that is turned back apart', () => {
    const show = (offsetMinutes: number) =>
      showTime(
        { kind: 'dateTime', local: '2026-10-25T02:30:00', timeZone: 'Europe/Berlin', offsetMinutes },
        { requestedZone: 'Europe/Berlin', calendarZone: 'UTC' },
      ).dateTime;
    expect([show(120), show(60)]).toEqual(['2026-10-25T02:30:00+02:00', '2026-10-25T02:30:00+01:00']);
  });

  it('knows offsets of half and quarter hours, west and east', () => {
    const at = (zone: string) => showInstant(Date.UTC(2026, 0, 1), zone).dateTime;
    expect(at('Asia/Kathmandu')).toBe('2026-01-01T05:45:00+05:45');
    expect(at('America/St_Johns')).toBe('2025-12-31T20:30:00-03:30');
  });
});

describe('times that RFC 3339 cannot write', () => {
  const zoned = (local: string, timeZone: string, offsetMinutes: number): EventTime => ({
    kind: 'dateTime',
    ...{ local, timeZone, offsetMinutes },
  });
  const last = zoned('9999-12-31T23:59:59', 'UTC', 0);

  it.each<[string, EventTime, ShownIn, object]>([
    ['the last second, in the east', last, tokyo, { dateTime: '9999-12-31T23:59:59Z', timeZone: 'UTC' }],
    [
      'the last second, written in the east',
      zoned('+010000-01-01T00:59:59', 'Europe/Berlin', 60),
      own,
      { dateTime: '9999-12-31T23:59:59Z', timeZone: 'UTC' },
    ],
    [
      'a later second',
      zoned('+010000-01-01T12:00:00', 'Europe/Berlin', 60),
      own,
      { dateTime: '9999-12-31T23:59:59Z', timeZone: 'UTC' },
    ],
    [
      'the first second, in the west',
      zoned('0000-01-01T00:00:00', 'UTC', 0),
      { requestedZone: 'America/New_York', calendarZone: null },
      { dateTime: '0000-01-01T00:00:00Z', timeZone: 'UTC' },
    ],
    [
      'a time of an unknown zone',
      { ...UNKNOWN, local: '+010000-01-01T12:00:00' },
      own,
      { dateTime: '9999-12-31T23:59:59', timeZone: 'Nowhere/City' },
    ],
    [
      'the day after the last',
      { kind: 'date', date: '+010000-01-01' },
      own,
      { date: '9999-12-31', dateTime: '9999-12-31T00:00:00', timeZone: 'America/New_York' },
    ],
  ])('%s', (_name, time, shownIn, shown) => {
    expect(showTime(time, shownIn)).toEqual(shown);
  });

  it('an original day', () => {
    expect(showOriginalStart({ kind: 'date', date: '+010000-01-01' }, own)).toEqual({ date: '9999-12-31' });
  });
});

describe('showOriginalStart', () => {
  it('is the bare date of an all-day instance, and a time like any other', () => {
    expect(showOriginalStart(DAY, tokyo)).toEqual({ date: '2026-07-01' });
    expect(showOriginalStart(BERLIN, tokyo)).toEqual(showTime(BERLIN, tokyo));
  });
});

describe('toEventView', () => {
  const event: CalendarEvent = {
    id: 'e_20260701',
    title: 'x',
    start: DAY,
    end: { kind: 'date', date: '2026-07-02' },
    publicExtendedProperties: {},
    privateExtendedProperties: { a: 'b' },
    isRecurring: false,
    isException: true,
    isCancelled: false,
    recurrence: null,
    originalStart: { kind: 'date', date: '2026-06-30' },
    recurringEventId: 'e',
    attendees: [],
    visibility: 'default',
    transparency: 'opaque',
    eventType: 'default',
    reminders: { useDefault: true },
    calendarTimeZone: 'Europe/Berlin',
  };

  it('shows everything but the zone of the calendar, which dates are lived in', () => {
    expect(toEventView(event, null)).toEqual({
      id: 'e_20260701',
      title: 'x',
      start: { date: '2026-07-01', dateTime: '2026-07-01T00:00:00', timeZone: 'Europe/Berlin' },
      end: { date: '2026-07-02', dateTime: '2026-07-02T00:00:00', timeZone: 'Europe/Berlin' },
      isAllDay: true,
      publicExtendedProperties: {},
      privateExtendedProperties: { a: 'b' },
      isRecurring: false,
      isException: true,
      isCancelled: false,
      recurrence: null,
      originalStart: { date: '2026-06-30' },
      recurringEventId: 'e',
      attendees: [],
      visibility: 'default',
      transparency: 'opaque',
      eventType: 'default',
      reminders: { useDefault: true },
    });
  });

  it('lives dates and floating times in UTC where no zone is known', () => {
    const { calendarTimeZone: _, ...homeless } = { ...event, start: FLOATING, end: FLOATING };
    expect(toEventView(homeless, null)).toMatchObject({
      isAllDay: false,
      start: { dateTime: '2026-07-01T09:00:00', timeZone: 'UTC' },
    });
  });

  it('shows floating times, the original start included, as the instants that they are in the calendar', () => {
    const floating = { ...event, start: FLOATING, end: FLOATING, originalStart: FLOATING };
    const shown = { dateTime: '2026-07-01T16:00:00+09:00', timeZone: 'Asia/Tokyo' };
    expect(toEventView(floating, 'Asia/Tokyo')).toMatchObject({ start: shown, end: shown, originalStart: shown });
  });

  it('shows an item that is gone with what is known of it', () => {
    expect(toEventItemView({ id: 'e', isCancelled: true }, 'Asia/Tokyo')).toEqual({ id: 'e', isCancelled: true });
    expect(
      toEventItemView(
        { id: 'e_1', isCancelled: true, iCalUid: 'u', recurringEventId: 'e', originalStart: BERLIN },
        'Asia/Tokyo',
      ),
    ).toEqual({
      id: 'e_1',
      isCancelled: true,
      iCalUid: 'u',
      recurringEventId: 'e',
      originalStart: { dateTime: '2026-07-01T16:00:00+09:00', timeZone: 'Asia/Tokyo' },
    });
    expect(toEventItemView(event, null)).toEqual(toEventView(event, null));
  });
});

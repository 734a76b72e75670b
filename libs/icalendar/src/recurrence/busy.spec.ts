import { IcsDocument } from '../document.js';
import { busyOfCalendar, mergeBusy } from './busy.js';

const WINDOW = { startMs: Date.parse('2026-01-05T00:00Z'), endMs: Date.parse('2026-01-12T00:00Z') };

const calendarOf = (...events: string[][]) =>
  IcsDocument.parse(
    [
      'BEGIN:VCALENDAR',
      ...events.flatMap((lines) => ['BEGIN:VEVENT', ...lines, 'END:VEVENT']),
      'END:VCALENDAR',
      '',
    ].join('\r\n'),
  ).calendars[0]!;

function busy(...events: string[][]): string[] {
  const options = { floatingTimeZone: 'Europe/Berlin', ownAddresses: ['MAILTO:Me@example.org', '/principals/me/'] };
  return mergeBusy(busyOfCalendar(calendarOf(...events), WINDOW, options), WINDOW).map(
    ({ startMs, endMs }) =>
      `${new Date(startMs).toISOString().slice(5, 16)}/${new Date(endMs).toISOString().slice(5, 16)}`,
  );
}

const HOUR = ['UID:1', 'DTSTART:20260106T090000Z', 'DTEND:20260106T100000Z'];
const BUSY = ['01-06T09:00/01-06T10:00'];

describe('busyOfCalendar', () => {
  it.each([
    ['nothing said', [], BUSY],
    ['opaque', ['TRANSP:OPAQUE'], BUSY],
    ['transparent', ['TRANSP:transparent'], []],
    ['cancelled', ['STATUS:CANCELLED'], []],
    ['tentative', ['STATUS:TENTATIVE'], BUSY],
    ['free for Outlook', ['X-MICROSOFT-CDO-BUSYSTATUS:FREE'], []],
    ['free for Outlook but opaque', ['TRANSP:OPAQUE', 'X-MICROSOFT-CDO-BUSYSTATUS:FREE'], BUSY],
    ['tentative for Outlook', ['X-MICROSOFT-CDO-BUSYSTATUS:TENTATIVE'], BUSY],
    ['declined by me', ['ATTENDEE;PARTSTAT=DECLINED:mailto:me@EXAMPLE.org'], []],
    ['declined by my principal', ['ATTENDEE;PARTSTAT=DECLINED:/principals/me/'], []],
    ['declined by me behind EMAIL', ['ATTENDEE;PARTSTAT=DECLINED;EMAIL=me@example.org:urn:uuid:1'], []],
    ['declined by somebody else', ['ATTENDEE;PARTSTAT=DECLINED:mailto:you@example.org'], BUSY],
    ['not answered by me', ['ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:me@example.org'], BUSY],
  ])('%s', (_, lines, expected) => {
    expect(busy([...HOUR, ...lines])).toEqual(expected);
    // The same for a series.
    expect(busy([...HOUR, 'RRULE:FREQ=DAILY;COUNT=1', ...lines])).toEqual(expected);
  });

  it('counts dates and floating times in the calendar zone, and no time for what has no length', () => {
    expect(busy(['UID:1', 'DTSTART;VALUE=DATE:20260107'])).toEqual(['01-06T23:00/01-07T23:00']);
    expect(busy(['UID:1', 'DTSTART:20260107T090000', 'DURATION:PT1H'])).toEqual(['01-07T08:00/01-07T09:00']);
    expect(busy(['UID:1', 'DTSTART:20260107T090000Z'])).toEqual([]);
    expect(busy(['UID:1', 'DTSTART:20260107T090000Z', 'RRULE:FREQ=DAILY'])).toEqual([]);
  });

  it('clips to the window', () => {
    expect(busy(['UID:1', 'DTSTART:20260101T000000Z', 'DTEND:20260201T000000Z'])).toEqual(['01-05T00:00/01-12T00:00']);
  });

  it('keeps the events of many UIDs apart', () => {
    const series = ['DTSTART:20260105T080000Z', 'DTEND:20260105T090000Z', 'RRULE:FREQ=DAILY;COUNT=2'];
    const moved = ['UID:2', 'RECURRENCE-ID:20260106T080000Z', 'DTSTART:20260110T080000Z', 'DURATION:PT30M'];
    expect(
      busy(
        moved,
        ['UID:1', ...series],
        HOUR,
        ['UID:2', ...series],
        ['UID:3', 'DTSTART:20260109T080000Z', 'DURATION:PT1H'],
      ),
    ).toEqual([
      '01-05T08:00/01-05T09:00',
      '01-06T08:00/01-06T10:00',
      '01-09T08:00/01-09T09:00',
      '01-10T08:00/01-10T08:30',
    ]);
  });

  it('counts a second event of the same UID', () => {
    const second = ['UID:1', 'DTSTART:20260107T090000Z', 'DURATION:PT1H', 'RRULE:FREQ=DAILY;COUNT=1'];
    expect(busy([...HOUR, 'RRULE:FREQ=DAILY;COUNT=1'], second)).toEqual([...BUSY, '01-07T09:00/01-07T10:00']);
  });

  it('moves a single event by its override', () => {
    const moved = ['UID:1', 'RECURRENCE-ID:20260106T090000Z', 'DTSTART:20260108T090000Z', 'DURATION:PT1H'];
    expect(busy(HOUR, moved)).toEqual(['01-08T09:00/01-08T10:00']);
  });

  it('frees an instance that its override declines', () => {
    const daily = ['UID:1', 'DTSTART:20260106T090000Z', 'DURATION:PT1H', 'RRULE:FREQ=DAILY;COUNT=2'];
    const declined = [
      'UID:1',
      'RECURRENCE-ID:20260106T090000Z',
      ...HOUR.slice(1),
      'ATTENDEE;PARTSTAT=DECLINED:mailto:me@example.org',
    ];
    expect(busy(daily, declined)).toEqual(['01-07T09:00/01-07T10:00']);
  });

  it('N49 one unreadable event is flagged and does not hide the others', () => {
    const readings: string[] = [];
    const slots = busyOfCalendar(
      calendarOf(
        ['UID:1', 'DTSTART:nonsense'],
        ['UID:2', 'DTSTART:20260107T090000Z', 'DURATION:PT1H', 'RRULE:FREQ=SECONDLY'],
        ['UID:3', 'DTSTART:20260108T090000Z', 'DURATION:PT1H', 'RRULE:FREQ=SOMETIMES'],
        HOUR,
      ),
      WINDOW,
      {
        floatingTimeZone: 'UTC',
        ownAddresses: [],
        onUnreadable: (component, { reason, part }) =>
          readings.push(`${component.property('UID')?.value} ${reason} ${part}`),
      },
    );
    expect(readings).toEqual(['1 invalid DTSTART', '2 too-large RRULE', '3 invalid FREQ']);
    expect(mergeBusy(slots, WINDOW)).toHaveLength(2);
  });

  describe('time that nobody can tell', () => {
    const readings = (...events: string[][]) => {
      const parts: string[] = [];
      busyOfCalendar(calendarOf(...events), WINDOW, {
        floatingTimeZone: 'UTC',
        ownAddresses: ['me@example.org'],
        onUnreadable: (_, { reason, part }) => parts.push(`${reason} ${part}`),
      });
      return parts;
    };

    it.each([
      ['a start', ['DTSTART:nonsense'], 'invalid DTSTART'],
      ['an end', ['DTSTART:20260106T090000Z', 'DTEND:nonsense'], 'invalid DTEND'],
      ['a duration', ['DTSTART:20260106T090000Z', 'DURATION:nonsense'], 'invalid DURATION'],
      ['a rule', [...HOUR.slice(1), 'RRULE:FREQ=SOMETIMES'], 'invalid FREQ'],
      ['a rule of another calendar', [...HOUR.slice(1), 'RRULE:RSCALE=CHINESE;FREQ=YEARLY'], 'unsupported RSCALE'],
      ['a date that is added', [...HOUR.slice(1), 'RDATE:20260107T090000Z,nonsense'], 'invalid RDATE'],
      ['a period that is added', [...HOUR.slice(1), 'RDATE;VALUE=PERIOD:20260107T090000Z/nonsense'], 'invalid RDATE'],
    ])('%s that cannot be read is told, unless it blocks no time', (_, lines, expected) => {
      expect(readings(['UID:1', ...lines])).toContain(expected);
      expect(readings(['UID:1', ...lines, 'TRANSP:TRANSPARENT'])).toEqual([]);
      expect(readings(['UID:1', ...lines, 'STATUS:CANCELLED'])).toEqual([]);
      expect(readings(['UID:1', ...lines, 'ATTENDEE;PARTSTAT=DECLINED:mailto:me@example.org'])).toEqual([]);
    });

    it('an override that cannot be read is told, though the series blocks no time', () => {
      const series = [...HOUR, 'RRULE:FREQ=DAILY', 'TRANSP:TRANSPARENT'];
      expect(readings(series, ['UID:1', 'RECURRENCE-ID:20260107T090000Z', 'DTSTART:nonsense'])).toContain(
        'invalid DTSTART',
      );
    });

    it('an exclusion that cannot be read is no matter: more is busy, not less', () => {
      expect(readings([...HOUR, 'RRULE:FREQ=DAILY', 'EXDATE:nonsense'])).toEqual([]);
    });
  });

  describe('N49 a series with more instances than are looked at', () => {
    const many = ['UID:1', 'DTSTART:20260105T000000Z', 'DURATION:PT1M'];

    it.each([
      ['instances', ['RRULE:FREQ=MINUTELY;INTERVAL=2'], '01-05T00:00/01-05T00:01'],
      ['work', ['RRULE:FREQ=SECONDLY;BYSECOND=1,2;COUNT=2000000000'], '01-05T00:00/'],
    ])('by %s is busy to the end where it is not known to be free', (_, lines, first) => {
      const slots = busy([...many, ...lines]);
      expect(slots[0]).toMatch(new RegExp(`^${first}`));
      expect(slots.at(-1)).toMatch(/\/01-12T00:00$/);
    });

    it('counts what fits', () => {
      expect(busy([...many, 'RRULE:FREQ=MINUTELY;COUNT=5000'])).toEqual(['01-05T00:00/01-08T11:20']);
    });

    it('is busy where nothing is seen for all the work', () => {
      expect(
        busy([...many.slice(0, 1), 'DTSTART:20200101T000000Z', 'DURATION:PT1M', 'RRULE:FREQ=MINUTELY;COUNT=100000000']),
      ).toEqual(['01-05T00:00/01-12T00:00']);
    });

    it.each([
      ['transparent', ['TRANSP:TRANSPARENT']],
      ['cancelled', ['STATUS:CANCELLED']],
      ['declined by me', ['ATTENDEE;PARTSTAT=DECLINED:mailto:me@example.org']],
    ])('blocks no time when it is %s', (_, lines) => {
      expect(busy([...many, 'RRULE:FREQ=MINUTELY', ...lines], HOUR)).toEqual(BUSY);
      expect(busy([...many, 'RRULE:FREQ=SECONDLY', ...lines], HOUR)).toEqual(BUSY);
    });
  });
});

describe('mergeBusy', () => {
  it('sorts, joins what overlaps or touches, and drops what is empty or outside', () => {
    const window = { startMs: 10, endMs: 100 };
    const slots = [
      { startMs: 50, endMs: 60 },
      { startMs: 0, endMs: 20 },
      { startMs: 60, endMs: 70 },
      { startMs: 15, endMs: 18 },
      { startMs: 80, endMs: 80 },
      { startMs: 0, endMs: 10 },
      { startMs: 90, endMs: 200 },
    ];
    expect(mergeBusy(slots, window)).toEqual([
      { startMs: 10, endMs: 20 },
      { startMs: 50, endMs: 70 },
      { startMs: 90, endMs: 100 },
    ]);
  });
});

import { IcsDocument, objectZones, UNBOUNDED_LIMITS, vtimezoneFor } from '../index.js';

const HOUR = 3_600_000;
const zonesOf = (content: string) =>
  objectZones(IcsDocument.parse(`BEGIN:VCALENDAR\n${content}\nEND:VCALENDAR`, UNBOUNDED_LIMITS).calendars[0]!);
const observance = (kind: string, from: string, to: string, dtstart: string, ...others: string[]) =>
  [`BEGIN:${kind}`, `DTSTART:${dtstart}`, `TZOFFSETFROM:${from}`, `TZOFFSETTO:${to}`, ...others, `END:${kind}`].join(
    '\n',
  );
const vtimezone = (tzid: string, ...content: string[]) =>
  ['BEGIN:VTIMEZONE', `TZID:${tzid}`, ...content, 'END:VTIMEZONE'].join('\n');
const OUTLOOK = [
  observance('STANDARD', '+0200', '+0100', '16010101T030000', 'RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=10'),
  observance('DAYLIGHT', '+0100', '+0200', '16010101T020000', 'RRULE:FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3'),
];
const NEW_YORK = [
  observance('STANDARD', '-0400', '-0500', '20071104T020000', 'RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=1SU'),
  observance('DAYLIGHT', '-0500', '-0400', '20070311T020000', 'RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=2SU'),
];

describe('objectZones', () => {
  it.each([
    ['Europe/Berlin', 'Europe/Berlin'],
    ['europe/BERLIN', 'Europe/Berlin'],
    ['"Europe/Berlin"', 'Europe/Berlin'],
    ['US/Pacific', 'US/Pacific'],
    ['/freeassociation.sourceforge.net/Europe/Berlin', 'Europe/Berlin'],
    ['/freeassociation.sourceforge.net/Tzfile/America/Indiana/Knox', 'America/Indiana/Knox'],
    ['/mozilla.org/20050126_1/Europe/Berlin', 'Europe/Berlin'],
    ['/citadel.org/20210210_1/Japan', 'Japan'],
    ['tzone://Microsoft/Utc', 'UTC'],
    ['W. Europe Standard Time', 'Europe/Berlin'],
    ['"W. Europe Standard Time"', 'Europe/Berlin'],
    ['(UTC+01:00) Amsterdam, Berlin, Bern, Rome, Stockholm, Vienna', 'Europe/Berlin'],
  ])('knows %s without a definition', (tzid, timeZone) => {
    const zone = zonesOf('X:1').zone(tzid);
    expect([zone.isKnown, zone.timeZone]).toEqual([true, timeZone]);
  });

  it.each(['Nowhere/City', '../../etc/passwd', 'tzone://Microsoft/Custom', 'x/UTC', '', 'a'.repeat(10_240)])(
    'N17 leaves %j unknown: the name passes through, offsets are null',
    (tzid) => {
      const zone = zonesOf('X:1').zone(tzid);
      expect([zone.isKnown, zone.timeZone, zone.toInstant(0), zone.toWall(0)]).toEqual([false, tzid, null, null]);
    },
  );

  it('lets a name of the tz database beat a VTIMEZONE that says otherwise', () => {
    const zones = zonesOf(
      [vtimezone('Europe/Berlin', ...NEW_YORK), vtimezone('India Standard Time', ...NEW_YORK)].join('\n'),
    );
    expect(zones.zone('Europe/Berlin').toWall(Date.UTC(2026, 6, 1))).toBe(Date.UTC(2026, 6, 1, 2));
    expect(zones.zone('India Standard Time').timeZone).toBe('Asia/Kolkata');
  });

  it('takes X-LIC-LOCATION before a Windows name and before the offsets', () => {
    const zones = zonesOf(
      [
        vtimezone('Mine', 'X-LIC-LOCATION:America/Toronto', ...OUTLOOK),
        vtimezone('India Standard Time', 'X-LIC-LOCATION:America/Toronto'),
        vtimezone('Prefixed', 'X-LIC-LOCATION:/x.org/Europe/Oslo'),
      ].join('\n'),
    );
    expect(zones.zone('Mine').timeZone).toBe('America/Toronto');
    expect(zones.zone('India Standard Time').timeZone).toBe('America/Toronto');
    expect(zones.zone('Prefixed').timeZone).toBe('Europe/Oslo');
  });

  it('evaluates a VTIMEZONE with a name of its own and names the IANA zone that agrees in the year of the event', () => {
    const zones = zonesOf(
      [
        vtimezone('Custom A', ...OUTLOOK),
        vtimezone('Custom B', ...NEW_YORK),
        vtimezone('Weird\\, one', observance('STANDARD', '+0117', '+0117', '19700101T000000')),
        vtimezone('Fixed', observance('STANDARD', '+0900', '+0900', '19700101T000000')),
        vtimezone('Meine Zeit Stockholm', ...OUTLOOK),
        'BEGIN:VEVENT\nDTSTART;TZID=Custom A:20240301T090000\nEND:VEVENT',
      ].join('\n'),
    );
    const custom = zones.zone('Custom A');
    expect([custom.isKnown, custom.timeZone]).toEqual([true, 'Europe/Berlin']);
    expect(custom.toInstant(Date.UTC(2024, 2, 30, 12))).toBe(Date.UTC(2024, 2, 30, 11));
    expect(custom.toInstant(Date.UTC(2024, 2, 31, 12))).toBe(Date.UTC(2024, 2, 31, 10));
    expect(zones.zone('Custom B').timeZone).toBe('America/New_York');
    expect(zones.zone('Weird, one').timeZone).toBe('Weird, one');
    expect(zones.zone('Weird, one').toWall(0)).toBe(77 * 60_000);
    expect(zones.zone('Fixed').timeZone).toBe('Etc/GMT-9');
    expect(zones.zone('Meine Zeit Stockholm').timeZone).toBe('Europe/Stockholm');
  });

  it('reads a time in a gap with the offset before it and a time that comes twice as the first (RFC 5545 §3.3.5)', () => {
    const zone = zonesOf(vtimezone('Z', ...OUTLOOK)).zone('Z');
    expect(zone.toInstant(Date.UTC(2026, 2, 29, 2, 30))).toBe(Date.UTC(2026, 2, 29, 1, 30));
    expect(zone.toInstant(Date.UTC(2026, 9, 25, 2, 30))).toBe(Date.UTC(2026, 9, 25, 0, 30));
    expect(zone.toWall(Date.UTC(2026, 2, 29, 0, 59, 59))).toBe(Date.UTC(2026, 2, 29, 1, 59, 59));
    expect(zone.toWall(Date.UTC(2026, 2, 29, 1))).toBe(Date.UTC(2026, 2, 29, 3));
  });

  it.each([
    ['UNTIL in UTC', 'RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=2SU;UNTIL=20080309T070000Z', [2007, 2008]],
    ['UNTIL before that onset', 'RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=2SU;UNTIL=20080309T065959Z', [2007]],
    ['UNTIL as a date', 'RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=2SU;UNTIL=20080309', [2007, 2008]],
    ['COUNT', 'RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=2SU;COUNT=3', [2007, 2008, 2009]],
    ['INTERVAL', 'RRULE:FREQ=YEARLY;INTERVAL=2;BYMONTH=3;BYDAY=2SU;COUNT=2', [2007, 2009]],
    ['days of the month', 'RRULE:FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=8,9,10,11,12,13,14;BYDAY=SU;COUNT=2', [2007, 2008]],
    ['RDATE', 'RDATE:20080309T020000,20090308T020000', [2007, 2008, 2009]],
    ['RDATE with a period', 'RDATE;VALUE=PERIOD:20080309T020000/PT1H', [2007, 2008]],
    ['no rule', 'COMMENT:none', [2007]],
    ['a rule of seconds', 'RRULE:FREQ=SECONDLY', [2007]],
    ['a rule of days', 'RRULE:FREQ=DAILY;INTERVAL=364', [2007]],
    ['a rule with BYSETPOS', 'RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=SU;BYSETPOS=2', [2007]],
    ['a broken rule', 'RRULE:FREQ=YEARLY;BYMONTH=99;BYDAY=2SU', [2007]],
  ])('understands %s', (_, line, summers) => {
    const winter = observance(
      'STANDARD',
      '-0400',
      '-0500',
      '20071104T020000',
      'RRULE:FREQ=YEARLY;BYMONTH=11;BYDAY=1SU',
    );
    const zone = zonesOf(
      vtimezone('Z', observance('DAYLIGHT', '-0500', '-0400', '20070311T020000', line), winter),
    ).zone('Z');
    const inSummerTime = [2006, 2007, 2008, 2009, 2010, 2011].filter((year) => {
      const noon = Date.UTC(year, 2, 16, 12);
      return zone.toWall(noon) === noon - 4 * HOUR;
    });
    expect(inSummerTime).toEqual(summers);
  });

  it('uses TZOFFSETFROM before the first change, and the last offset after the last', () => {
    const zone = zonesOf(vtimezone('Z', observance('STANDARD', '+0300', '+0400', '20200101T000000'))).zone('Z');
    expect([zone.toWall(Date.UTC(1990, 0)), zone.toWall(Date.UTC(2090, 0))]).toEqual([
      Date.UTC(1990, 0, 1, 3),
      Date.UTC(2090, 0, 1, 4),
    ]);
  });

  it.each([
    ['nothing in it', ''],
    ['no offset', 'BEGIN:STANDARD\nDTSTART:19700101T000000\nEND:STANDARD'],
    ['an offset of days', observance('STANDARD', '+9900', '+9900', '19700101T000000')],
    ['a broken start', observance('STANDARD', '+0100', '+0100', 'yesterday')],
  ])('leaves a zone unknown whose VTIMEZONE has %s', (_, content) => {
    expect(zonesOf(vtimezone('Z', content)).zone('Z').isKnown).toBe(false);
  });

  it('gives the same zone for the same TZID', () => {
    const zones = zonesOf(vtimezone('Z', ...OUTLOOK));
    expect(zones.zone('Z')).toBe(zones.zone('Z'));
  });
});

describe('hostile zones', () => {
  const within = (limitMs: number, work: () => void) => {
    const started = process.threadCpuUsage();
    work();
    expect(process.threadCpuUsage(started).user / 1_000).toBeLessThan(limitMs);
  };

  it('N49 evaluates ten thousand transitions, listed or as observances, in time', () => {
    const dates = Array.from({ length: 10_000 }, (_, index) => {
      const month = String((index % 12) + 1).padStart(2, '0');
      return `${1700 + (index % 800)}${month}${String((index % 28) + 1).padStart(2, '0')}T020000`;
    });
    const listed = vtimezone('A', observance('STANDARD', '+0100', '+0200', '17000101T000000', `RDATE:${dates.join()}`));
    const many = dates.map((date, index) => observance('DAYLIGHT', '+0100', index % 2 ? '+0200' : '+0300', date));
    const ruled = dates.map((date) => observance('DAYLIGHT', '+0100', '+0200', date, 'RRULE:FREQ=YEARLY'));
    for (const text of [listed, vtimezone('A', ...many), vtimezone('A', ...ruled)]) {
      const zones = zonesOf(text);
      within(5_000, () => {
        const zone = zones.zone('A');
        for (let year = 1900; year < 2100; year += 50) zone.toInstant(Date.UTC(year, 5));
        expect(['A', 'Etc/GMT-2']).toContain(zone.timeZone);
      });
    }
  });

  it('N49 survives rules from before time began', () => {
    const rules = [
      'SECONDLY',
      'MINUTELY',
      'YEARLY;COUNT=1000000000',
      'YEARLY;INTERVAL=1000000',
      'YEARLY;BYMONTH=2;BYMONTHDAY=30',
    ];
    within(500, () => {
      for (const rule of rules) {
        const zone = zonesOf(
          vtimezone('A', observance('STANDARD', '+0100', '+0200', '00010101T000000', `RRULE:FREQ=${rule}`)),
        );
        expect(zone.zone('A').toWall(Date.UTC(2026, 0))).toBe(Date.UTC(2026, 0, 1, 2));
      }
    });
  });

  it('N50 stops resolving after 256 names', () => {
    const zones = zonesOf(vtimezone('Last', ...OUTLOOK));
    within(5_000, () => {
      for (let index = 0; index < 100_000; index += 1) zones.zone(`Bomb/${index}`);
    });
    expect(zones.zone('Last').isKnown).toBe(false);
  });

  it('N50 names 256 different definitions in time', () => {
    const definitions = Array.from({ length: 256 }, (_, index) =>
      vtimezone(`Z ${index}`, observance('STANDARD', '+0100', '+0100', `${1700 + index}0101T000000`), ...OUTLOOK),
    );
    const zones = zonesOf(definitions.join('\n'));
    within(5_000, () => {
      for (let index = 0; index < 256; index += 1) expect(zones.zone(`Z ${index}`).timeZone).toBe('Europe/Berlin');
    });
  });

  it('reads its own VTIMEZONE under another name', () => {
    const text = vtimezoneFor('Australia/Lord_Howe', Date.UTC(2026, 0), Date.UTC(2026, 1)).replace(/TZID:.*/, 'TZID:Z');
    expect(zonesOf(text).zone('Z').timeZone).toBe('Australia/Lord_Howe');
  });
});

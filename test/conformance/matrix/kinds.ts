/** What is written, what has to be read back of it, on every provider. */
export interface Kind {
  name: string;
  /** Body of POST; the title is the name of the kind unless it says another. */
  event?: Record<string, unknown>;
  /** Instead of it: somebody else invites the user, who answers so. */
  invitation?: { startUtc: string; endUtc: string; answer: 'needsAction' | 'accepted' | 'tentative' | 'declined' };
  /** Done to it before it is read: to all of it, or to the instance whose id ends so. */
  then?: {
    instance?: string;
    scope?: 'following';
    /** Body of PUT; null: DELETE. */
    change: Record<string, unknown> | null;
    /** Of what the change is answered with, read by its id: the instance, or the series that goes on from there. */
    reads?: Record<string, unknown>;
    /** Starts of the instances of that series. */
    occurs?: string[];
  };
  /** Of the event as read by its id; what is not named here is compared between the providers all the same. */
  reads: Record<string, unknown>;
  /** Starts of the instances of a series in the two years from 2035 on, dates for all-day ones. */
  occurs?: string[];
}

const BERLIN = 'Europe/Berlin';

/** A wall time in Berlin. */
function berlin(dateTime: string) {
  return { dateTime, timeZone: BERLIN };
}

function series(rule: string, occurs: string[], more: Partial<Kind> = {}): Kind {
  return {
    name: `series ${rule}`,
    event: { start: berlin('2035-03-05T09:00:00'), end: berlin('2035-03-05T09:45:00'), recurrence: [`RRULE:${rule}`] },
    reads: { isRecurring: true, recurrence: [`RRULE:${rule}`] },
    occurs: occurs.map((date) => `${date}T09:00:00${isSummer(date) ? '+02:00' : '+01:00'}`),
    ...more,
  };
}

function allDaySeries(rule: string, occurs: string[]): Kind {
  return {
    name: `all-day series ${rule}`,
    event: { start: { date: '2035-03-05' }, end: { date: '2035-03-06' }, recurrence: [`RRULE:${rule}`] },
    reads: { isRecurring: true, isAllDay: true, recurrence: [`RRULE:${rule}`] },
    occurs,
  };
}

/** A series from Monday, 5 March 2035, that is moved to the Tuesday. */
function movedSeries(rule: string, occurs: string[]): Kind {
  const start = berlin('2035-03-06T09:00:00');
  return series(rule, occurs, {
    name: `series ${rule} that is moved by a day`,
    then: { change: { start, end: berlin('2035-03-06T09:45:00') } },
    reads: {
      isRecurring: true,
      recurrence: [`RRULE:${rule}`],
      start: { dateTime: '2035-03-06T09:00:00+01:00', timeZone: BERLIN },
    },
  });
}

/** 2035: from 25 March to 28 October; 2036: from 30 March to 26 October. */
function isSummer(date: string): boolean {
  return (date >= '2035-03-25' && date < '2035-10-28') || (date >= '2036-03-30' && date < '2036-10-26');
}

const DAILY = {
  start: berlin('2035-03-23T09:00:00'),
  end: berlin('2035-03-23T09:45:00'),
  recurrence: ['RRULE:FREQ=DAILY;COUNT=4'],
};

const ALL_DAYS = {
  start: { date: '2035-03-23' },
  end: { date: '2035-03-24' },
  recurrence: ['RRULE:FREQ=DAILY;COUNT=4'],
};

/** By address. */
const ANSWERS = {
  'a@example.test': 'accepted',
  'd@example.test': 'declined',
  'n@example.test': 'needsAction',
  't@example.test': 'tentative',
} as const;

export const KINDS: readonly Kind[] = [
  {
    name: 'timed',
    event: { start: berlin('2035-06-01T09:00:00'), end: berlin('2035-06-01T10:00:00') },
    reads: {
      start: { dateTime: '2035-06-01T09:00:00+02:00', timeZone: BERLIN },
      end: { dateTime: '2035-06-01T10:00:00+02:00', timeZone: BERLIN },
      isAllDay: false,
      isRecurring: false,
      visibility: 'default',
      transparency: 'opaque',
    },
  },
  {
    name: 'timed, without an end',
    event: { start: berlin('2035-06-01T09:00:00') },
    reads: { end: { dateTime: '2035-06-01T10:00:00+02:00', timeZone: BERLIN }, isAllDay: false },
  },
  {
    name: 'timed, without a zone',
    event: { start: { dateTime: '2035-06-01T09:00:00' }, end: { dateTime: '2035-06-01T10:00:00' } },
    reads: {
      start: { dateTime: '2035-06-01T09:00:00+02:00', timeZone: BERLIN },
      end: { dateTime: '2035-06-01T10:00:00+02:00', timeZone: BERLIN },
    },
  },
  {
    name: 'timed, at an instant',
    event: { start: { dateTime: '2035-06-01T09:00:00+05:30' }, end: { dateTime: '2035-06-01T10:00:00+05:30' } },
    reads: {
      start: { dateTime: '2035-06-01T03:30:00Z', timeZone: 'UTC' },
      end: { dateTime: '2035-06-01T04:30:00Z', timeZone: 'UTC' },
    },
  },
  {
    name: 'timed, from one zone to another',
    event: {
      start: berlin('2035-06-01T09:00:00'),
      end: { dateTime: '2035-06-01T23:00:00', timeZone: 'Asia/Tokyo' },
    },
    reads: {
      start: { dateTime: '2035-06-01T09:00:00+02:00', timeZone: BERLIN },
      end: { dateTime: '2035-06-01T23:00:00+09:00', timeZone: 'Asia/Tokyo' },
    },
  },
  {
    name: 'timed, of no length',
    event: { start: berlin('2035-06-01T09:00:00'), end: berlin('2035-06-01T09:00:00') },
    reads: {
      start: { dateTime: '2035-06-01T09:00:00+02:00', timeZone: BERLIN },
      end: { dateTime: '2035-06-01T09:00:00+02:00', timeZone: BERLIN },
    },
  },
  ...['America/St_Johns', 'Asia/Kathmandu', 'Pacific/Chatham', 'Pacific/Apia', 'UTC'].map((timeZone) => ({
    name: `timed in ${timeZone}`,
    event: { start: { dateTime: '2035-06-01T23:30:00', timeZone }, end: { dateTime: '2035-06-02T00:30:00', timeZone } },
    reads: { start: expect.objectContaining({ timeZone }), isAllDay: false },
  })),
  ...[
    ['W. Europe Standard Time', BERLIN],
    ['India Standard Time', 'Asia/Kolkata'],
  ].map(([windowsName, timeZone]) => ({
    name: `timed in ${windowsName}`,
    event: {
      start: { dateTime: '2035-06-01T09:00:00', timeZone: windowsName },
      end: { dateTime: '2035-06-01T10:00:00', timeZone: windowsName },
    },
    reads: { start: expect.objectContaining({ timeZone }), end: expect.objectContaining({ timeZone }) },
  })),
  {
    name: 'across the start of summer time',
    event: { start: berlin('2035-03-25T01:30:00'), end: berlin('2035-03-25T03:30:00') },
    reads: {
      start: { dateTime: '2035-03-25T01:30:00+01:00', timeZone: BERLIN },
      end: { dateTime: '2035-03-25T03:30:00+02:00', timeZone: BERLIN },
    },
  },
  {
    name: 'across the end of summer time',
    event: { start: berlin('2035-10-28T01:30:00'), end: berlin('2035-10-28T03:30:00') },
    reads: {
      start: { dateTime: '2035-10-28T01:30:00+02:00', timeZone: BERLIN },
      end: { dateTime: '2035-10-28T03:30:00+01:00', timeZone: BERLIN },
    },
  },
  {
    name: 'in the hour that comes twice, the second time',
    event: {
      start: { dateTime: '2035-10-28T02:30:00+01:00', timeZone: BERLIN },
      end: { dateTime: '2035-10-28T02:45:00+01:00', timeZone: BERLIN },
    },
    reads: {
      start: { dateTime: '2035-10-28T02:30:00+01:00', timeZone: BERLIN },
      end: { dateTime: '2035-10-28T02:45:00+01:00', timeZone: BERLIN },
    },
  },
  {
    name: 'several days, timed',
    event: { start: berlin('2035-06-01T18:00:00'), end: berlin('2035-06-04T08:00:00') },
    reads: { end: { dateTime: '2035-06-04T08:00:00+02:00', timeZone: BERLIN }, isAllDay: false },
  },
  {
    name: 'all-day',
    event: { start: { date: '2035-06-01' }, end: { date: '2035-06-02' } },
    reads: { start: { date: '2035-06-01' }, end: { date: '2035-06-02' }, isAllDay: true },
  },
  {
    name: 'all-day, without an end',
    event: { start: { date: '2035-06-01' } },
    reads: { start: { date: '2035-06-01' }, end: { date: '2035-06-02' }, isAllDay: true },
  },
  {
    name: 'several days, all-day, across the start of summer time',
    event: { start: { date: '2035-03-24' }, end: { date: '2035-03-27' } },
    reads: { start: { date: '2035-03-24' }, end: { date: '2035-03-27' }, isAllDay: true },
  },
  {
    name: 'several days, all-day, across the end of summer time',
    event: { start: { date: '2035-10-27' }, end: { date: '2035-10-30' } },
    reads: { start: { date: '2035-10-27' }, end: { date: '2035-10-30' }, isAllDay: true },
  },
  series('FREQ=DAILY;COUNT=3', ['2035-03-05', '2035-03-06', '2035-03-07']),
  series('FREQ=DAILY;INTERVAL=10;COUNT=3', ['2035-03-05', '2035-03-15', '2035-03-25']),
  series('FREQ=DAILY;UNTIL=20350307T080000Z', ['2035-03-05', '2035-03-06', '2035-03-07']),
  series('FREQ=WEEKLY;BYDAY=MO,WE,FR;COUNT=5', ['2035-03-05', '2035-03-07', '2035-03-09', '2035-03-12', '2035-03-14']),
  series('FREQ=WEEKLY;INTERVAL=2;BYDAY=SU,MO;WKST=SU;COUNT=4', [
    '2035-03-05',
    '2035-03-18',
    '2035-03-19',
    '2035-04-01',
  ]),
  series('FREQ=WEEKLY;INTERVAL=2;BYDAY=SU,MO;WKST=MO;COUNT=4', [
    '2035-03-05',
    '2035-03-11',
    '2035-03-19',
    '2035-03-25',
  ]),
  series('FREQ=MONTHLY;BYMONTHDAY=5;COUNT=3', ['2035-03-05', '2035-04-05', '2035-05-05']),
  series('FREQ=MONTHLY;BYDAY=1MO;COUNT=3', ['2035-03-05', '2035-04-02', '2035-05-07']),
  series('FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;COUNT=3', ['2035-03-30', '2035-04-30', '2035-05-31'], {
    event: {
      start: berlin('2035-03-30T09:00:00'),
      end: berlin('2035-03-30T09:45:00'),
      recurrence: ['RRULE:FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1;COUNT=3'],
    },
  }),
  series('FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=3', ['2035-03-31', '2035-04-30', '2035-05-31'], {
    event: {
      start: berlin('2035-03-31T09:00:00'),
      end: berlin('2035-03-31T09:45:00'),
      recurrence: ['RRULE:FREQ=MONTHLY;BYMONTHDAY=-1;COUNT=3'],
    },
  }),
  series('FREQ=MONTHLY;BYMONTHDAY=31;COUNT=3', ['2035-03-31', '2035-05-31', '2035-07-31'], {
    event: {
      start: berlin('2035-03-31T09:00:00'),
      end: berlin('2035-03-31T09:45:00'),
      recurrence: ['RRULE:FREQ=MONTHLY;BYMONTHDAY=31;COUNT=3'],
    },
  }),
  series('FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=5;COUNT=2', ['2035-03-05', '2036-03-05']),
  series('FREQ=YEARLY;BYMONTH=3;BYDAY=1MO;COUNT=2', ['2035-03-05', '2036-03-03']),
  series('FREQ=YEARLY', ['2035-03-05', '2036-03-05']),
  series('FREQ=WEEKLY;BYDAY=WE;COUNT=3', ['2035-03-05', '2035-03-07', '2035-03-14']),
  series('FREQ=WEEKLY;BYDAY=MO;COUNT=3', ['2035-03-05', '2035-03-12', '2035-03-19']),
  series('COUNT=3;FREQ=WEEKLY;BYDAY=WE,MO', ['2035-03-05', '2035-03-07', '2035-03-12']),
  movedSeries('FREQ=YEARLY', ['2035-03-06', '2036-03-06']),
  movedSeries('FREQ=MONTHLY;COUNT=3', ['2035-03-06', '2035-04-06', '2035-05-06']),
  movedSeries('FREQ=WEEKLY;COUNT=3', ['2035-03-06', '2035-03-13', '2035-03-20']),
  movedSeries('FREQ=WEEKLY;BYDAY=MO;COUNT=3', ['2035-03-06', '2035-03-12', '2035-03-19']),
  allDaySeries('FREQ=WEEKLY;BYDAY=MO,TH;COUNT=4', ['2035-03-05', '2035-03-08', '2035-03-12', '2035-03-15']),
  allDaySeries('FREQ=DAILY;UNTIL=20350307', ['2035-03-05', '2035-03-06', '2035-03-07']),
  {
    name: 'all-day series with parts that were excluded and moved',
    event: { ...ALL_DAYS, recurrence: ['RRULE:FREQ=DAILY;COUNT=4', 'EXDATE;VALUE=DATE:20350324'] },
    then: {
      instance: '20350325',
      change: { start: { date: '2035-03-24' }, end: { date: '2035-03-25' } },
      reads: {
        start: { date: '2035-03-24' },
        isException: true,
        isAllDay: true,
        originalStart: { date: '2035-03-25' },
      },
    },
    reads: { isRecurring: true, isAllDay: true },
    occurs: ['2035-03-23', '2035-03-24', '2035-03-26'],
  },
  {
    name: 'all-day series that goes on differently from an instance on',
    event: ALL_DAYS,
    then: {
      instance: '20350325',
      scope: 'following',
      change: { title: 'Later' },
      reads: { title: 'Later', isRecurring: true, isAllDay: true },
      occurs: ['2035-03-25', '2035-03-26'],
    },
    reads: { isRecurring: true, isAllDay: true },
    occurs: ['2035-03-23', '2035-03-24'],
  },
  {
    name: 'series with an extra date',
    event: { ...DAILY, recurrence: ['RRULE:FREQ=DAILY;COUNT=2', 'RDATE;TZID=Europe/Berlin:20350326T090000'] },
    reads: { isRecurring: true },
    occurs: ['2035-03-23T09:00:00+01:00', '2035-03-24T09:00:00+01:00', '2035-03-26T09:00:00+02:00'],
  },
  {
    name: 'series across the start of summer time',
    event: DAILY,
    reads: { isRecurring: true },
    occurs: [
      '2035-03-23T09:00:00+01:00',
      '2035-03-24T09:00:00+01:00',
      '2035-03-25T09:00:00+02:00',
      '2035-03-26T09:00:00+02:00',
    ],
  },
  {
    name: 'series that starts in the hour that summer time leaves out',
    event: {
      start: berlin('2035-03-25T02:30:00'),
      end: berlin('2035-03-25T04:00:00'),
      recurrence: ['RRULE:FREQ=DAILY;COUNT=3'],
    },
    reads: { isRecurring: true },
    occurs: ['2035-03-25T03:30:00+02:00', '2035-03-26T02:30:00+02:00', '2035-03-27T02:30:00+02:00'],
  },
  {
    name: 'series with an instance in the hour that summer time leaves out',
    event: {
      start: berlin('2035-03-24T02:30:00'),
      end: berlin('2035-03-24T02:45:00'),
      recurrence: ['RRULE:FREQ=DAILY;COUNT=3'],
    },
    reads: { isRecurring: true, start: { dateTime: '2035-03-24T02:30:00+01:00', timeZone: BERLIN } },
    // Of what a rule names, a time that does not exist is none (RFC 5545 §3.3.10).
    occurs: ['2035-03-24T02:30:00+01:00', '2035-03-26T02:30:00+02:00', '2035-03-27T02:30:00+02:00'],
  },
  {
    name: 'series with an excluded date',
    event: { ...DAILY, recurrence: ['RRULE:FREQ=DAILY;COUNT=4', 'EXDATE;TZID=Europe/Berlin:20350324T090000'] },
    reads: { isRecurring: true },
    occurs: ['2035-03-23T09:00:00+01:00', '2035-03-25T09:00:00+02:00', '2035-03-26T09:00:00+02:00'],
  },
  {
    name: 'series with an instance that was moved and renamed',
    event: DAILY,
    then: {
      instance: '20350324T080000Z',
      change: { title: 'Moved', start: berlin('2035-03-24T14:00:00'), end: berlin('2035-03-24T15:00:00') },
      reads: {
        title: 'Moved',
        isException: true,
        originalStart: { dateTime: '2035-03-24T09:00:00+01:00', timeZone: BERLIN },
      },
    },
    reads: { isRecurring: true },
    occurs: [
      '2035-03-23T09:00:00+01:00',
      '2035-03-24T14:00:00+01:00',
      '2035-03-25T09:00:00+02:00',
      '2035-03-26T09:00:00+02:00',
    ],
  },
  {
    name: 'series with a cancelled instance',
    event: DAILY,
    then: { instance: '20350325T070000Z', change: null },
    reads: { isRecurring: true },
    occurs: ['2035-03-23T09:00:00+01:00', '2035-03-24T09:00:00+01:00', '2035-03-26T09:00:00+02:00'],
  },
  {
    name: 'series with properties of its own on an instance',
    event: {
      ...DAILY,
      publicExtendedProperties: { customer: '4711' },
      privateExtendedProperties: { secret: 'ours' },
    },
    then: {
      instance: '20350324T080000Z',
      change: { publicExtendedProperties: { customer: '4712' }, privateExtendedProperties: { note: 'of one day' } },
      reads: {
        isException: true,
        publicExtendedProperties: { customer: '4712' },
        privateExtendedProperties: { note: 'of one day' },
      },
    },
    reads: { publicExtendedProperties: { customer: '4711' }, privateExtendedProperties: { secret: 'ours' } },
  },
  {
    name: 'series that goes on differently from an instance on',
    event: DAILY,
    then: {
      instance: '20350325T070000Z',
      scope: 'following',
      change: { title: 'Later', start: berlin('2035-03-25T11:00:00'), end: berlin('2035-03-25T11:45:00') },
      reads: { title: 'Later', isRecurring: true },
      occurs: ['2035-03-25T11:00:00+02:00', '2035-03-26T11:00:00+02:00'],
    },
    reads: { isRecurring: true },
    occurs: ['2035-03-23T09:00:00+01:00', '2035-03-24T09:00:00+01:00'],
  },
  {
    name: 'series that is deleted from an instance on',
    event: DAILY,
    then: { instance: '20350325T070000Z', scope: 'following', change: null },
    reads: { isRecurring: true },
    occurs: ['2035-03-23T09:00:00+01:00', '2035-03-24T09:00:00+01:00'],
  },
  ...(['public', 'private', 'confidential'] as const).map((visibility) => ({
    name: visibility,
    event: { start: berlin('2035-06-01T09:00:00'), end: berlin('2035-06-01T10:00:00'), visibility },
    reads: { visibility },
  })),
  {
    name: 'transparent',
    event: {
      start: berlin('2035-06-01T09:00:00'),
      end: berlin('2035-06-01T10:00:00'),
      transparency: 'transparent',
    },
    reads: { transparency: 'transparent' },
  },
  {
    name: 'with properties',
    event: {
      start: berlin('2035-06-01T09:00:00'),
      end: berlin('2035-06-01T10:00:00'),
      publicExtendedProperties: { customer: '4711', 'a key': 'größer = "besser"' },
      privateExtendedProperties: { secret: 'ours' },
    },
    reads: {
      publicExtendedProperties: { customer: '4711', 'a key': 'größer = "besser"' },
      privateExtendedProperties: { secret: 'ours' },
    },
  },
  {
    name: 'with text of all kinds',
    event: {
      start: berlin('2035-06-01T09:00:00'),
      end: berlin('2035-06-01T10:00:00'),
      title: 'Größe; "final", 1 < 2 & 🎉',
      description: 'Line one\nLine two, with; marks \\ and <b>no markup</b> & "quotes"\n\nend',
      location: 'Room 4, 2nd floor; west',
    },
    reads: {
      title: 'Größe; "final", 1 < 2 & 🎉',
      description: 'Line one\nLine two, with; marks \\ and <b>no markup</b> & "quotes"\n\nend',
      location: 'Room 4, 2nd floor; west',
    },
  },
  {
    name: 'with a description of markup',
    event: {
      start: berlin('2035-06-01T09:00:00'),
      end: berlin('2035-06-01T10:00:00'),
      description: '<p>Bring your <b>laptop</b> &amp; badge</p><p>Room 4</p>',
    },
    reads: { description: '<p>Bring your <b>laptop</b> &amp; badge</p><p>Room 4</p>' },
  },
  {
    name: 'with nothing for a description and a location',
    event: {
      start: berlin('2035-06-01T09:00:00'),
      end: berlin('2035-06-01T10:00:00'),
      description: null,
      location: null,
    },
    reads: { description: null, location: null },
  },
  {
    name: 'with colour and reminder',
    event: {
      start: berlin('2035-06-01T09:00:00'),
      end: berlin('2035-06-01T10:00:00'),
      customColor: '#1a73e8',
      reminders: { useDefault: false, overrides: [{ method: 'popup', minutes: 15 }] },
    },
    reads: { customColor: '#1a73e8', reminders: { useDefault: false, overrides: [{ method: 'popup', minutes: 15 }] } },
  },
  {
    name: 'with a reminder by mail',
    event: {
      start: berlin('2035-06-01T09:00:00'),
      end: berlin('2035-06-01T10:00:00'),
      reminders: { useDefault: false, overrides: [{ method: 'email', minutes: 60 }] },
    },
    reads: { reminders: { useDefault: false, overrides: [{ method: 'email', minutes: 60 }] } },
  },
  {
    name: 'with a colour of the palette',
    event: { start: berlin('2035-06-01T09:00:00'), end: berlin('2035-06-01T10:00:00'), colorId: '5' },
    reads: { colorId: '5' },
  },
  {
    name: 'with guests who have not answered',
    event: {
      start: berlin('2035-06-01T09:00:00'),
      end: berlin('2035-06-01T10:00:00'),
      attendees: [{ email: 'bob@example.test', name: 'Bob' }, { email: 'carol@example.test' }],
    },
    reads: {
      guests: [
        ['bob@example.test', 'needsAction'],
        ['carol@example.test', 'needsAction'],
      ],
    },
  },
  {
    name: 'with guests who are said to have answered',
    event: {
      start: berlin('2035-06-01T09:00:00'),
      end: berlin('2035-06-01T10:00:00'),
      attendees: Object.entries(ANSWERS).map(([email, responseStatus]) => ({ email, responseStatus })),
    },
    reads: { guests: Object.entries(ANSWERS) },
  },
  ...(['needsAction', 'accepted', 'tentative', 'declined'] as const).map((answer) => ({
    name: `invitation ${answer}`,
    invitation: { startUtc: '2035-06-01T07:00:00Z', endUtc: '2035-06-01T08:00:00Z', answer },
    reads: { myResponseStatus: answer, organizer: expect.objectContaining({ isSelf: false }) },
  })),
  {
    name: 'with a meeting',
    event: {
      start: berlin('2035-06-01T09:00:00'),
      end: berlin('2035-06-01T10:00:00'),
      generateMeetingUrlProvider: 'the first that the calendar allows',
    },
    reads: { hasMeeting: true },
  },
];

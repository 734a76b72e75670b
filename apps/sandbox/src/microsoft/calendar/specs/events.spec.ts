import { at, hour, IDA, MailHouse } from './mail-house.js';

let house: MailHouse;
beforeEach(() => {
  house = new MailHouse();
});

const IMMUTABLE = { idtype: 'ImmutableId' };

describe('a new event', () => {
  it('has what Graph makes of it', async () => {
    const event = await house.create(IDA, { subject: 'Budget review', ...hour(8) });
    expect(event).toEqual({
      '@odata.context': expect.stringMatching(/^https:\/\/graph\.example\/v1\.0\/\$metadata#/),
      '@odata.etag': `W/"${event['changeKey']}"`,
      id: expect.stringMatching(/^AAMk.*=$/),
      createdDateTime: '2026-11-21T09:00:00.0000000Z',
      lastModifiedDateTime: '2026-11-21T09:00:00.0000000Z',
      changeKey: expect.any(String),
      categories: [],
      transactionId: null,
      originalStartTimeZone: 'UTC',
      originalEndTimeZone: 'UTC',
      iCalUId: expect.stringMatching(/^040000008200E00074C5B7101A82E008/),
      reminderMinutesBeforeStart: 15,
      isReminderOn: true,
      hasAttachments: false,
      subject: 'Budget review',
      bodyPreview: '',
      importance: 'normal',
      sensitivity: 'normal',
      isAllDay: false,
      isCancelled: false,
      isOrganizer: true,
      responseRequested: true,
      seriesMasterId: null,
      showAs: 'busy',
      type: 'singleInstance',
      webLink: expect.stringContaining(encodeURIComponent(event['id'] as string)),
      onlineMeetingUrl: null,
      isOnlineMeeting: false,
      onlineMeetingProvider: 'unknown',
      allowNewTimeProposals: true,
      isDraft: false,
      hideAttendees: false,
      recurrence: null,
      responseStatus: { response: 'none', time: '0001-01-01T00:00:00Z' },
      body: { contentType: 'html', content: '' },
      start: { dateTime: '2026-12-01T08:00:00.0000000', timeZone: 'UTC' },
      end: { dateTime: '2026-12-01T09:00:00.0000000', timeZone: 'UTC' },
      location: { displayName: '', locationType: 'default', uniqueIdType: 'unknown' },
      locations: [],
      attendees: [],
      organizer: { emailAddress: { name: 'Ida Berg', address: 'ida.berg@fabrikam.example' } },
      onlineMeeting: null,
    });
    const { '@odata.context': _context, ...rest } = await house.get(IDA, event['id'] as string);
    expect(event).toMatchObject(rest);
  });

  it('has ids of either form for one event, all with the characters that paths have to encode', async () => {
    const ordinary = await house.create(IDA, hour(8));
    const immutable = await house.get(IDA, ordinary['id'] as string, {}, IMMUTABLE);
    expect(immutable['id']).toMatch(/^AAkA/);
    for (const id of [ordinary['id'], immutable['id']] as string[]) expect(id).toMatch(/^(?=.*_)(?=.*-).*=$/);
    expect(await house.get(IDA, immutable['id'] as string)).toEqual(await house.get(IDA, ordinary['id'] as string));
  });

  it('is told in the zone that is asked for, by either name', async () => {
    const { id } = await house.create(IDA, {
      start: at('2026-07-01T10:00:00', 'Europe/Berlin'),
      end: at('2026-07-01T11:00:00', 'W. Europe Standard Time'),
    });
    expect(await house.get(IDA, id as string)).toMatchObject({
      start: { dateTime: '2026-07-01T08:00:00.0000000', timeZone: 'UTC' },
      end: { dateTime: '2026-07-01T09:00:00.0000000', timeZone: 'UTC' },
      originalStartTimeZone: 'Europe/Berlin',
      originalEndTimeZone: 'W. Europe Standard Time',
    });
    const told = await house.get(IDA, id as string, {}, { 'outlook.timezone': 'Tokyo Standard Time' });
    expect(told['start']).toEqual({ dateTime: '2026-07-01T17:00:00.0000000', timeZone: 'Tokyo Standard Time' });
  });

  it('in or for an unknown zone is refused', async () => {
    const start = at('2026-07-01T10:00:00', 'Mars/Olympus');
    const body = { start, end: at('2026-07-01T11:00:00') };
    expect(await house.refusal(IDA, 'create_me_events', { body })).toBe('400 TimeZoneNotSupportedException');
    const prefer = { 'outlook.timezone': 'Mars/Olympus' };
    expect(await house.refusal(IDA, 'list_me_events', { prefer })).toBe('400 TimeZoneNotSupportedException');
  });

  it('that ends before it starts, or starts on no day, is refused', async () => {
    const create = (start: string, end: string) =>
      house.refusal(IDA, 'create_me_events', { body: { start: at(start), end: at(end) } });
    expect(await create('2026-07-01T10:00:00', '2026-07-01T09:00:00')).toMatch(/^400 ErrorCalendarEndDateIsEarlier/);
    expect(await create('2026-02-30T10:00:00', '2026-03-01T09:00:00')).toBe('400 ErrorPropertyValidationFailure');
  });
});

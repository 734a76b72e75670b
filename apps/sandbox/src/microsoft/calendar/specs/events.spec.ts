import { at, GUEST, hour, IDA, MailboxFixture, OMAR, PIA } from './mailbox-fixture.js';

let fixture: MailboxFixture;
beforeEach(() => {
  fixture = new MailboxFixture();
});

const IMMUTABLE = { idtype: 'ImmutableId' };

describe('a new event', () => {
  it('has what Graph makes of it', async () => {
    const event = await fixture.create(IDA, { subject: 'Budget review', ...hour(8) });
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
    const { '@odata.context': _context, ...rest } = await fixture.get(IDA, event['id'] as string);
    expect(event).toMatchObject(rest);
  });

  it('has ids of either form for one event, all with the characters that paths have to encode', async () => {
    const ordinary = await fixture.create(IDA, hour(8));
    const immutable = await fixture.get(IDA, ordinary['id'] as string, {}, IMMUTABLE);
    expect(immutable['id']).toMatch(/^AAkA/);
    for (const id of [ordinary['id'], immutable['id']] as string[]) expect(id).toMatch(/^(?=.*_)(?=.*-).*=$/);
    expect(await fixture.get(IDA, immutable['id'] as string)).toEqual(await fixture.get(IDA, ordinary['id'] as string));
  });

  it('is told in the zone that is asked for, by either name', async () => {
    const { id } = await fixture.create(IDA, {
      start: at('2026-07-01T10:00:00', 'Europe/Berlin'),
      end: at('2026-07-01T11:00:00', 'W. Europe Standard Time'),
    });
    expect(await fixture.get(IDA, id as string)).toMatchObject({
      start: { dateTime: '2026-07-01T08:00:00.0000000', timeZone: 'UTC' },
      end: { dateTime: '2026-07-01T09:00:00.0000000', timeZone: 'UTC' },
      originalStartTimeZone: 'Europe/Berlin',
      originalEndTimeZone: 'W. Europe Standard Time',
    });
    const found = await fixture.get(IDA, id as string, {}, { 'outlook.timezone': 'Tokyo Standard Time' });
    expect(found['start']).toEqual({ dateTime: '2026-07-01T17:00:00.0000000', timeZone: 'Tokyo Standard Time' });
  });

  it('in or for an unknown zone is refused', async () => {
    const start = at('2026-07-01T10:00:00', 'Mars/Olympus');
    const body = { start, end: at('2026-07-01T11:00:00') };
    expect(await fixture.refusal(IDA, 'create_me_events', { body })).toBe('400 TimeZoneNotSupportedException');
    const prefer = { 'outlook.timezone': 'Mars/Olympus' };
    expect(await fixture.refusal(IDA, 'list_me_events', { prefer })).toBe('400 TimeZoneNotSupportedException');
  });

  it('that ends before it starts, or starts on no day, is refused', async () => {
    const create = (start: string, end: string) =>
      fixture.refusal(IDA, 'create_me_events', { body: { start: at(start), end: at(end) } });
    expect(await create('2026-07-01T10:00:00', '2026-07-01T09:00:00')).toMatch(/^400 ErrorCalendarEndDateIsEarlier/);
    expect(await create('2026-02-30T10:00:00', '2026-03-01T09:00:00')).toBe('400 ErrorPropertyValidationFailure');
  });
});

describe('an all-day event', () => {
  const day = (zone: string) => ({
    isAllDay: true,
    start: at('2026-12-24T00:00:00', zone),
    end: at('2026-12-25T00:00:00', zone),
  });

  it('is midnight of its own day in whatever zone is asked for', async () => {
    const { id } = await fixture.create(IDA, day('Asia/Tokyo'));
    for (const zone of ['UTC', 'Asia/Tokyo', 'Pacific Standard Time']) {
      const event = await fixture.get(IDA, id as string, {}, { 'outlook.timezone': zone });
      expect(event).toMatchObject({
        isAllDay: true,
        showAs: 'free',
        start: { dateTime: '2026-12-24T00:00:00.0000000', timeZone: zone },
        end: { dateTime: '2026-12-25T00:00:00.0000000', timeZone: zone },
      });
    }
  });

  it.each([
    ['with an hour', { start: at('2026-12-24T01:00:00'), end: at('2026-12-25T01:00:00') }],
    ['in two zones', { start: at('2026-12-24T00:00:00'), end: at('2026-12-25T00:00:00', 'Asia/Tokyo') }],
    ['without a length', { start: at('2026-12-24T00:00:00'), end: at('2026-12-24T00:00:00') }],
  ])('%s is refused', async (_, times) => {
    const body = { isAllDay: true, ...times };
    expect(await fixture.refusal(IDA, 'create_me_events', { body })).toBe('400 ErrorPropertyValidationFailure');
  });

  it('becomes one with hours by a change, and back', async () => {
    const { id } = await fixture.create(IDA, day('Europe/Berlin'));
    const timed = await fixture.patch(IDA, id as string, { isAllDay: false });
    expect(timed['start']).toEqual({ dateTime: '2026-12-23T23:00:00.0000000', timeZone: 'UTC' });
    const again = await fixture.patch(IDA, id as string, { isAllDay: true });
    expect(again['start']).toEqual({ dateTime: '2026-12-24T00:00:00.0000000', timeZone: 'UTC' });
  });
});

describe('a change', () => {
  it('keeps what it leaves out, and replaces lists as wholes', async () => {
    const { id } = await fixture.create(IDA, {
      subject: 'Plan',
      categories: ['Red', 'Blue'],
      location: { displayName: 'Room 4' },
      ...hour(8),
    });
    const changed = await fixture.patch(IDA, id as string, { categories: ['Green'], sensitivity: 'private' });
    expect(changed).toMatchObject({
      subject: 'Plan',
      categories: ['Green'],
      sensitivity: 'private',
      location: { displayName: 'Room 4' },
      locations: [{ displayName: 'Room 4' }],
    });
    const { locations, location } = await fixture.patch(IDA, id as string, { location: { displayName: '' } });
    expect([locations, location]).toMatchObject([[], { displayName: '' }]);
    const two = await fixture.patch(IDA, id as string, { locations: [{ displayName: 'A' }, { displayName: 'B' }] });
    expect(two['location']).toMatchObject({ displayName: 'A; B' });
  });

  it('moves on the change key, and is refused for one that is not the latest', async () => {
    const event = await fixture.create(IDA, hour(8));
    const id = event['id'] as string;
    const headers = { 'if-match': event['@odata.etag'] as string };
    const changed = await fixture.patch(IDA, id, { subject: 'One' }, { headers });
    expect(changed['@odata.etag']).not.toBe(event['@odata.etag']);
    const path = { 'event-id': id };
    const conflict = '412 ErrorIrresolvableConflict';
    expect(
      await fixture.refusal(IDA, 'update_me_events_By_event_id', { path, headers, body: { subject: 'Two' } }),
    ).toBe(conflict);
    expect(await fixture.refusal(IDA, 'delete_me_events_By_event_id', { path, headers })).toBe(conflict);
    expect(await fixture.get(IDA, id)).toMatchObject({ subject: 'One' });
    await fixture.patch(IDA, id, { subject: 'Three' }, { headers: { 'if-match': '*' } });
  });
});

describe('an event that is gone', () => {
  it('is not found, nor found to be deleted again', async () => {
    const { id } = await fixture.create(IDA, hour(8));
    expect(await fixture.remove(IDA, id as string)).toEqual({ status: 204, body: null });
    const path = { 'event-id': id as string };
    expect(await fixture.refusal(IDA, 'get_me_events_By_event_id', { path })).toBe('404 ErrorItemNotFound');
    expect(await fixture.refusal(IDA, 'delete_me_events_By_event_id', { path })).toBe('404 ErrorItemNotFound');
  });

  it.each(['x', 'AAMkAD_h-short=', ''])('is not %j, which is no id', async (id) => {
    const path = { 'event-id': id };
    expect(await fixture.refusal(IDA, 'get_me_events_By_event_id', { path })).toBe('400 ErrorInvalidIdMalformed');
  });

  it('is not found by others, nor in another calendar', async () => {
    const { id } = await fixture.create(IDA, hour(8));
    const path = { 'event-id': id as string };
    expect(await fixture.refusal(OMAR, 'get_me_events_By_event_id', { path })).toBe('404 ErrorItemNotFound');
    const other = await fixture.body(IDA, 'create_me_calendars', { body: { name: 'Side' } });
    const operation = 'get_me_calendars_By_calendar_id_events_By_event_id';
    const through = { ...path, 'calendar-id': other['id'] as string };
    expect(await fixture.refusal(IDA, operation, { path: through })).toBe('404 ErrorItemNotFound');
    expect(await fixture.refusal(GUEST, 'list_me_events')).toBe('404 MailboxNotEnabledForRESTAPI');
  });
});

describe('a transaction', () => {
  const event = { subject: 'Once', transactionId: 'uc-1', ...hour(8) };

  it('makes one event, however often it is sent', async () => {
    const { id } = await fixture.create(IDA, event);
    expect(await fixture.create(IDA, event)).toMatchObject({ id, transactionId: 'uc-1' });
    expect(await fixture.list(IDA)).toHaveLength(1);
    expect((await fixture.create(OMAR, event))['id']).not.toBe(id);
  });

  it('cannot be used for another event, nor after its event is gone', async () => {
    const { id } = await fixture.create(IDA, event);
    const rejection = (body: object) => fixture.refusal(IDA, 'create_me_events', { body: { ...body } });
    expect(await rejection({ ...event, subject: 'Twice' })).toBe('409 ErrorDuplicateTransactionId');
    await fixture.remove(IDA, id as string);
    expect(await rejection(event)).toBe('409 ErrorDuplicateTransactionId');
  });
});

describe('a body', () => {
  const TEXT = { 'outlook.body-content-type': 'text' };

  it('is told as HTML unless text is asked for', async () => {
    const body = { contentType: 'text', content: '1 < 2\r\nand & so on' };
    const { id } = await fixture.create(IDA, { body, ...hour(8) });
    const html = await fixture.get(IDA, id as string);
    expect(html['body']).toMatchObject({
      contentType: 'html',
      content: expect.stringContaining('1 &lt; 2<br>\r\nand &amp; so on'),
    });
    expect((await fixture.get(IDA, id as string, {}, TEXT))['body']).toEqual(body);
    expect(html['bodyPreview']).toBe('1 < 2\r\nand & so on');
  });

  it('loses its tags as text, not its words and links', async () => {
    const content =
      '<html><head><style>p{}</style></head><body><p>Read&nbsp;<b>this</b></p><a href="https://x.example">here</a></body></html>';
    const { id } = await fixture.create(IDA, { body: { contentType: 'HTML', content }, ...hour(8) });
    expect((await fixture.get(IDA, id as string, {}, TEXT))['body']).toEqual({
      contentType: 'text',
      content: 'Read this\r\nhere<https://x.example>\r\n',
    });
  });

  it('has a preview of 255 characters', async () => {
    const { bodyPreview } = await fixture.create(IDA, {
      body: { contentType: 'text', content: 'x'.repeat(300) },
      ...hour(8),
    });
    expect(bodyPreview).toBe('x'.repeat(255));
  });
});

describe('an online meeting', () => {
  const meeting = { isOnlineMeeting: true, onlineMeetingProvider: 'teamsForBusiness' };
  const TEXT = { 'outlook.body-content-type': 'text' };

  it('has a link, and an invitation below the body', async () => {
    const event = await fixture.create(IDA, {
      body: { contentType: 'html', content: 'Agenda' },
      ...meeting,
      ...hour(8),
    });
    const joinUrl = (event['onlineMeeting'] as { joinUrl: string }).joinUrl;
    expect(joinUrl).toMatch(/^https:\/\/teams\.microsoft\.com\/l\/meetup-join\//);
    expect(event).toMatchObject({
      ...meeting,
      body: { content: expect.stringMatching(/Agenda[^]*_{20,}[^]*meetup-join/) },
    });
    const text = await fixture.get(IDA, event['id'] as string, {}, TEXT);
    expect(text['body']).toMatchObject({
      content: expect.stringMatching(/^Agenda\s+_{20,}\s[^]*meetup-join[^]*_{20,}/),
    });
  });

  it('makes HTML of a text, with the invitation in blocks of its own', async () => {
    const { body } = await fixture.create(IDA, {
      body: { contentType: 'text', content: 'a\nb' },
      ...meeting,
      ...hour(8),
    });
    expect(body).toMatchObject({
      contentType: 'html',
      content: expect.stringMatching(/<div class="PlainText">a<br>\r\nb<\/div><div>[^]*_{20,}[^]*<\/body><\/html>$/),
    });
  });

  it('is switched off by a body without its invitation, and only by that', async () => {
    const { id, body } = await fixture.create(IDA, { ...meeting, ...hour(8) });
    const kept = await fixture.patch(IDA, id as string, { isOnlineMeeting: false, body, subject: 'Kept' });
    expect(kept).toMatchObject({ isOnlineMeeting: true, subject: 'Kept', onlineMeeting: expect.anything() });
    const off = await fixture.patch(IDA, id as string, { body: { contentType: 'text', content: 'New' } });
    expect(off).toMatchObject({ isOnlineMeeting: false, onlineMeeting: null });
  });

  it('is left out without a word where the calendar cannot have it', async () => {
    const personal = await fixture.create(PIA, { ...meeting, ...hour(8) });
    expect(personal).toMatchObject({ isOnlineMeeting: false, onlineMeetingProvider: 'unknown', onlineMeeting: null });
    const other = await fixture.create(IDA, { ...meeting, onlineMeetingProvider: 'skypeForBusiness', ...hour(8) });
    expect(other).toMatchObject({ isOnlineMeeting: false, onlineMeeting: null });
  });

  it('gets its link later, or never', async () => {
    fixture.api.setMeetings({ pendingMs: 5_000, fail: false });
    const { id, '@odata.etag': etag } = await fixture.create(IDA, { ...meeting, ...hour(8) });
    expect(await fixture.get(IDA, id as string)).toMatchObject({ isOnlineMeeting: true, onlineMeeting: null });
    fixture.ms += 5_000;
    const settled = await fixture.get(IDA, id as string);
    expect(settled['onlineMeeting']).not.toBeNull();
    expect(settled['@odata.etag']).not.toBe(etag);
    fixture.api.setMeetings({ pendingMs: 0, fail: true });
    const never = await fixture.create(IDA, { ...meeting, ...hour(9) });
    fixture.ms += 3_600_000;
    expect(await fixture.get(IDA, never['id'] as string)).toMatchObject({ isOnlineMeeting: true, onlineMeeting: null });
  });
});

it('refuses what it does not offer', async () => {
  expect(await fixture.refusal(IDA, 'listAttachments_me_events_By_event_id')).toBe('501 NotImplemented');
  expect(await fixture.refusal(IDA, 'create_me_events', { body: { ...hour(8), attachments: [] } })).toMatch(/^501/);
});

import { FakeHost, hour, KIM, MARA, RAVI } from '../../../../testing/calendar-api-host.js';

let fixture: FakeHost;
beforeEach(() => {
  fixture = new FakeHost();
});

describe('a new event', () => {
  it('has what the service makes of it, and nothing that is a default', () => {
    const event = fixture.events(MARA).insert({ summary: 'Budget review', ...hour(1) });
    expect(event).toEqual({
      kind: 'calendar#event',
      etag: expect.stringMatching(/^"\d{16}"$/),
      id: expect.stringMatching(/^[0-9a-v]{26}$/),
      status: 'confirmed',
      htmlLink: expect.stringMatching(/^https:\/\/www\.google\.com\/calendar\/event\?eid=/),
      created: '2026-11-21T09:00:00.000Z',
      updated: '2026-11-21T09:00:00.000Z',
      summary: 'Budget review',
      creator: { email: MARA.email, self: true },
      organizer: { email: MARA.email, self: true },
      start: { dateTime: '2026-12-01T09:00:00Z', timeZone: 'Europe/Lisbon' },
      end: { dateTime: '2026-12-01T10:00:00Z', timeZone: 'Europe/Lisbon' },
      iCalUID: `${event.id}@google.com`,
      sequence: 0,
      reminders: { useDefault: true },
      eventType: 'default',
    });
    expect(fixture.events(MARA).get(event.id)).toEqual(event);
    expect(fixture.violations).toEqual([]);
  });

  it('keeps an id of the client, and takes it once only', () => {
    const { insert, delete: remove, refusal } = fixture.events(MARA);
    expect(insert({ id: 'abcde0', ...hour(1) }).id).toBe('abcde0');
    const again = { id: 'abcde0', ...hour(2) };
    expect(refusal('insert', '', again)).toBe('409 duplicate The requested identifier already exists.');
    remove('abcde0');
    expect(refusal('insert', '', again)).toBe('409 duplicate The requested identifier already exists.');
    expect(fixture.events(RAVI).insert(again).id).toBe('abcde0');
  });

  it('on a secondary calendar is organized by the calendar', () => {
    const calendarId = fixture.newCalendar(MARA);
    const event = fixture.events(MARA, calendarId).insert(hour(1));
    expect(event.organizer).toEqual({ email: calendarId, displayName: 'Boat rota', self: true });
    expect(event.creator).toEqual({ email: MARA.email });
  });

  it('has the zone of the calendar when it says an offset only', () => {
    const event = fixture.events(RAVI).insert({
      start: { dateTime: '2026-07-01T10:00:00-04:00' },
      end: { dateTime: '2026-07-01T11:00:00.750-04:00' },
    });
    expect(event.start).toEqual({ dateTime: '2026-07-01T16:00:00+02:00', timeZone: 'Europe/Berlin' });
    expect(event.end).toEqual({ dateTime: '2026-07-01T17:00:00+02:00', timeZone: 'Europe/Berlin' });
  });

  it('is told in the zone that is asked for', () => {
    const { id } = fixture.events(MARA).insert(hour(1));
    expect(fixture.events(MARA).get(id, { timeZone: 'Asia/Kolkata' }).start).toEqual({
      dateTime: '2026-12-01T14:30:00+05:30',
      timeZone: 'Europe/Lisbon',
    });
  });

  const day = { start: { date: '2026-12-24' }, end: { date: '2026-12-27' } };
  it.each([
    [{ start: {}, end: {} }, '400 required Missing start time.'],
    [{ ...hour(1), end: null }, '400 required Missing end time.'],
    [{ start: { dateTime: 'soon' }, end: { dateTime: 'later' } }, '400 invalid Invalid start time.'],
    [{ start: { date: '2026-02-30' }, end: { date: '2026-03-02' } }, '400 invalid Invalid start time.'],
    [{ ...hour(1), end: { date: '2026-13-01' } }, '400 invalid Invalid end time.'],
    [
      { start: { dateTime: '2026-12-01T09:00:00' }, end: { dateTime: '2026-12-01T10:00:00Z' } },
      '400 required Missing time zone definition for start time.',
    ],
    [
      { start: { dateTime: '2026-12-01T09:00:00', timeZone: 'Romance Standard Time' }, end: hour(1).end },
      '400 invalid Invalid time zone definition for start time.',
    ],
    [
      { start: day.start, end: hour(27).end },
      '400 invalid Start and end times must either both be date or both be dateTime.',
    ],
    [{ start: hour(1).end, end: hour(1).start }, '400 timeRangeEmpty The specified time range is empty.'],
    [{ start: day.start, end: day.start }, '400 timeRangeEmpty The specified time range is empty.'],
    [{ id: 'Nope', ...day }, '400 invalid Invalid resource id value.'],
    [{ id: 'abcd', ...day }, '400 invalid Invalid resource id value.'],
    [{ id: 'wxyz01', ...day }, '400 invalid Invalid resource id value.'],
    [{ ...day, colorId: '12' }, '400 invalid Invalid color id.'],
    [{ ...day, transparency: 'free' }, '400 invalid Invalid value for: transparency.'],
    [{ ...day, visibility: 'secret' }, '400 invalid Invalid value for: visibility.'],
    [{ ...day, status: 'cancelled' }, '400 invalid Invalid value for: status.'],
    [{ ...day, sequence: -1 }, expect.stringMatching(/^400 invalid Invalid sequence value\./)],
    [{ ...day, source: { url: 'ftp://example.com' } }, '400 invalid Invalid source URL.'],
    [{ ...day, attendees: [{ displayName: 'Kim' }] }, '400 required Missing attendee email.'],
    [{ ...day, attendees: [{ email: 'kim' }] }, '400 invalid Invalid attendee email.'],
    [
      { ...day, attendees: [{ email: KIM.email, responseStatus: 'maybe' }] },
      '400 invalid Invalid value for: attendees[].responseStatus.',
    ],
    [
      { ...day, reminders: { useDefault: true, overrides: [{ method: 'popup', minutes: 5 }] } },
      '400 cannotUseDefaultRemindersAndSpecifyOverride Cannot specify both default reminders and overrides at the same time.',
    ],
    [
      { ...day, reminders: { useDefault: false, overrides: Array(6).fill({ method: 'popup', minutes: 5 }) } },
      '400 invalid Too many reminders.',
    ],
    [
      { ...day, reminders: { overrides: [{ method: 'sms', minutes: 5 }] } },
      '400 invalid Invalid value for: reminders.overrides[].method.',
    ],
    [
      { ...day, reminders: { overrides: [{ method: 'popup', minutes: 40321 }] } },
      '400 invalid Invalid value for: reminders.overrides[].minutes.',
    ],
  ])('is refused: %j', (body, rejection) => {
    expect(fixture.events(MARA).refusal('insert', '', body)).toEqual(rejection);
    expect(fixture.events(MARA).list().items).toEqual([]);
  });

  it('of more than 25 attachments is refused, and without supportsAttachments has none', () => {
    const attachments = Array(26).fill({ fileUrl: 'https://drive.example/1' });
    expect(fixture.events(MARA).refusal('insert', '', { ...hour(1), attachments }, { supportsAttachments: true })).toBe(
      '400 invalid Too many attachments.',
    );
    const few = attachments.slice(0, 1);
    expect(fixture.events(MARA).insert({ ...hour(1), attachments: few })).not.toHaveProperty('attachments');
    expect(fixture.violations).toEqual(['attachments are ignored without supportsAttachments=true']);
    const kept = fixture.events(MARA).insert({ ...hour(1), attachments: few }, { supportsAttachments: true });
    expect(kept.attachments).toEqual(few);
  });
});

describe('properties', () => {
  it.each([
    ['more than 300 of them', 301, 'v'],
    ['more than 32 kB of them', 40, 'v'.repeat(1_000)],
  ])('are refused: %s', (_name, count, value) => {
    const properties = Object.fromEntries([...Array(count).keys()].map((key) => [`k${key}`, value]));
    const body = { ...hour(1), extendedProperties: { private: properties } };
    expect(fixture.events(MARA).refusal('insert', '', body)).toBe(
      '400 invalid A provided value exceeds the allowed size limit.',
    );
  });

  it('with long keys are dropped, long values are cut, silently but for the violation', () => {
    const key = 'k'.repeat(44);
    const event = fixture.events(MARA).insert({
      ...hour(1),
      extendedProperties: { private: { [key]: 'v'.repeat(1_025), [`${key}k`]: 'lost' }, shared: { project: 'atlas' } },
    });
    expect(event.extendedProperties).toEqual({ private: { [key]: 'v'.repeat(1_024) }, shared: { project: 'atlas' } });
    expect(fixture.violations).toEqual([
      'extendedProperties.private: a value of more than 1024 characters is cut',
      'extendedProperties.private: a key of more than 44 characters is dropped',
    ]);
  });

  it('named like members of objects are properties like any other', () => {
    const body = JSON.parse(`{"extendedProperties":{"private":{"__proto__":"a","constructor":"b"}}}`);
    const { id } = fixture.events(MARA).insert({ ...hour(1), ...body });
    const { private: properties } = fixture.events(MARA).patch(id, { summary: 'x' }).extendedProperties;
    expect(Object.entries(properties)).toEqual([
      ['__proto__', 'a'],
      ['constructor', 'b'],
    ]);
    expect(fixture.events(MARA).ids({ privateExtendedProperty: ['toString=x'] })).toEqual([]);
  });
});

describe('patch', () => {
  it('merges objects, replaces arrays, clears with null, and leaves the rest', () => {
    const { insert, patch } = fixture.events(MARA);
    const { id, etag } = insert({
      ...hour(1),
      summary: 'Before',
      description: 'Stays',
      location: 'Goes',
      attendees: [{ email: KIM.email, responseStatus: 'accepted' }, { email: 'other@partner.example' }],
      extendedProperties: { private: { a: '1', b: '2' } },
      reminders: { useDefault: false, overrides: [{ method: 'popup', minutes: 5 }] },
    });
    fixture.now += 60_000;
    const patched = patch(id, {
      summary: 'After',
      location: null,
      attendees: [{ email: KIM.email }],
      extendedProperties: { private: { a: null, c: '3' } },
    });
    expect(patched).toMatchObject({
      summary: 'After',
      description: 'Stays',
      attendees: [{ email: KIM.email, responseStatus: 'needsAction' }],
      extendedProperties: { private: { b: '2', c: '3' } },
      reminders: { useDefault: false, overrides: [{ method: 'popup', minutes: 5 }] },
      created: '2026-11-21T09:00:00.000Z',
      updated: '2026-11-21T09:01:00.000Z',
      sequence: 0,
    });
    expect(patched).not.toHaveProperty('location');
    expect(patched.etag).not.toBe(etag);
  });

  it('merges inside of start and end', () => {
    const { insert, patch, refusal } = fixture.events(MARA);
    const { id } = insert(hour(1));
    const day = { start: { date: '2026-12-24' }, end: { date: '2026-12-27' } };
    expect(refusal('patch', id, day)).toBe('400 invalid Invalid start time.');
    const cleared = (time: object) => ({ ...time, dateTime: null, timeZone: null });
    const allDay = patch(id, { start: cleared(day.start), end: cleared(day.end) });
    expect([allDay.start, allDay.end, allDay.sequence]).toEqual([day.start, day.end, 1]);
    expect(refusal('patch', id, hour(1))).toBe('400 invalid Invalid start time.');
    const timed = patch(id, { start: { ...hour(2).start, date: null }, end: { ...hour(2).end, date: null } });
    expect(timed.start).toEqual({ dateTime: '2026-12-02T09:00:00Z', timeZone: 'Europe/Lisbon' });
    expect(patch(id, { end: { dateTime: '2026-12-02T11:00:00' } }).end.dateTime).toBe('2026-12-02T11:00:00Z');
    expect(refusal('patch', id, { end: { dateTime: '2026-12-02T08:00:00' } })).toMatch(/timeRangeEmpty/);
  });

  it('of reminders alone does not touch updated, but the etag', () => {
    const { insert, patch } = fixture.events(MARA);
    const before = insert(hour(1));
    fixture.now += 60_000;
    const after = patch(before.id, { reminders: { useDefault: false } });
    expect(after.updated).toBe(before.updated);
    expect(after.etag).not.toBe(before.etag);
    expect(after.reminders).toEqual({ useDefault: false });
  });

  it('takes a sequence that is not below the one there is', () => {
    const { insert, patch, refusal } = fixture.events(MARA);
    const { id } = insert({ ...hour(1), sequence: 3 });
    expect(patch(id, { sequence: 5 }).sequence).toBe(5);
    expect(refusal('patch', id, { sequence: 4 })).toMatch(/^400 invalid Invalid sequence value\./);
  });

  it('notes what only the service writes, and ignores it', () => {
    const { insert, patch } = fixture.events(MARA);
    const { id } = insert(hour(1));
    const body = {
      created: '2000-01-01T00:00:00Z',
      organizer: { email: KIM.email },
      htmlLink: 'x',
      recurringEventId: 'y',
      privateCopy: true,
      attendees: [{ email: KIM.email, self: true }],
      attachments: [{ fileId: '1', fileUrl: 'https://drive.example/1' }],
      conferenceData: { createRequest: { status: { statusCode: 'success' } } },
    };
    expect(patch(id, body)).toMatchObject({ created: '2026-11-21T09:00:00.000Z', organizer: { email: MARA.email } });
    expect(fixture.violations).toEqual([
      'events.patch: created is read-only',
      'events.patch: organizer is read-only',
      'events.patch: htmlLink is read-only',
      'events.patch: recurringEventId is read-only',
      'events.patch: privateCopy is read-only',
      'events.patch: conferenceData.createRequest.status is read-only',
      'events.patch: attachments[].fileId is read-only',
      'conferenceData is ignored without conferenceDataVersion=1',
      'attendees[].self is read-only',
    ]);
  });

  it('cancelling deletes, confirming brings back', () => {
    const { insert, patch, refusal } = fixture.events(MARA);
    const { id } = insert({ ...hour(1), summary: 'Maybe' });
    expect(patch(id, { status: 'cancelled' })).toMatchObject({ id, status: 'cancelled', summary: 'Maybe' });
    expect(refusal('patch', id, { summary: 'New' })).toBe('410 deleted Resource has been deleted');
    expect(patch(id, { status: 'confirmed' })).toMatchObject({ status: 'confirmed', summary: 'Maybe' });
  });
});

describe('conditions', () => {
  it('If-Match refuses another version than the one there is', () => {
    const { insert, patch, refusal, get } = fixture.events(MARA);
    const { id, etag } = insert(hour(1));
    const patched = patch(id, { summary: 'x' }, {}, { 'if-match': etag });
    for (const [verb, body] of [
      ['patch', {}],
      ['delete', null],
    ] as const) {
      expect(refusal(verb, id, body, {}, { 'if-match': etag })).toBe('412 conditionNotMet Precondition Failed');
    }
    expect(get(id).etag).toBe(patched.etag);
    expect(patch(id, {}, {}, { 'if-match': `"other", ${patched.etag}` }).summary).toBe('x');
    expect(patch(id, {}, {}, { 'if-match': '*' }).summary).toBe('x');
  });

  it('If-None-Match answers 304 for the version that the client has', () => {
    const { id, etag } = fixture.events(MARA).insert(hour(1));
    const get = (condition: string) =>
      fixture.answer(MARA, 'events.get', {
        path: { calendarId: 'primary', eventId: id },
        headers: { 'if-none-match': condition },
      });
    expect(get(etag)).toEqual({ status: 304, body: null });
    expect(get('"other"').status).toBe(200);
  });
});

describe('delete', () => {
  it('works once; the deleted event can still be got', () => {
    const { insert, get, refusal } = fixture.events(MARA);
    const { id } = insert({ ...hour(1), summary: 'Gone' });
    expect(fixture.answer(MARA, 'events.delete', { path: { calendarId: 'primary', eventId: id } })).toEqual({
      status: 204,
      body: null,
    });
    expect(refusal('delete', id)).toBe('410 deleted Resource has been deleted');
    expect(get(id)).toMatchObject({ id, status: 'cancelled', summary: 'Gone' });
    expect(refusal('delete', 'never0')).toBe('404 notFound Not Found');
    expect(refusal('get', 'never0')).toBe('404 notFound Not Found');
  });
});

describe('guest lists', () => {
  const attendees = [
    { email: MARA.email, responseStatus: 'accepted' },
    { email: 'A@partner.example', displayName: 'A', optional: true, additionalGuests: 2, comment: 'late' },
    { email: 'a@partner.example', resource: true },
  ];

  it('have each address once, defaults left out', () => {
    const event = fixture.events(MARA).insert({ ...hour(1), attendees });
    expect(event.attendees).toEqual([
      { email: MARA.email, self: true, organizer: true, responseStatus: 'accepted' },
      { email: 'a@partner.example', resource: true, responseStatus: 'needsAction' },
    ]);
    const patched = fixture.events(MARA).patch(event.id, {
      attendees: [
        { email: 'a@partner.example', displayName: 'A', optional: true, additionalGuests: 2, comment: 'late' },
      ],
    });
    expect(patched.attendees).toEqual([
      {
        email: 'a@partner.example',
        displayName: 'A',
        optional: true,
        // Decided when the guest was added.
        resource: true,
        responseStatus: 'needsAction',
        comment: 'late',
        additionalGuests: 2,
      },
    ]);
  });
});

describe('reminders and source', () => {
  it('are those of the user who looks', () => {
    const calendarId = fixture.newCalendar(MARA);
    fixture.share(MARA, calendarId, RAVI.email, 'writer');
    const own = { useDefault: false, overrides: [{ method: 'popup', minutes: 5 }] };
    const source = { title: 'Ticket', url: 'https://tickets.example/1' };
    const { id } = fixture.events(MARA, calendarId).insert({ ...hour(1), reminders: own, source });
    expect(fixture.events(MARA, calendarId).get(id)).toMatchObject({ reminders: own, source });
    const seen = fixture.events(RAVI, calendarId).get(id);
    expect(seen.reminders).toEqual({ useDefault: true });
    expect(seen).not.toHaveProperty('source');
    fixture.events(RAVI, calendarId).patch(id, { reminders: { useDefault: false } });
    expect(fixture.events(MARA, calendarId).get(id).reminders).toEqual(own);
  });
});

describe('import', () => {
  it('makes a private copy of an event with an organizer elsewhere', () => {
    const invitation = {
      ...hour(8),
      summary: 'Partner call',
      iCalUID: '040000008200E00074C5-fixture',
      organizer: { email: 'kim@elsewhere.example', displayName: 'Kim' },
      attendees: [
        { email: 'kim@elsewhere.example', responseStatus: 'accepted' },
        { email: MARA.email },
        { email: RAVI.email },
      ],
    };
    const event = fixture.events(MARA).import(invitation);
    expect(event).toMatchObject({
      iCalUID: invitation.iCalUID,
      organizer: invitation.organizer,
      attendees: [
        { email: 'kim@elsewhere.example', organizer: true, responseStatus: 'accepted' },
        { email: MARA.email, self: true, responseStatus: 'needsAction' },
        { email: RAVI.email },
      ],
    });
    expect(fixture.events(RAVI).list().items).toEqual([]);
    expect(fixture.events(MARA).refusal('patch', event.id, { summary: 'Mine' })).toMatch(
      /^403 forbiddenForNonOrganizer/,
    );
    const again = fixture.events(MARA).import({ ...invitation, summary: 'Moved' });
    expect([again.id, again.summary]).toEqual([event.id, 'Moved']);
    expect(fixture.violations).toEqual([]);
  });

  it('makes every event a default one', () => {
    const event = fixture.events(MARA).import({ ...hour(1), iCalUID: 'a@x', eventType: 'focusTime' });
    expect(event.eventType).toBe('default');
    expect(fixture.violations).toEqual(['events.import: only default events may be imported']);
  });
});

it('refuses what the sandbox does not have', () => {
  expect(fixture.refusal(MARA, 'events.quickAdd')).toMatch(/^501 notImplemented/);
  expect(fixture.events(MARA).refusal('insert', '', hour(1), { eventLabelVersion: 1 })).toMatch(/^501 notImplemented/);
});

it('notes deprecated parameters', () => {
  fixture.events(MARA).insert(hour(1), { sendNotifications: true });
  fixture.events(MARA).list({ alwaysIncludeEmail: true });
  expect(fixture.violations).toEqual(['sendNotifications is deprecated', 'alwaysIncludeEmail is deprecated']);
});

import type { Event } from '@microsoft/microsoft-graph-types';
import type { EventInput, NewEventInput } from '#domain/events';
import type { EditOptions, WriteOptions } from '#domain/providers';
import { DomainError } from '#domain/system';
import { EVENTS as events } from '../adapter.js';
import { GraphApiError } from '../errors.js';
import { SmallGraph } from '../testing/small-graph.js';

const wall = (local: string, timeZone = 'Europe/Berlin') => ({
  kind: 'dateTime' as const,
  local,
  offsetMinutes: null,
  timeZone,
});
const NINE = { start: wall('2027-03-22T09:00:00'), end: wall('2027-03-22T10:00:00') };
const DAILY = { title: 'Daily', ...NINE, recurrence: ['FREQ=DAILY;COUNT=5'] };
const BUSY = { attendees: [{ emailAddress: { address: 'ida@fabrikam.example' }, type: 'required' as const }] };
const RECURRENCE = {
  pattern: { type: 'daily' as const, interval: 1 },
  range: { type: 'numbered' as const, numberOfOccurrences: 3, startDate: '2027-03-22', recurrenceTimeZone: 'UTC' },
};
const STORED = {
  subject: 'Stored',
  start: { dateTime: '2027-03-22T08:00:00', timeZone: 'UTC' },
  end: { dateTime: '2027-03-22T09:00:00', timeZone: 'UTC' },
};

function opened() {
  const graph = new SmallGraph();
  const { connection } = graph;
  return {
    graph,
    pauses: graph.pauses,
    create: (input: Partial<NewEventInput>, options: WriteOptions = {}) =>
      events.create(connection, 'work', { title: 'x', ...NINE, ...input }, options),
    update: (id: string, input: EventInput, options: EditOptions = {}) =>
      events.update(connection, 'work', id, input, options),
    remove: (id: string, options: EditOptions = {}) => events.delete(connection, 'work', id, options),
    respond: (id: string, status: 'accepted' | 'declined' | 'tentative' | 'needsAction', options: WriteOptions = {}) =>
      events.respond(connection, 'work', id, status, options),
    get: (id: string) => events.get(connection, 'work', id),
    async starts(id: string) {
      const window = { startMs: Date.UTC(2027, 0, 1), endMs: Date.UTC(2027, 11, 1) };
      const query = { window, expandRecurrences: true, search: null, metadataFilters: null, orderBy: null } as const;
      const rest = { updatedAfterMs: null, isAllDay: null, isCancelled: null, iCalUid: null };
      const list = { query: { ...query, ...rest }, pageSize: 100, page: null, sync: null };
      const { items } = await events.occurrences(connection, 'work', id, list);
      return items.map((item) =>
        'start' in item && item.start.kind === 'dateTime' ? item.start.local.slice(5, 13) : '',
      );
    },
  };
}

describe('create', () => {
  it('writes every field once, and answers with what was read back', async () => {
    const { create, graph, get } = opened();
    const { event, ignoredFields } = await create({
      title: 'Plan',
      description: 'one\ntwo',
      location: 'HQ',
      visibility: 'private',
      transparency: 'transparent',
      colorId: '5',
      customColor: '#1A73E8',
      attendees: [{ email: 'mailto:Omar@fabrikam.example', name: 'Omar' }],
      publicExtendedProperties: { b: '2', a: '1' },
      privateExtendedProperties: { secret: 's' },
      reminders: { useDefault: false, overrides: [{ method: 'popup', minutes: 15 }] },
    });
    expect(graph.sent('POST')[0]?.body).toMatchObject({
      subject: 'Plan',
      body: { contentType: 'text', content: 'one\ntwo' },
      location: { displayName: 'HQ' },
      sensitivity: 'private',
      showAs: 'free',
      categories: ['5'],
      attendees: [{ emailAddress: { address: 'Omar@fabrikam.example', name: 'Omar' }, type: 'required' }],
      start: { dateTime: '2027-03-22T09:00:00', timeZone: 'W. Europe Standard Time' },
      end: { dateTime: '2027-03-22T10:00:00', timeZone: 'W. Europe Standard Time' },
      isAllDay: false,
      isReminderOn: true,
      reminderMinutesBeforeStart: 15,
      transactionId: expect.stringMatching(/^uc-/),
    });
    expect(event).toMatchObject({
      title: 'Plan',
      description: 'one\ntwo',
      customColor: '#1a73e8',
      colorId: '5',
      publicExtendedProperties: { a: '1', b: '2' },
      privateExtendedProperties: { secret: 's' },
      start: { local: '2027-03-22T09:00:00', timeZone: 'Europe/Berlin', offsetMinutes: 60 },
    });
    expect(ignoredFields).toEqual([]);
    expect(await get(event.id)).toEqual(event);
  });

  it('keeps the zone that was asked for where Outlook has one name for several', async () => {
    const { create } = opened();
    const { event } = await create({ start: wall('2027-03-22T09:00:00', 'Europe/Rome'), end: undefined });
    expect(event.start).toMatchObject({ local: '2027-03-22T09:00:00', timeZone: 'Europe/Rome' });
  });

  it('keeps a zone that Outlook lacks, with the instant', async () => {
    const { create, graph } = opened();
    const { event } = await create({ start: wall('2027-06-22T09:00:00', 'Antarctica/Troll'), end: undefined });
    expect(event.start).toMatchObject({ local: '2027-06-22T09:00:00', timeZone: 'Antarctica/Troll' });
    expect(graph.sent('POST')[0]?.body).toMatchObject({
      start: { dateTime: '2027-06-22T07:00:00', timeZone: 'UTC' },
      end: { dateTime: '2027-06-22T08:00:00', timeZone: 'UTC' },
    });
  });

  it.each([
    ['the start', 60],
    ['only the end', 120],
  ])('keeps the second of two equal times, with its zone, for %s', async (_name, offsetMinutes) => {
    const { create, update } = opened();
    const berlin = { kind: 'dateTime' as const, timeZone: 'Europe/Berlin' };
    const { event } = await create({
      start: { ...berlin, local: '2027-10-31T02:30:00', offsetMinutes },
      end: { ...berlin, local: '2027-10-31T02:45:00', offsetMinutes: 60 },
    });
    expect(event).toMatchObject({
      start: { local: '2027-10-31T02:30:00', offsetMinutes, timeZone: 'Europe/Berlin' },
      end: { local: '2027-10-31T02:45:00', offsetMinutes: 60, timeZone: 'Europe/Berlin' },
    });
    const moved = await update(event.id, { start: wall('2027-11-01T09:00:00', 'UTC'), end: null });
    expect(moved.event).toMatchObject({ start: { timeZone: 'UTC' }, end: { timeZone: 'UTC' } });
  });

  it('writes all-day events as midnights of one zone', async () => {
    const { create, graph } = opened();
    const { event } = await create({ start: { kind: 'date', date: '2027-03-28' }, end: undefined });
    expect(graph.sent('POST')[0]?.body).toMatchObject({
      isAllDay: true,
      start: { dateTime: '2027-03-28T00:00:00', timeZone: 'W. Europe Standard Time' },
      end: { dateTime: '2027-03-29T00:00:00', timeZone: 'W. Europe Standard Time' },
    });
    expect(event.start).toEqual({ kind: 'date', date: '2027-03-28' });
  });

  it('F23 makes one event of a request that is repeated', async () => {
    const { create, graph } = opened();
    const first = await create({}, { idempotencyKey: 'k' });
    const again = await create({}, { idempotencyKey: 'k' });
    expect(again.event.id).toBe(first.event.id);
    expect(graph.events.size).toBe(1);
    expect((await create({}, { idempotencyKey: 'other' })).event.id).not.toBe(first.event.id);
  });

  it('F23 finds the event of a transaction that Outlook calls a duplicate', async () => {
    const { create, graph } = opened();
    const first = await create({}, { idempotencyKey: 'k' });
    graph.fault = {
      method: 'POST',
      path: /events$/,
      fault: new GraphApiError(409, 'ErrorDuplicateTransactionId', '', null),
    };
    expect((await create({}, { idempotencyKey: 'k' })).event.id).toBe(first.event.id);
    graph.events.clear();
    graph.fault = {
      method: 'POST',
      path: /events$/,
      fault: new GraphApiError(409, 'ErrorDuplicateTransactionId', '', null),
    };
    await expect(create({}, { idempotencyKey: 'k' })).rejects.toMatchObject({ code: 'Conflict' });
  });

  it('takes excluded dates out of a new series, or leaves nothing of it behind', async () => {
    const { create, graph, starts } = opened();
    const recurrence = ['RRULE:FREQ=DAILY;COUNT=3', 'EXDATE;TZID=Europe/Berlin:20270323T090000'];
    const { event } = await create({ recurrence });
    expect(event.recurrence).toEqual(recurrence);
    expect(await starts(event.id)).toEqual(['03-22T09', '03-24T09']);
    graph.fault = { method: 'DELETE', path: /2027-03-23/, fault: new GraphApiError(503, null, '', null) };
    await expect(create({ recurrence })).rejects.toMatchObject({ status: 503 });
    expect([...graph.events.keys()]).toEqual([event.id]);
  });

  it('refuses a rule that Outlook cannot hold before anything is written', async () => {
    const { create, graph } = opened();
    await expect(create({ recurrence: ['FREQ=MONTHLY;BYMONTHDAY=31'] })).rejects.toMatchObject({
      code: 'NotSupportedByProvider',
    });
    expect(graph.sent('POST')).toEqual([]);
  });

  it('asks for a meeting only where the calendar makes such ones', async () => {
    const { create, graph } = opened();
    await expect(create({ generateMeetingUrlProvider: 'skypeForBusiness' })).rejects.toMatchObject({
      code: 'NotSupportedByProvider',
    });
    expect(graph.sent('POST')).toEqual([]);
    const { event } = await create({ generateMeetingUrlProvider: 'teamsForBusiness' });
    expect(event.conferenceData).toMatchObject({
      conferenceType: 'teamsForBusiness',
      joinUrl: expect.stringContaining('https://teams.example/'),
    });
  });

  it('waits for a link that is being made, and not for ever', async () => {
    const { graph, pauses, update } = opened();
    const id = graph.seed({ ...STORED, isOnlineMeeting: true, onlineMeetingProvider: 'teamsForBusiness' });
    const stored = graph.events.get(id);
    if (stored !== undefined) stored.onlineMeeting = null;
    expect((await update(id, { title: 'Late' })).event.conferenceData?.joinUrl).toBeUndefined();
    expect(pauses).toEqual([500, 1_500]);
  });

  it('shows what a meeting is asked for of, while it is being made', async () => {
    const { create, update, get, graph } = opened();
    const { event } = await create({ generateMeetingUrlProvider: 'teamsForBusiness' });
    expect(event.conferenceData?.joinUrl).toMatch(/^https/);
    expect(event.generateMeetingUrlProvider).toBeUndefined();
    Object.assign(graph.events.get(event.id)!, { onlineMeeting: null });
    const pending = await get(event.id);
    expect(pending.generateMeetingUrlProvider).toBe('teamsForBusiness');
    // Sent back it asks for nothing new, even where the calendar would not make one any more.
    graph.calendar = { ...graph.calendar, allowedOnlineMeetingProviders: [] };
    const { conferenceData, generateMeetingUrlProvider } = pending;
    expect((await update(event.id, { conferenceData, generateMeetingUrlProvider })).ignoredFields).toEqual([]);
    expect(graph.sent('PATCH')).toEqual([]);
  });

  it('names what Outlook does not do', async () => {
    const { create } = opened();
    const { ignoredFields } = await create(
      {
        visibility: 'public',
        reminders: { useDefault: false, overrides: [{ method: 'email', minutes: 5 }] },
        attendees: [{ email: 'omar@fabrikam.example', responseStatus: 'accepted' }],
      },
      { notifyParticipants: 'none' },
    );
    expect(ignoredFields.sort()).toEqual([
      'attendees.responseStatus',
      'notifyParticipants',
      'reminders.overrides',
      'visibility',
    ]);
  });

  it.each([
    [{ attendees: [{ email: 'no address' }] }, 'attendees.0.email'],
    [{ customColor: 'red' }, 'customColor'],
    [{ eventType: 'outOfOffice' as const, transparency: 'transparent' as const }, 'transparency'],
    [{ publicExtendedProperties: { a: 'x'.repeat(40_000) } }, 'publicExtendedProperties'],
    [
      { reminders: { useDefault: false, overrides: [{ method: 'popup', minutes: -1 }] } },
      'reminders.overrides.0.minutes',
    ],
  ])('refuses %j naming %s', async (input, path) => {
    await expect(opened().create(input)).rejects.toMatchObject({ details: [expect.objectContaining({ path })] });
  });

  it('does not ask Outlook to write to a calendar that may only be read', async () => {
    const { create, graph } = opened();
    graph.calendar = { canEdit: false };
    await expect(create({})).rejects.toMatchObject({ code: 'ReadOnlyCalendar' });
    expect(graph.calls).toEqual([]);
  });
});

describe('update', () => {
  it('writes only what changes, on condition that nobody wrote in between', async () => {
    const { graph, update, get } = opened();
    const id = graph.seed(STORED);
    const before = await get(id);
    await update(id, { title: 'Stored', location: 'There', start: NINE.start, end: NINE.end });
    expect(graph.sent('PATCH')).toEqual(
      [
        {
          path: `events/${encodeURIComponent(id)}`,
          body: { location: { displayName: 'There' } },
          headers: { 'If-Match': 'W/"1"' },
        },
      ].map((call) => ({ ...call, body: expect.objectContaining(call.body) })),
    );
    expect((await get(id)).start).toMatchObject({ offsetMinutes: 60 });
    expect(before.title).toBe('Stored');
  });

  it('writes nothing for an echo', async () => {
    const { create, update, get, graph } = opened();
    const { event } = await create({ ...DAILY, description: 'text', attendees: [{ email: 'omar@fabrikam.example' }] });
    const { title, description, attendees, recurrence, visibility, transparency, reminders } = await get(event.id);
    await update(event.id, { title, description, attendees, recurrence, visibility, transparency, reminders });
    expect(graph.sent('PATCH')).toEqual([]);
  });

  it('reads and merges again when somebody wrote in between', async () => {
    const { graph, update, get } = opened();
    const id = graph.seed(STORED);
    let isOthersTurn = true;
    graph.before = () => {
      const stored = graph.events.get(id);
      if (isOthersTurn && stored !== undefined) Object.assign(stored, { subject: 'Theirs', version: 99 });
      isOthersTurn = false;
    };
    await update(id, { location: 'Mine' });
    expect(await get(id)).toMatchObject({ title: 'Theirs', location: 'Mine' });
  });

  it('refuses a stale version of the caller, whatever marks it is written with', async () => {
    const { graph, update } = opened();
    const id = graph.seed(STORED);
    await expect(update(id, { title: 'x' }, { ifMatch: '"0"' })).rejects.toMatchObject({ code: 'PreconditionFailed' });
    expect((await update(id, { title: 'x' }, { ifMatch: 'W/"1"' })).event.etag).not.toBe('1');
  });

  it('keeps tentative and elsewhere as long as they take up time as asked', async () => {
    const { graph, update } = opened();
    const id = graph.seed({ ...STORED, showAs: 'tentative' });
    await update(id, { transparency: 'opaque' });
    expect(graph.sent('PATCH')).toEqual([]);
    await update(id, { transparency: 'transparent' });
    expect(graph.events.get(id)?.showAs).toBe('free');
    await update(id, { eventType: 'outOfOffice' });
    expect(graph.events.get(id)?.showAs).toBe('oof');
    expect((await update(id, { eventType: 'focusTime' })).event).toMatchObject({
      eventType: 'focusTime',
      transparency: 'opaque',
    });
    expect((await update(id, { eventType: null })).event.eventType).toBe('default');
  });

  it('keeps who is optional, and colours of other kinds', async () => {
    const { graph, update } = opened();
    const attendees = [{ emailAddress: { address: 'omar@fabrikam.example' }, type: 'optional' as const }];
    const id = graph.seed({ ...STORED, attendees, categories: ['Customer', '5'] });
    await update(id, {
      colorId: '7',
      attendees: [{ email: 'OMAR@fabrikam.example' }, { email: 'eva@fabrikam.example' }],
    });
    expect(graph.events.get(id)).toMatchObject({
      categories: ['7', 'Customer'],
      attendees: [
        { emailAddress: { address: 'omar@fabrikam.example' }, type: 'optional' },
        { emailAddress: { address: 'eva@fabrikam.example' }, type: 'required' },
      ],
    });
  });

  it.each([
    ['the owner of the calendar', { owner: { address: 'Ida.Berg@fabrikam.example' } }, 'ida.berg@fabrikam.example'],
    ['the account', { owner: { address: 'ida.berg@fabrikam.example' } }, 'Ida@fabrikam.example'],
    ['the owner of a shared calendar', { owner: { address: 'o@x.example' }, canShare: false }, 'o@x.example'],
  ])('takes the answer of %s back as it was read', async (_name, calendar, address) => {
    const { graph, get, update } = opened();
    graph.calendar = { ...graph.calendar, ...calendar };
    const id = graph.seed({
      ...STORED,
      isOrganizer: false,
      responseStatus: { response: 'accepted' },
      attendees: [{ emailAddress: { address }, status: { response: 'none' } }],
    });
    const { attendees } = await get(id);
    expect(attendees).toMatchObject([{ email: address, responseStatus: 'accepted' }]);
    expect((await update(id, { attendees })).ignoredFields).toEqual([]);
    expect(graph.sent('PATCH')).toEqual([]);
  });

  it('does not answer for a guest who only looks at the calendar of another', async () => {
    const { graph, get } = opened();
    graph.calendar = { ...graph.calendar, owner: { address: 'omar@fabrikam.example' }, canShare: false };
    const id = graph.seed({
      ...STORED,
      isOrganizer: false,
      responseStatus: { response: 'accepted' },
      attendees: [{ emailAddress: { address: 'ida@fabrikam.example' }, status: { response: 'none' } }],
    });
    expect((await get(id)).attendees).toMatchObject([{ responseStatus: 'needsAction' }]);
  });

  describe('of an invitation', () => {
    function invited(more: Partial<Event> = {}) {
      const { graph, ...calls } = opened();
      const id = graph.seed({ ...STORED, isOrganizer: false, responseStatus: { response: 'notResponded' }, ...more });
      const sent = () => graph.sent('POST').map(({ path, body }) => [path.split('/').at(-1), body]);
      return { graph, id, sent, ...calls };
    }

    it.each([
      ['accepted', 'accept'],
      ['tentative', 'tentativelyAccept'],
      ['declined', 'decline'],
    ] as const)('replies %s after what else is changed', async (myResponseStatus, action) => {
      const { graph, id, sent, update } = invited();
      const { event, ignoredFields } = await update(id, { title: 'Mine', myResponseStatus });
      expect([event.title, event.myResponseStatus, ignoredFields]).toEqual(['Mine', myResponseStatus, []]);
      expect(sent()).toEqual([[action, { sendResponse: true }]]);
      expect(graph.calls.filter(({ method }) => method !== 'GET').map(({ method }) => method)).toEqual([
        'PATCH',
        'POST',
      ]);
      expect((await update(id, { myResponseStatus })).event.myResponseStatus).toBe(myResponseStatus);
      expect(sent()).toHaveLength(1);
    });

    it.each([
      ['none', false, []],
      ['external', true, ['notifyParticipants']],
    ] as const)('tells the organizer as asked: %s', async (notifyParticipants, sendResponse, ignored) => {
      const { id, sent, update } = invited();
      const { ignoredFields } = await update(id, { myResponseStatus: 'accepted' }, { notifyParticipants });
      expect([sent(), ignoredFields]).toEqual([[['accept', { sendResponse }]], ignored]);
    });

    it('takes no reply back, and names that', async () => {
      const { id, sent, update } = invited({ responseStatus: { response: 'accepted' } });
      const { event, ignoredFields } = await update(id, { title: 'Mine', myResponseStatus: 'needsAction' });
      expect([event.title, event.myResponseStatus, ignoredFields]).toEqual(['Mine', 'accepted', ['myResponseStatus']]);
      expect(sent()).toEqual([]);
    });

    it('replies for an instance alone, or for the series', async () => {
      const { graph, id, update } = invited({ recurrence: RECURRENCE });
      const instance = `${id}_20270323T080000Z`;
      const { event } = await update(instance, { myResponseStatus: 'tentative' });
      expect(event).toMatchObject({ id: instance, recurringEventId: id, myResponseStatus: 'tentative' });
      await update(instance, { myResponseStatus: 'accepted' }, { scope: 'all' });
      expect(graph.sent('POST').map(({ path }) => decodeURIComponent(path))).toEqual([
        `events/${id}-2027-03-23/tentativelyAccept`,
        `events/${id}/accept`,
      ]);
    });

    it('is answered by what is known when the event cannot be read any more', async () => {
      const { graph, id, update } = invited();
      graph.before = () => {
        graph.readFailure = new GraphApiError(503, null, '', null);
      };
      expect((await update(id, { myResponseStatus: 'accepted' })).event.myResponseStatus).toBe('accepted');
    });

    it('is not found when it went before the reply', async () => {
      const { graph, id, update } = invited();
      graph.before = () => {
        graph.events.delete(id);
      };
      await expect(update(id, { myResponseStatus: 'accepted' })).rejects.toMatchObject({ code: 'NotFound' });
    });

    it('is for guests: the organizer takes part, and cannot answer', async () => {
      const { graph, id, sent, update } = invited({ isOrganizer: true });
      for (const myResponseStatus of ['declined', 'tentative'] as const) {
        await expect(update(id, { title: 'x', myResponseStatus })).rejects.toMatchObject({
          code: 'ValidationFailed',
          details: [{ path: 'myResponseStatus', message: expect.any(String) }],
        });
      }
      expect((await update(id, { myResponseStatus: 'accepted' })).ignoredFields).toEqual([]);
      expect((await update(id, { myResponseStatus: 'needsAction' })).ignoredFields).toEqual(['myResponseStatus']);
      expect([sent(), graph.sent('PATCH')]).toEqual([[], []]);
    });
  });

  it('keeps the invitation of a meeting under a new description', async () => {
    const { graph, update } = opened();
    const id = graph.seed({ ...STORED, isOnlineMeeting: true, onlineMeetingProvider: 'teamsForBusiness' });
    const stored = graph.events.get(id);
    const url = stored?.onlineMeeting?.joinUrl ?? '';
    const blob = `<div style="width:100%"><span>${'_'.repeat(60)}</span></div><a href="${url}">Join</a></body></html>`;
    if (stored !== undefined) stored.body = { contentType: 'html', content: `<html><body><p>Old</p>${blob}` };
    const { event } = await update(id, { description: 'New & better\n<3' });
    expect(graph.sent('PATCH')[0]?.body).toMatchObject({
      body: { contentType: 'html', content: `<html><body>New &amp; better<br>&lt;3${blob}` },
    });
    expect(event.description).toBe('New & better\n<3');
    const read = graph.calls.find(({ query }) => query?.['$select'] === 'id,body');
    expect(read?.headers).toEqual({ prefer: 'outlook.body-content-type="html"' });
  });

  it('moves a series with what its instances have of their own', async () => {
    const { create, update, remove, starts, get } = opened();
    const { id } = (await create(DAILY)).event;
    await update(`${id}_20270323T080000Z`, { title: 'Special' });
    await update(`${id}_20270324T080000Z`, { start: wall('2027-03-24T15:00:00'), end: wall('2027-03-24T16:00:00') });
    await remove(`${id}_20270325T080000Z`);
    await update(id, { start: wall('2027-03-22T11:00:00'), end: wall('2027-03-22T12:00:00') });
    expect(await starts(id)).toEqual(['03-22T11', '03-23T11', '03-24T17', '03-26T11']);
    expect(await get(`${id}_20270323T100000Z`)).toMatchObject({ title: 'Special', isException: true });
  });

  it('moves a series with what its instances lack of it', async () => {
    const { create, update, get } = opened();
    const { id } = (await create({ ...DAILY, location: 'HQ', attendees: [{ email: 'eva@fabrikam.example' }] })).event;
    await update(`${id}_20270323T080000Z`, { location: null, attendees: [] });
    await update(id, { start: wall('2027-03-22T11:00:00'), end: wall('2027-03-22T12:00:00') });
    const moved = await get(`${id}_20270323T100000Z`);
    expect(moved.attendees).toEqual([]);
    expect(moved.location).toBeUndefined();
  });

  it('changes an instance and the later ones, and repeats that without a second series', async () => {
    const { create, update, remove, starts, graph } = opened();
    const { id } = (await create(DAILY)).event;
    await remove(`${id}_20270325T080000Z`);
    await update(`${id}_20270326T080000Z`, { title: 'Last' });
    // Cut off after the new series was written.
    graph.fault = {
      method: 'PATCH',
      path: new RegExp(`${encodeURIComponent(id)}$`),
      fault: new GraphApiError(503, null, '', null),
    };
    const change = () => update(`${id}_20270324T080000Z`, { location: 'New' }, { scope: 'following' });
    await expect(change()).rejects.toMatchObject({ status: 503 });
    const { event } = await change();
    expect([...graph.events.keys()]).toEqual([id, event.id]);
    expect(await starts(id)).toEqual(['03-22T09', '03-23T09']);
    expect(await starts(event.id)).toEqual(['03-24T09', '03-26T09']);
    expect(event).toMatchObject({
      title: 'Daily',
      location: 'New',
      recurrence: [expect.stringContaining('COUNT=3'), expect.any(String)],
    });
  });

  it('goes on from an instance with the times and fields that this had of its own', async () => {
    const { create, update, starts, get } = opened();
    const { id } = (await create(DAILY)).event;
    const afternoon = { start: wall('2027-03-24T15:00:00'), end: wall('2027-03-24T17:00:00') };
    await update(`${id}_20270324T080000Z`, { title: 'Moved', location: 'Hall', ...afternoon });
    const { event } = await update(`${id}_20270324T080000Z`, { title: 'New' }, { scope: 'following' });
    expect(await starts(event.id)).toEqual(['03-24T15', '03-25T09', '03-26T09']);
    const first = await get(`${event.id}_20270324T080000Z`);
    expect(first).toMatchObject({ title: 'New', location: 'Hall', end: { local: '2027-03-24T17:00:00' } });
    expect(await get(`${event.id}_20270325T080000Z`)).toMatchObject({ title: 'New', location: undefined });

    const later = { start: wall('2027-03-24T16:00:00'), end: wall('2027-03-24T17:30:00') };
    const moved = (await update(`${event.id}_20270324T080000Z`, later, { scope: 'all' })).event;
    expect(await starts(moved.id)).toEqual(['03-24T16', '03-25T10', '03-26T10']);
  });

  describe('a series that goes on from an instance', () => {
    const conference = { isOnlineMeeting: true, onlineMeetingProvider: 'teamsForBusiness' as const };
    const invitation = (url: string) =>
      `<div><span>${'_'.repeat(60)}</span></div><a href="${url}">Join</a></body></html>`;

    /** What the new series is made with, of a series with this body above the invitation to its meeting. */
    async function split(own: string, input: EventInput, hasMeeting = true) {
      const { graph, create, update } = opened();
      const { id } = (await create(DAILY)).event;
      const stored = graph.events.get(id)!;
      const joinUrl = 'https://teams.example/first';
      const below = hasMeeting ? invitation(joinUrl) : '</body></html>';
      Object.assign(stored, { body: { contentType: 'html', content: `<html><body>${own}${below}` } });
      if (hasMeeting) Object.assign(stored, conference, { onlineMeeting: { joinUrl } });
      await update(`${id}_20270324T080000Z`, input, { scope: 'following' });
      return graph.sent('POST').at(-1)?.body;
    }

    it.each([{ title: 'x' }, { title: 'x', description: 'Bring this' }])(
      'keeps its formatted description with %j',
      async (input) => {
        const own = '<p>Bring <b>this</b></p>';
        expect(await split(own, input)).toMatchObject({
          ...conference,
          body: { contentType: 'html', content: `<html><body>${own}` },
        });
        expect(await split(own, input, false)).toMatchObject({
          body: { contentType: 'html', content: `<html><body>${own}</body></html>` },
        });
      },
    );

    it('keeps a description that is text as it is, whatever it looks like', async () => {
      expect(await split('<div class="PlainText">&lt;p&gt;x&lt;/p&gt;</div>', { title: 'x' })).toMatchObject({
        body: { contentType: 'text', content: '<p>x</p>' },
      });
    });

    it.each([
      ['New', { contentType: 'text', content: 'New' }],
      ['<p>New</p>', { contentType: 'html', content: '<p>New</p>' }],
      [null, { contentType: 'text', content: '' }],
    ])('takes the new description %j without the invitation to the meeting of the other', async (description, body) => {
      expect(await split('<p>Old</p>', { description })).toMatchObject({ ...conference, body });
    });
  });

  it('keeps the meeting of instances with a description of their own when their series moves', async () => {
    const { create, update, graph } = opened();
    const { id } = (await create({ ...DAILY, generateMeetingUrlProvider: 'teamsForBusiness' })).event;
    const joinUrl = graph.events.get(id)?.onlineMeeting?.joinUrl ?? '';
    const invitation = `<div><span>${'_'.repeat(60)}</span></div><a href="${joinUrl}">Join</a></body></html>`;
    const body = { contentType: 'html' as const, content: `<html><body><p>Daily</p>${invitation}` };
    Object.assign(graph.events.get(id)!, { body });
    await update(`${id}_20270323T080000Z`, { description: 'Special' });
    await update(id, { start: wall('2027-03-22T11:00:00'), end: wall('2027-03-22T12:00:00') });
    const moved = graph.sent('PATCH').findLast(({ body }) => (body as Event).body != null);
    expect(moved?.body).toMatchObject({
      body: { contentType: 'html', content: `<html><body>Special${invitation}` },
    });
  });

  it.each([true, false])(
    'keeps formatted descriptions of instances when their series moves, meeting: %s',
    async (hasMeeting) => {
      const { create, update, graph } = opened();
      const more = hasMeeting ? { generateMeetingUrlProvider: 'teamsForBusiness' } : {};
      const { id } = (await create({ ...DAILY, ...more })).event;
      const joinUrl = graph.events.get(id)?.onlineMeeting?.joinUrl;
      const invitation = `<div><span>${'_'.repeat(60)}</span></div><a href="${joinUrl}">Join</a>`;
      const content = `<html><body><p>Daily</p>${hasMeeting ? invitation : ''}</body></html>`;
      Object.assign(graph.events.get(id)!, { body: { contentType: 'html', content } });
      const special = `${id}_20270323T080000Z`;
      await update(special, { description: '<p>Bring <b>this</b></p>' });
      const { description } = (await update(special, { title: 'Own' })).event;
      expect(description).toBe('Bring this');
      await update(special, { description, location: 'There' });
      await update(id, { start: wall('2027-03-22T11:00:00'), end: wall('2027-03-22T12:00:00') });
      const moved = graph.sent('PATCH').findLast(({ body }) => (body as Event).body != null);
      expect((moved?.body as Event).body).toMatchObject({
        contentType: 'html',
        content: expect.stringContaining('<p>Bring <b>this</b></p>'),
      });
      expect((moved?.body as Event).body?.content?.match(/<body>/g) ?? []).toHaveLength(hasMeeting ? 1 : 0);
    },
  );

  it.each([
    ['all', true],
    ['all', false],
    ['following', true],
    ['following', false],
  ] as const)('keeps the formatting of what is shown of an instance: %s, meeting: %s', async (scope, hasMeeting) => {
    const { create, update, graph } = opened();
    const more = hasMeeting ? { generateMeetingUrlProvider: 'teamsForBusiness' } : {};
    const { id } = (await create({ ...DAILY, ...more })).event;
    const joinUrl = graph.events.get(id)?.onlineMeeting?.joinUrl;
    const invitation = hasMeeting ? `<div><span>${'_'.repeat(60)}</span></div><a href="${joinUrl}">Join</a>` : '';
    const content = `<html><body><p>Daily</p>${invitation}</body></html>`;
    Object.assign(graph.events.get(id)!, { body: { contentType: 'html', content } });
    const special = `${id}_20270324T080000Z`;
    const own = '<p>Bring <b>this</b></p>';
    const { description } = (await update(special, { description: own })).event;
    expect(description).toBe('Bring this');
    await update(special, { description, location: 'There' }, { scope });
    const written = graph.calls.findLast(({ body }) => (body as Event | undefined)?.body != null)?.body as Event;
    expect(written.location).toEqual({ displayName: 'There' });
    expect(written.body).toMatchObject({ contentType: 'html', content: expect.stringContaining(own) });
    expect(written.body?.content).not.toContain('Daily');
    expect(written.body?.content?.includes('Join')).toBe(hasMeeting && scope === 'all');
  });

  it.each([
    ['as it was shown', 'One\nBring this'],
    ['with the line ends of a form', 'One\r\nBring this'],
    ['with a last line end', 'One\nBring this\n'],
  ])('keeps the formatting of a description that comes back %s', async (_name, description) => {
    const { graph, get, update } = opened();
    const body = {
      contentType: 'html' as const,
      content: '<html><body><p>One</p><p>Bring <b>this</b></p></body></html>',
    };
    const id = graph.seed({ ...STORED, body });
    expect((await get(id)).description).toBe('One\nBring this');
    await update(id, { description, title: 'Other' });
    expect(graph.sent('PATCH').map(({ body: sent }) => Object.keys(sent as object))).toEqual([
      ['subject', 'singleValueExtendedProperties'],
    ]);
    await update(id, { description: 'One\n\nBring this' });
    expect(graph.events.get(id)?.body).toEqual({ contentType: 'text', content: 'One\n\nBring this' });
  });

  it('leaves the invitation of the new series where it is when the split is repeated', async () => {
    const { create, update, graph } = opened();
    const { id } = (await create({ ...DAILY, description: 'x', generateMeetingUrlProvider: 'teamsForBusiness' })).event;
    const fault = new GraphApiError(503, null, '', null);
    graph.fault = { method: 'PATCH', path: new RegExp(`${encodeURIComponent(id)}$`), fault };
    const change = () => update(`${id}_20270324T080000Z`, { description: 'y' }, { scope: 'following' });
    await expect(change()).rejects.toBe(fault);
    const { event } = await change();
    const ofNewSeries = graph.sent('PATCH').filter(({ path }) => path.includes(encodeURIComponent(event.id)));
    expect(ofNewSeries.length).toBeGreaterThan(0);
    for (const { body } of ofNewSeries) expect(body).not.toHaveProperty('body');
    expect(event).toMatchObject({ description: 'y', conferenceData: { conferenceType: 'teamsForBusiness' } });
  });

  it('takes following of the first instance for the whole series', async () => {
    const { create, update, graph } = opened();
    const { id } = (await create(DAILY)).event;
    const { event } = await update(`${id}_20270322T080000Z`, { title: 'All' }, { scope: 'following' });
    expect(event).toMatchObject({ id, title: 'All' });
    expect(graph.events.size).toBe(1);
  });

  it('refuses following of a series of somebody else, a rule for an instance, and an instance that comes back', async () => {
    const { create, update, remove, graph } = opened();
    const { id } = (await create(DAILY)).event;
    await remove(`${id}_20270323T080000Z`);
    await expect(
      update(id, { recurrence: ['RRULE:FREQ=DAILY;COUNT=5', 'EXDATE;TZID=Europe/Berlin:20270324T090000'] }),
    ).rejects.toMatchObject({ code: 'NotSupportedByProvider' });
    await expect(update(`${id}_20270324T080000Z`, { recurrence: ['FREQ=DAILY'] })).rejects.toMatchObject({
      code: 'ValidationFailed',
    });
    const stored = graph.events.get(id);
    if (stored !== undefined) stored.isOrganizer = false;
    await expect(update(`${id}_20270324T080000Z`, { title: 'x' }, { scope: 'following' })).rejects.toMatchObject({
      code: 'ValidationFailed',
    });
  });
});

describe('the rule of a series', () => {
  const RULE_ID = 'String {6f1d2c3b-4a59-4e68-8777-8695a4b3c2d1} Name ucRule';
  const kept = (body: unknown) =>
    (body as Event).singleValueExtendedProperties?.find(({ id }) => id === RULE_ID)?.value;
  const on = (date: string, hour = '09') => ({
    start: wall(`${date}T${hour}:00:00`),
    end: wall(`${date}T${hour}:45:00`),
  });

  it.each([
    'FREQ=YEARLY',
    'FREQ=WEEKLY;BYDAY=MO;COUNT=10',
    'COUNT=4;FREQ=WEEKLY;BYDAY=WE,MO',
    'FREQ=DAILY;BYDAY=MO,TU',
    'FREQ=DAILY;UNTIL=20270326T225959Z',
  ])('reads back as it was written: %s', async (rule) => {
    const { create, get } = opened();
    const { event } = await create({ recurrence: [rule] });
    expect(event.recurrence).toEqual([`RRULE:${rule}`]);
    expect((await get(event.id)).recurrence).toEqual([`RRULE:${rule}`]);
  });

  it.each([
    ['FREQ=YEARLY', 'FREQ=YEARLY', '2027-03-23', '2027-03-23'],
    ['FREQ=MONTHLY;COUNT=3', 'FREQ=MONTHLY;COUNT=3', '2027-03-23', '2027-03-23'],
    ['FREQ=WEEKLY', 'FREQ=WEEKLY', '2027-03-23', '2027-03-23'],
    ['FREQ=WEEKLY;BYDAY=MO', 'FREQ=WEEKLY;BYDAY=MO', '2027-03-23', '2027-03-29'],
    ['FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=22', 'FREQ=YEARLY;BYMONTH=3;BYMONTHDAY=22', '2027-03-23', '2028-03-22'],
    ['FREQ=DAILY;UNTIL=20270326T080000Z', 'FREQ=DAILY;UNTIL=20270327T080000Z', '2027-03-23', '2027-03-23'],
  ])('goes with the series to another day: %s', async (rule, after, asked, start) => {
    const { create, update, get } = opened();
    const { id } = (await create({ recurrence: [rule] })).event;
    await update(id, on(asked));
    expect(await get(id)).toMatchObject({
      start: { local: `${start}T09:00:00` },
      recurrence: [`RRULE:${after}`],
    });
  });

  it('is Outlook’s when somebody changed the series there, and moves as that says', async () => {
    const { create, update, get, graph } = opened();
    const { id } = (await create({ recurrence: ['FREQ=YEARLY'] })).event;
    const stored = graph.events.get(id)!;
    stored.recurrence = { ...stored.recurrence, pattern: { type: 'absoluteMonthly', interval: 1, dayOfMonth: 22 } };
    expect((await get(id)).recurrence).toEqual(['RRULE:FREQ=MONTHLY']);
    await update(id, on('2027-03-23'));
    expect(await get(id)).toMatchObject({
      start: { local: '2027-03-23T09:00:00' },
      recurrence: ['RRULE:FREQ=MONTHLY'],
    });
  });

  it('is another one when another is written, and none for a single event', async () => {
    const { create, update, get, graph } = opened();
    const { id } = (await create({ recurrence: ['FREQ=WEEKLY'] })).event;
    await update(id, { recurrence: ['FREQ=WEEKLY;BYDAY=MO'] });
    expect((await get(id)).recurrence).toEqual(['RRULE:FREQ=WEEKLY;BYDAY=MO']);
    await update(id, { recurrence: null });
    expect(kept(graph.events.get(id))).toBe('');
    await update(id, { recurrence: ['FREQ=WEEKLY;COUNT=2'] });
    expect((await get(id)).recurrence).toEqual(['RRULE:FREQ=WEEKLY;COUNT=2']);
  });

  it('is not written for what is no series, nor by a change that leaves it', async () => {
    const { create, update, graph } = opened();
    const single = (await create({})).event;
    await update(single.id, on('2027-03-23'));
    const series = (await create({ recurrence: ['FREQ=WEEKLY'] })).event;
    await update(series.id, { title: 'y' });
    expect(kept(graph.events.get(single.id))).toBeUndefined();
    expect(graph.sent('PATCH').map(({ body }) => kept(body))).toEqual([undefined, undefined]);
  });

  it('is cut where the series is cut', async () => {
    const { create, update, get, starts } = opened();
    const { id } = (await create({ recurrence: ['BYDAY=MO;FREQ=WEEKLY;COUNT=5'] })).event;
    const { event } = await update(`${id}_20270405T070000Z`, on('2027-04-05', '11'), { scope: 'following' });
    expect((await get(id)).recurrence).toEqual(['RRULE:BYDAY=MO;FREQ=WEEKLY;COUNT=2']);
    expect((await get(event.id)).recurrence).toEqual(['RRULE:BYDAY=MO;FREQ=WEEKLY;COUNT=3']);
    expect(await starts(id)).toEqual(['03-22T09', '03-29T09']);
    expect(await starts(event.id)).toEqual(['04-05T11', '04-12T11', '04-19T11']);
  });

  it('is cut where the rest is deleted, or becomes a single event', async () => {
    const { create, update, remove, get, graph } = opened();
    const { id } = (await create({ recurrence: ['FREQ=WEEKLY'] })).event;
    const single = (await update(`${id}_20270412T070000Z`, { recurrence: null }, { scope: 'following' })).event;
    expect(kept(graph.events.get(single.id)) ?? '').toBe('');
    expect((await get(id)).recurrence).toEqual(['RRULE:FREQ=WEEKLY;UNTIL=20270412T065959Z']);
    await remove(`${id}_20270405T070000Z`, { scope: 'following' });
    expect((await get(id)).recurrence).toEqual(['RRULE:FREQ=WEEKLY;UNTIL=20270405T065959Z']);
  });

  it('goes on from an instance that moves to another day', async () => {
    const { create, update } = opened();
    const { id } = (await create({ recurrence: ['FREQ=MONTHLY'] })).event;
    const { event } = await update(`${id}_20270422T070000Z`, on('2027-04-23'), { scope: 'following' });
    expect(event).toMatchObject({ start: { local: '2027-04-23T09:00:00' }, recurrence: ['RRULE:FREQ=MONTHLY'] });
  });

  it('is not carried into instances', async () => {
    const { create, update, graph } = opened();
    const { id } = (await create(DAILY)).event;
    await update(`${id}_20270323T080000Z`, { title: 'Special' });
    await update(id, { recurrence: ['FREQ=DAILY;COUNT=4'] });
    const [last] = graph
      .sent('PATCH')
      .filter(({ path }) => path.includes('2027-03-23'))
      .slice(-1);
    expect(last?.body).toMatchObject({ subject: 'Special' });
    expect(kept(last?.body)).toBeUndefined();
  });
});

describe('what is written and cannot be read back', () => {
  const FAILURES: [string, Error][] = [
    ['the budget of the account is used up', new DomainError('RateLimited', '')],
    ['Graph asks to wait', new GraphApiError(429, 'ApplicationThrottled', '', 60_000)],
    ['Graph fails', new GraphApiError(503, null, '', null)],
    ['Graph does not answer', new DomainError('ProviderTimeout', '')],
    ['the token is refused', new GraphApiError(401, 'InvalidAuthenticationToken', '', null)],
  ];
  const unreadable = new GraphApiError(503, null, '', null);
  const OWN: Partial<NewEventInput> = {
    start: wall('2027-03-22T09:00:00', 'Europe/Rome'),
    customColor: '#1a73e8',
    eventType: 'focusTime',
    publicExtendedProperties: { a: '1' },
    privateExtendedProperties: { secret: 's' },
  };

  /** Once told to fail, reads do from the next write on until that change is through. */
  function blind(error: Error = unreadable) {
    const opening = opened();
    const { graph } = opening;
    return {
      ...opening,
      once<T>(change: Promise<T>): Promise<T> {
        return change.finally(() => (graph.before = graph.readFailure = null));
      },
      fail: () => (graph.before = () => (graph.readFailure = error)),
    };
  }

  it.each(FAILURES)('is made, and once, when %s', async (_, error) => {
    const { create, fail, once, graph, get } = blind(error);
    fail();
    const { event } = await once(create(OWN));
    expect(event).toMatchObject({ ...OWN, start: { timeZone: 'Europe/Rome', offsetMinutes: 60 } });
    expect(await get(event.id)).toEqual(event);
    expect(graph.sent('POST')).toHaveLength(1);
  });

  it.each(FAILURES)('is changed when %s', async (_, error) => {
    const { create, update, fail, once, graph, get } = blind(error);
    const { id, etag = '' } = (await create(OWN)).event;
    fail();
    const { event } = await once(update(id, { title: 'New', publicExtendedProperties: { b: '2' } }, { ifMatch: etag }));
    expect(event).toMatchObject({
      title: 'New',
      customColor: '#1a73e8',
      publicExtendedProperties: { b: '2' },
      privateExtendedProperties: { secret: 's' },
    });
    expect(event.etag).not.toBe(etag);
    expect(await get(id)).toEqual(event);
    expect(graph.sent('PATCH')).toHaveLength(1);
  });

  it.each<[string, Partial<NewEventInput>, EventInput]>([
    ['an event at another time', OWN, { start: wall('2027-03-23T11:00:00', 'UTC'), end: null }],
    ['a new series', {}, { recurrence: ['FREQ=DAILY;COUNT=5'] }],
    ['a series with other words', DAILY, { title: 'Words' }],
    ['a series at another time', DAILY, { start: wall('2027-03-22T11:00:00'), end: wall('2027-03-22T12:00:00') }],
    ['a series that is none any more', DAILY, { recurrence: null }],
  ])('is answered as it is: %s', async (_, before, change) => {
    const { create, update, fail, once, get } = blind();
    const { id } = (await create(before)).event;
    fail();
    const { event } = await once(update(id, change));
    expect(await get(id)).toEqual(event);
  });

  it('is a new series', async () => {
    const { create, fail, once, get } = blind();
    fail();
    const { event } = await once(create(DAILY));
    expect(event).toMatchObject({ isRecurring: true, recurrence: ['RRULE:FREQ=DAILY;COUNT=5'] });
    expect(await get(event.id)).toEqual(event);
  });

  it('is a new series without what was excluded', async () => {
    const { create, graph, once, get } = blind();
    const recurrence = ['RRULE:FREQ=DAILY;COUNT=3', 'EXDATE;TZID=Europe/Berlin:20270323T090000'];
    graph.before = ({ method }) => (graph.readFailure = method === 'DELETE' ? unreadable : null);
    const { event } = await once(create({ recurrence }));
    expect(event.recurrence).toEqual(recurrence);
    expect((await get(event.id)).recurrence).toEqual(recurrence);
  });

  it('is a series that ends, with nothing left to do', async () => {
    const { create, remove, fail, once, starts } = blind();
    const { id } = (await create(DAILY)).event;
    fail();
    await once(remove(`${id}_20270324T080000Z`, { scope: 'following' }));
    expect(await starts(id)).toEqual(['03-22T09', '03-23T09']);
  });

  it.each([
    ['for the first time', {}],
    ['once more', { title: 'Special', privateExtendedProperties: { secret: 'own' } }],
    ['of days', { start: { kind: 'date' as const, date: '2027-03-22' }, end: undefined }],
  ])('is an instance that was changed %s', async (_, before) => {
    const { create, update, fail, once, get } = blind();
    const days = 'start' in before;
    const series = (await create({ ...DAILY, ...OWN, ...NINE, ...(days && before) })).event;
    const id = `${series.id}_20270323${days ? '' : 'T080000Z'}`;
    if (!days) await update(id, before);
    fail();
    const { event } = await once(update(id, { location: 'There', publicExtendedProperties: { b: '2' } }));
    expect(event).toMatchObject({ id, recurringEventId: series.id, location: 'There', customColor: '#1a73e8' });
    expect(await get(id)).toEqual(event);
  });

  it('keeps the days that a series leaves out', async () => {
    const { create, update, remove, fail, once, get } = blind();
    const { id } = (await create(DAILY)).event;
    await update(`${id}_20270323T080000Z`, { title: 'Special' });
    await remove(`${id}_20270325T080000Z`);
    fail();
    const { event } = await once(update(id, { location: 'There' }));
    expect(event.recurrence).toHaveLength(2);
    expect(await get(id)).toEqual(event);
  });

  it('is gone when Graph says so', async () => {
    const gone = new GraphApiError(404, 'ErrorItemNotFound', '', null);
    const { create, update, fail, once } = blind(gone);
    const { event } = await create(DAILY);
    fail();
    // A series with another rule is read back.
    const shorter = update(event.id, { recurrence: ['RRULE:FREQ=DAILY;COUNT=2'] });
    await expect(once(shorter)).rejects.toMatchObject({ code: 'NotFound' });
  });

  it('hides no fault of its own', async () => {
    const { create, fail } = blind(new TypeError('broken'));
    fail();
    await expect(create({})).rejects.toThrow('broken');
  });
});

describe('delete', () => {
  it('deletes once; afterwards the event is unknown', async () => {
    const { graph, remove } = opened();
    const id = graph.seed(STORED);
    await remove(id);
    await expect(remove(id)).rejects.toMatchObject({ code: 'NotFound' });
  });

  it('takes a deletion whose answer was lost for done', async () => {
    const { graph, remove } = opened();
    const id = graph.seed(STORED);
    graph.fault = {
      method: 'DELETE',
      path: /events/,
      fault: new GraphApiError(404, 'ErrorItemNotFound', '', null),
      isDone: true,
    };
    await remove(id);
    expect(graph.events.size).toBe(0);
  });

  it('deletes this, following or all', async () => {
    const { create, remove, starts, graph } = opened();
    const { id } = (await create(DAILY)).event;
    await remove(`${id}_20270323`);
    expect(await starts(id)).toEqual(['03-22T09', '03-24T09', '03-25T09', '03-26T09']);
    await remove(`${id}_20270325T080000Z`, { scope: 'following' });
    expect(await starts(id)).toEqual(['03-22T09', '03-24T09']);
    await remove(`${id}_20270324T080000Z`, { scope: 'all' });
    expect(graph.events.size).toBe(0);
  });
});

describe('respond', () => {
  it.each([
    ['accepted', 'accept'],
    ['tentative', 'tentativelyAccept'],
    ['declined', 'decline'],
  ] as const)('says %s', async (status, action) => {
    const { graph, respond, get } = opened();
    const id = graph.seed({ ...STORED, ...BUSY, isOrganizer: false });
    await respond(id, status);
    expect(graph.sent('POST')).toMatchObject([
      { path: `events/${encodeURIComponent(id)}/${action}`, body: { sendResponse: true } },
    ]);
    expect((await get(id)).myResponseStatus).toBe(status);
    await respond(id, status, { notifyParticipants: 'none' });
    expect(graph.sent('POST')[1]?.body).toEqual({ sendResponse: false });
  });

  it('takes no answer back, but leaves one out that was not given', async () => {
    const { graph, respond } = opened();
    const id = graph.seed({ ...STORED, ...BUSY, isOrganizer: false });
    await respond(id, 'needsAction');
    expect(graph.sent('POST')).toEqual([]);
    await respond(id, 'accepted');
    await expect(respond(id, 'needsAction')).rejects.toMatchObject({ code: 'NotSupportedByProvider' });
  });

  it('is for guests', async () => {
    const { graph, respond } = opened();
    const id = graph.seed(STORED);
    await expect(respond(id, 'accepted')).rejects.toMatchObject({ code: 'ValidationFailed' });
  });
});

import type { EventInput, NewEventInput } from '#domain/events';
import type { EditOptions, WriteOptions } from '#domain/providers';
import { DomainError } from '#domain/system';
import { EVENTS as events } from '../adapter.js';
import { fault, scriptedGoogle, type Script } from '../testing/scripted-google.js';

const time = (local: string, timeZone: string | null = 'Europe/Lisbon') => ({
  kind: 'dateTime' as const,
  local,
  timeZone,
  offsetMinutes: null,
});
const NEW: NewEventInput = { title: 'New', start: time('2027-03-10T09:00:00') };
const event = (id: string, more: object = {}) => ({
  id,
  etag: `"${id}-1"`,
  status: 'confirmed',
  iCalUID: 'uid@google.com',
  organizer: { email: 'mara.field@example.com', self: true },
  start: { dateTime: '2027-03-10T09:00:00Z', timeZone: 'Europe/Lisbon' },
  end: { dateTime: '2027-03-10T10:00:00Z', timeZone: 'Europe/Lisbon' },
  ...more,
});
const instance = (day: number, more: object = {}) => {
  const at = (hour: string) => ({ dateTime: `2027-03-${day}T${hour}:00:00Z`, timeZone: 'Europe/Lisbon' });
  return event(`series_202703${day}T090000Z`, {
    recurringEventId: 'series',
    originalStartTime: at('09'),
    start: at('09'),
    end: at('10'),
    ...more,
  });
};
const refuse = (status: number, reason?: string) => () => {
  throw fault(status, reason);
};

const DETAILS = 'conferenceData.conferenceDetails';
const POINTS = `${DETAILS}.entryPoints`;
function points(...entryPoints: object[]) {
  return { conferenceDetails: { entryPoints } };
}

function opened(script: Script, entry: object = {}, signal?: AbortSignal) {
  const google = scriptedGoogle(script, entry, signal);
  const sent = (method: string) => google.calls.filter((call) => call.method === method);
  return {
    google,
    pauses: google.pauses,
    sent,
    body: (method: string, at = 0): any => sent(method)[at]?.parameters['requestBody'],
    create: (input: Partial<NewEventInput> = {}, options: WriteOptions = {}) =>
      events.create(google.connection, 'work', { ...NEW, ...input }, options),
    update: (id: string, input: EventInput, options: EditOptions = {}) =>
      events.update(google.connection, 'work', id, input, options),
    remove: (id: string, options: EditOptions = {}) => events.delete(google.connection, 'work', id, options),
    respond: (id: string) => events.respond(google.connection, 'work', id, 'accepted', {}),
  };
}

describe('creating', () => {
  it('sends an id of ours, a zone, an end, and nothing that was not given', async () => {
    const { create, body, sent } = opened({ insert: () => event('made') });
    await create({ description: null, visibility: null }, { notifyParticipants: 'external' });
    expect(body('insert')).toEqual({
      id: expect.stringMatching(/^[a-v0-9]{32}$/),
      summary: 'New',
      visibility: 'default',
      start: { dateTime: '2027-03-10T09:00:00Z', timeZone: 'Europe/Lisbon' },
      end: { dateTime: '2027-03-10T10:00:00Z', timeZone: 'Europe/Lisbon' },
    });
    expect(sent('insert')[0]?.parameters).toMatchObject({
      calendarId: 'work',
      conferenceDataVersion: 1,
      sendUpdates: 'externalOnly',
    });
  });

  it('tells everybody unless told otherwise', async () => {
    const { create, sent } = opened({ insert: () => event('made') });
    await create();
    await create({}, { notifyParticipants: 'none' });
    expect(sent('insert').map(({ parameters }) => parameters['sendUpdates'])).toEqual(['all', 'none']);
  });

  it('F23 takes a duplicate for the event of an earlier try', async () => {
    const { create, sent } = opened({
      insert: refuse(409, 'duplicate'),
      get: ({ eventId }) => event(eventId as string, { summary: 'There' }),
    });
    const { event: made } = await create({}, { idempotencyKey: 'key' });
    expect(made).toMatchObject({ id: (sent('insert')[0]?.parameters['requestBody'] as any).id, title: 'There' });
  });

  it('says that the event of an earlier try was deleted, and leaves other refusals what they are', async () => {
    const deleted = opened({ insert: refuse(409, 'duplicate'), get: () => ({ id: 'x', status: 'cancelled' }) });
    await expect(deleted.create()).rejects.toMatchObject({ code: 'Conflict' });
    const unseen = opened({ insert: refuse(409, 'duplicate'), get: refuse(404) });
    await expect(unseen.create()).rejects.toMatchObject({ status: 409 });
    await expect(opened({ insert: refuse(400) }).create()).rejects.toMatchObject({ status: 400 });
  });

  it('asks for nothing when the input is wrong', async () => {
    const { create, google } = opened({});
    await expect(create({ publicExtendedProperties: { ['k'.repeat(45)]: 'x' } })).rejects.toMatchObject({
      code: 'ValidationFailed',
    });
    await expect(create({ eventType: 'focusTime' })).rejects.toMatchObject({ details: [{ path: 'eventType' }] });
    await expect(create({ recurrence: ['DTSTART:20270101T000000Z'] })).rejects.toMatchObject({
      details: [{ path: 'recurrence.0' }],
    });
    expect(google.calls).toEqual([]);
  });

  it('remembers the exact colour beside the nearest one, and asks for the palette once', async () => {
    const palette = {
      event: { 1: { background: '#a4bdfc' }, 2: { background: 'nonsense' }, 9: { background: '#5484ED' } },
    };
    const { create, body, sent } = opened({ insert: () => event('made'), colors: () => palette });
    await create({ customColor: '#5484ee', privateExtendedProperties: { mine: '1' } });
    await create({ customColor: '#a4bdfb' });
    expect(body('insert')).toMatchObject({
      colorId: '9',
      extendedProperties: { private: { mine: '1', 'ucal.color': '#5484ee 9' } },
    });
    expect(body('insert', 1)).toMatchObject({ colorId: '1' });
    expect(sent('colors')).toHaveLength(1);
  });
});

describe('meetings', () => {
  const allowed = { conferenceProperties: { allowedConferenceSolutionTypes: ['hangoutsMeet'] } };
  const pending = (statusCode: string, more: object = {}) =>
    event('made', {
      conferenceData: {
        createRequest: { requestId: 'r', conferenceSolutionKey: { type: 'hangoutsMeet' }, status: { statusCode } },
        ...more,
      },
    });
  const wanted = { generateMeetingUrlProvider: 'hangoutsMeet' };
  const link = { entryPoints: [{ entryPointType: 'video', uri: 'https://meet.example.test/x' }] };

  it('are not named as ignored when they come back as they were read', async () => {
    const get = () => pending('success', link);
    const { update, sent } = opened({ get, patch: get });
    const shown = (await update('made', {})).event.conferenceData;
    const echo = Object.assign(new (class Echo {})(), { ...shown, conferenceId: undefined });
    expect((await update('made', { conferenceData: echo })).ignoredFields).toEqual([]);
    expect((await update('made', { conferenceData: { joinUrl: shown?.joinUrl ?? '' } })).ignoredFields).toEqual([]);
    expect(sent('patch')).toEqual([]);
  });

  it('of Google are written by nobody', async () => {
    const { update, sent } = opened({ get: () => pending('success', link) }, allowed);
    const shown = (await update('made', {})).event.conferenceData;
    for (const conferenceType of ['hangoutsMeet', 'eventHangout', 'eventNamedHangout']) {
      await expect(
        update('made', { conferenceData: { ...shown, conferenceType, joinUrl: 'https://meet.example.test/y' } }),
      ).rejects.toMatchObject({ code: 'NotSupportedByProvider', message: expect.stringContaining(conferenceType) });
    }
    expect(sent('patch')).toEqual([]);
  });

  const bridge = {
    joinUrl: 'https://bridge.example.test/j/1',
    conferenceId: '1',
    conferenceDetails: {
      entryPoints: [
        {
          entryPointType: 'video',
          uri: 'https://bridge.example.test/j/1',
          label: 'bridge/1',
          passcode: '9',
          regionCode: 'X',
        },
        { entryPointType: 'phone', uri: 'tel:+351-000-000-001', pin: '7', entryPointFeatures: ['toll'] },
      ],
      conferenceSolution: { key: { type: 'addOn' }, name: 'Bridge', iconUri: 'https://bridge.example.test/i.png' },
      notes: 'Mute.',
      parameters: { addOnParameters: { parameters: { a: 'b' } } },
      signature: 'of Google',
    },
  };

  it('of third parties are written as the discovery document has them', async () => {
    const { create, body } = opened({ insert: () => event('made') });
    expect((await create({ conferenceData: bridge })).ignoredFields).toEqual([]);
    expect(body('insert').conferenceData).toEqual({
      conferenceId: '1',
      conferenceSolution: { key: { type: 'addOn' }, name: 'Bridge', iconUri: 'https://bridge.example.test/i.png' },
      entryPoints: [
        { entryPointType: 'video', uri: 'https://bridge.example.test/j/1', label: 'bridge/1', passcode: '9' },
        { entryPointType: 'phone', uri: 'tel:+351-000-000-001', pin: '7', entryPointFeatures: ['toll'] },
      ],
      notes: 'Mute.',
      parameters: { addOnParameters: { parameters: { a: 'b' } } },
    });
  });

  it('of third parties need no more than an address', async () => {
    const { create, body } = opened({ insert: () => event('made') });
    const conferenceData = { joinUrl: 'https://zoom.example.test/j/1', conferenceType: 'zoom' };
    const { ignoredFields } = await create({ conferenceData });
    expect(ignoredFields).toEqual(['conferenceData.conferenceType']);
    expect(body('insert').conferenceData).toEqual({
      conferenceSolution: { key: { type: 'addOn' }, name: 'zoom' },
      entryPoints: [{ entryPointType: 'video', uri: 'https://zoom.example.test/j/1' }],
    });
  });

  it('of third parties leave nothing of the meeting before', async () => {
    const { update, body } = opened({
      get: () => pending('success', { ...link, conferenceId: 'meet', signature: 's' }),
      patch: () => event('made'),
    });
    await update('made', { conferenceData: { joinUrl: 'https://zoom.example.test/j/1' } });
    expect(body('patch').conferenceData).toEqual({
      createRequest: null,
      signature: null,
      conferenceId: null,
      notes: null,
      parameters: null,
      conferenceSolution: { key: { type: 'addOn' }, name: 'zoom.example.test', iconUri: null },
      entryPoints: [{ entryPointType: 'video', uri: 'https://zoom.example.test/j/1' }],
    });
  });

  it.each([
    ['no entry point', {}, 'conferenceData'],
    ['instructions alone', points({ entryPointType: 'more', uri: 'https://x.test/' }), 'conferenceData'],
    ['a scheme that runs', { joinUrl: 'javascript:alert(1)' }, 'conferenceData.joinUrl'],
    ['an unknown type', points({ entryPointType: 'toString', uri: 'https://x.test/' }), `${POINTS}[0].entryPointType`],
    ['a phone without number', points({ entryPointType: 'phone', uri: 'https://x.test/' }), `${POINTS}[0].uri`],
    ['two videos', points(...[1, 2].map((n) => ({ entryPointType: 'video', uri: `https://x.test/${n}` }))), POINTS],
    ['a long code', points({ entryPointType: 'sip', uri: 'sip:x', pin: '1'.repeat(129) }), `${POINTS}[0].pin`],
    ['what is no list', { conferenceDetails: { entryPoints: { length: 1 } } }, POINTS],
    ['too many', points(...Array.from({ length: 51 }, () => ({ entryPointType: 'phone', uri: 'tel:1' }))), POINTS],
    ['long notes', { joinUrl: 'https://x.test/', conferenceDetails: { notes: 'x'.repeat(2_049) } }, `${DETAILS}.notes`],
  ])('of third parties are refused with %s', async (_name, conferenceData, path) => {
    await expect(opened({}).create({ conferenceData })).rejects.toMatchObject({
      code: 'ValidationFailed',
      details: [{ path }],
    });
  });

  it.each([
    ['pending', 'hangoutsMeet'],
    ['success', undefined],
    ['failure', undefined],
  ])('come back as asked for while they are made: %s', async (status, generateMeetingUrlProvider) => {
    const get = () => pending(status, status === 'success' ? link : {});
    // The calendar allows no meetings any more: what comes back is none that is asked for.
    const { update, sent } = opened({ get });
    const { conferenceData, title, ...shown } = (await update('made', {})).event;
    expect(shown.generateMeetingUrlProvider).toBe(generateMeetingUrlProvider);
    const asked = generateMeetingUrlProvider === undefined ? {} : { generateMeetingUrlProvider };
    await update('made', { title, conferenceData, ...asked });
    expect(sent('patch')).toEqual([]);
  });

  it('are asked for by a request as well, which is not repeated', async () => {
    const asked = { conferenceDetails: { createRequest: { conferenceSolutionKey: { type: 'hangoutsMeet' } } } };
    const { create, update, body, sent } = opened(
      { insert: () => pending('success'), get: () => pending('failure'), patch: () => pending('pending') },
      allowed,
    );
    await create({ conferenceData: asked });
    expect(body('insert').conferenceData.createRequest).toMatchObject({
      conferenceSolutionKey: { type: 'hangoutsMeet' },
    });
    const { createRequest } = (pending('pending') as any).conferenceData;
    await update('made', { conferenceData: { conferenceDetails: { createRequest } } });
    expect(sent('patch')).toEqual([]);
    await expect(create({ conferenceData: bridge, generateMeetingUrlProvider: 'hangoutsMeet' })).rejects.toMatchObject({
      code: 'ValidationFailed',
    });
  });

  it('are asked for under one request id in every try of one write', async () => {
    const { create, body } = opened({ insert: () => pending('success') }, allowed);
    await create(wanted, { idempotencyKey: 'key' });
    await create(wanted, { idempotencyKey: 'key' });
    await create(wanted, { idempotencyKey: 'other' });
    const [first, again, other] = [0, 1, 2].map((at) => body('insert', at).conferenceData.createRequest);
    expect(first).toEqual({ requestId: expect.any(String), conferenceSolutionKey: { type: 'hangoutsMeet' } });
    expect(again).toEqual(first);
    expect(other.requestId).not.toBe(first.requestId);
  });

  it('are waited for until they are there', async () => {
    const { create, pauses } = opened(
      {
        insert: () => pending('pending'),
        get: (_p, call) => (call < 2 ? pending('pending') : pending('success', link)),
      },
      allowed,
    );
    const { event: made } = await create(wanted);
    expect(made.conferenceData?.joinUrl).toBe('https://meet.example.test/x');
    expect(pauses).toHaveLength(3);
  });

  it.each([
    ['for ten seconds at most', () => pending('pending')],
    ['not when they have failed', () => pending('failure')],
    ['not when the event cannot be seen any more', refuse(404)],
    ['not when Google fails: the event is written all the same', refuse(503)],
  ])('are waited for %s', async (_name, get) => {
    const { create, pauses } = opened({ insert: () => pending('pending'), get }, allowed);
    expect((await create(wanted)).event.conferenceData).not.toHaveProperty('joinUrl');
    expect(pauses.reduce((sum, ms) => sum + ms, 0)).toBeLessThanOrEqual(10_000);
  });

  it('are not waited for by a caller who has gone', async () => {
    const { create, sent } = opened({ insert: () => pending('pending') }, allowed, AbortSignal.abort());
    expect((await create(wanted)).event.id).toBe('made');
    expect(sent('get')).toEqual([]);
  });

  it('are refused where the calendar has none', async () => {
    await expect(opened({}).create(wanted)).rejects.toMatchObject({ code: 'NotSupportedByProvider' });
    await expect(opened({}, allowed).create({ generateMeetingUrlProvider: 'zoom' })).rejects.toMatchObject({
      code: 'NotSupportedByProvider',
    });
  });
});

describe('updating', () => {
  it('patches under the version that was read, with both times and without those of the other kind', async () => {
    const described = () => event('one', { description: 'Old' });
    const { update, body, sent } = opened({ get: described, patch: described });
    await update('one', { isAllDay: true, description: null, location: null, visibility: 'default' });
    expect(body('patch')).toEqual({
      description: null,
      start: { date: '2027-03-10', dateTime: null, timeZone: null },
      end: { date: '2027-03-11', dateTime: null, timeZone: null },
    });
    expect(sent('patch')[0]).toMatchObject({
      headers: { 'If-Match': '"one-1"' },
      parameters: { conferenceDataVersion: 1, sendUpdates: 'all' },
    });
  });

  it.each(['"one-1"', 'one-1', '""one-1""', 'W/"one-1"', '"other", "one-1"', '*'])(
    'takes %s for the version that is there',
    async (ifMatch) => {
      const { update, sent } = opened({ get: () => event('one'), patch: () => event('one') });
      await update('one', { title: 'x' }, { ifMatch });
      expect(sent('patch')).toHaveLength(1);
    },
  );

  it('refuses another version without writing', async () => {
    const { update, remove, google } = opened({ get: () => event('one') });
    await expect(update('one', { title: 'x' }, { ifMatch: '"one-0"' })).rejects.toMatchObject({
      code: 'PreconditionFailed',
    });
    const several = { ifMatch: '"one-0", "one-2"' };
    await expect(remove('one', several)).rejects.toMatchObject({ code: 'PreconditionFailed' });
    expect(google.calls.every(({ method }) => method === 'get')).toBe(true);
  });

  it('reads again and applies again when somebody wrote in between, three times at most', async () => {
    const { update, body, sent } = opened({
      get: (_parameters, call) =>
        event('one', { etag: `"v${call}"`, extendedProperties: { shared: { [`k${call}`]: 'x' } } }),
      patch: (_parameters, call) => (call === 0 ? refuse(412)() : event('one')),
    });
    await update('one', { publicExtendedProperties: { mine: '1' } });
    expect([0, 1].map((at) => body('patch', at).extendedProperties.shared)).toEqual([
      { k0: null, mine: '1' },
      { k1: null, mine: '1' },
    ]);
    expect(sent('patch').map(({ headers }) => headers['If-Match'])).toEqual(['"v0"', '"v1"']);
    const never = opened({ get: () => event('one'), patch: refuse(412) });
    await expect(never.update('one', { title: 'x' })).rejects.toMatchObject({ code: 'Conflict' });
    expect(never.sent('patch')).toHaveLength(3);
  });

  it('does not ask again for who named a version', async () => {
    const { update, sent } = opened({ get: () => event('one'), patch: refuse(412) });
    await expect(update('one', { title: 'x' }, { ifMatch: 'one-1' })).rejects.toMatchObject({
      code: 'PreconditionFailed',
    });
    expect(sent('patch')).toHaveLength(1);
  });

  it('finds nothing when the event goes away meanwhile', async () => {
    const { update } = opened({ get: () => event('one'), patch: refuse(410, 'deleted') });
    await expect(update('one', { title: 'x' })).rejects.toMatchObject({ code: 'NotFound' });
  });

  it('never names the type of an event, and sends no weak version', async () => {
    const { update, body, sent } = opened({
      get: () => event('one', { etag: 'W/"one-1"', eventType: 'focusTime' }),
      patch: () => event('one'),
    });
    await update('one', { eventType: 'focusTime', title: 'x' });
    expect(body('patch')).toEqual({ summary: 'x' });
    expect(sent('patch')[0]?.headers).toEqual({});
  });
});

describe('what is written and cannot be read back', () => {
  const FAILURES: [string, Error][] = [
    ['the budget of the account is used up', new DomainError('RateLimited', '')],
    ['Google asks to wait', fault(429)],
    ['Google fails', fault(503)],
    ['Google does not answer', new DomainError('ProviderTimeout', '')],
    ['the token is refused', fault(401)],
  ];
  const series = event('series', { recurrence: ['RRULE:FREQ=DAILY;COUNT=5'] });
  /** Reads fail from the first write on. */
  const blind = (error: Error, there: (id: string) => object, exceptions: object[] = []) => {
    let isWritten = false;
    const read = (response: () => unknown) => {
      if (isWritten) throw error;
      return response();
    };
    const write = (response: unknown) => {
      isWritten = true;
      return response;
    };
    return opened({
      get: ({ eventId }) => read(() => there(eventId as string)),
      list: () => read(() => ({ items: [series, ...exceptions] })),
      insert: ({ requestBody }) => write({ ...event('x'), ...(requestBody as object) }),
      patch: ({ eventId, requestBody }) =>
        write({ ...there(eventId as string), ...(requestBody as object), etag: '"2"' }),
      delete: () => write(''),
    });
  };

  it.each(FAILURES)('is changed when %s', async (_, error) => {
    const { update, sent } = blind(error, (id) => event(id, { location: 'Here' }));
    const { event: changed } = await update('one', { title: 'New' }, { ifMatch: '"one-1"' });
    expect(changed).toMatchObject({ id: 'one', title: 'New', location: 'Here', etag: '2' });
    expect(sent('patch')).toHaveLength(1);
  });

  it('is what Google answers the change with', async () => {
    const { update, sent } = opened({
      get: () => event('one'),
      patch: () => event('one', { summary: 'New', etag: '"one-2"' }),
    });
    expect((await update('one', { title: 'New' })).event).toMatchObject({ title: 'New', etag: 'one-2' });
    expect(sent('get')).toHaveLength(1);
    const gone = opened({ get: () => event('one'), patch: () => ({ id: 'one', status: 'cancelled' }) });
    await expect(gone.update('one', { title: 'New' })).rejects.toMatchObject({ code: 'NotFound' });
  });

  it.each(FAILURES)('is a series with all that its instances have of their own when %s', async (_, error) => {
    const there = (id: string) => (id === 'series' ? series : instance(11));
    const { update, sent } = blind(error, there, [instance(11, { summary: 'Special' })]);
    const { event: changed } = await update('series', { start: time('2027-03-10T08:00:00') });
    expect(changed).toMatchObject({ id: 'series', etag: '2', start: { local: '2027-03-10T08:00:00' } });
    expect(sent('patch').map(({ parameters }) => parameters['eventId'])).toEqual(['series', 'series_20270311T080000Z']);
  });

  it.each(FAILURES)('is a series that goes on otherwise when %s', async (_, error) => {
    const there = (id: string) => (id === 'series' ? series : instance(12));
    const { update, google } = blind(error, there);
    // What is left of the old series has to be seen.
    const { call } = google.connection;
    let reads = 0;
    google.connection.call = async (repeat, send) => {
      try {
        return await call(repeat, send);
      } catch (failure) {
        if (repeat !== 'read' || (reads += 1) > 1) throw failure;
        return { items: [] } as never;
      }
    };
    const { event: made } = await update('series_20270312T090000Z', { title: 'Rest' }, { scope: 'following' });
    expect(made).toMatchObject({ title: 'Rest', recurrence: ['RRULE:FREQ=DAILY;COUNT=3'] });
  });

  it.each(FAILURES)('is the event of a try whose answer was lost when %s', async (_, error) => {
    const { create, google, sent } = opened({
      insert: (_parameters, call) => {
        throw call === 0 ? fault(503) : fault(409, 'duplicate');
      },
      get: () => {
        throw error;
      },
    });
    google.connection.call = async (repeat, send) => {
      const again = () => send().then(({ data }) => data);
      return again().catch((failure: unknown) => {
        if (repeat === 'idempotent') return again();
        throw failure;
      });
    };
    const { event: made } = await create({ description: 'x' });
    expect(made).toMatchObject({ title: 'New', description: 'x', start: { local: '2027-03-10T09:00:00' } });
    expect(made.id).toBe((sent('insert')[0]?.parameters['requestBody'] as any).id);
  });

  it('is told by nobody when an earlier request made it', async () => {
    const { create } = opened({ insert: refuse(409, 'duplicate'), get: refuse(503) });
    await expect(create({}, { idempotencyKey: 'key' })).rejects.toMatchObject({ status: 503 });
  });

  it('is gone when Google says so', async () => {
    const there = (id: string) => (id === 'series' ? series : instance(11));
    const { update } = blind(fault(410, 'deleted'), there, [instance(11, { summary: 'Special' })]);
    await expect(update('series', { start: time('2027-03-10T08:00:00') })).rejects.toMatchObject({ code: 'NotFound' });
  });
});

describe('series', () => {
  const series = event('series', { recurrence: ['RRULE:FREQ=DAILY;COUNT=5'] });
  const cancelled = (day: number) => ({ ...instance(day), status: 'cancelled', start: undefined, end: undefined });
  const fixture = (exceptions: object[], script: Script = {}) =>
    opened({
      get: ({ eventId }) => (eventId === 'series' ? series : instance(Number((eventId as string).slice(13, 15)))),
      list: () => ({ items: [series, ...exceptions] }),
      patch: ({ eventId }) => event(eventId as string),
      insert: ({ requestBody }) => event((requestBody as { id: string }).id),
      delete: () => '',
      ...script,
    });

  it('does over what Google drops when a series moves: changed instances as far from their place, deleted ones', async () => {
    const changed = instance(11, {
      summary: 'Special',
      start: { dateTime: '2027-03-11T12:00:00Z', timeZone: 'Europe/Lisbon' },
      end: { dateTime: '2027-03-11T14:00:00Z', timeZone: 'Europe/Lisbon' },
    });
    let reads = 0;
    const { update, sent } = fixture([], {
      list: () => ({ items: (reads += 1) === 1 ? [series, changed, cancelled(12)] : [series] }),
    });
    await update('series', { start: time('2027-03-10T08:00:00') });
    expect(sent('patch').map(({ parameters }) => [parameters['eventId'], parameters['requestBody']])).toEqual([
      ['series', expect.objectContaining({ start: expect.anything() })],
      [
        'series_20270311T080000Z',
        {
          summary: 'Special',
          start: { dateTime: '2027-03-11T11:00:00Z', timeZone: 'Europe/Lisbon', date: null },
          end: { dateTime: '2027-03-11T13:00:00Z', timeZone: 'Europe/Lisbon', date: null },
        },
      ],
    ]);
    expect(sent('delete').map(({ parameters }) => parameters['eventId'])).toEqual(['series_20270312T080000Z']);
  });

  it('leaves alone what Google has kept', async () => {
    const { update, sent } = fixture([instance(11, { summary: 'Special' })]);
    await update('series', { recurrence: ['FREQ=DAILY;COUNT=4'] });
    expect(sent('patch')).toHaveLength(1);
  });

  it('asks for no exceptions when the times stay', async () => {
    const { update, sent } = fixture([]);
    await update('series', { title: 'x' });
    expect(sent('list')).toEqual([]);
  });

  it('refuses, before anything is written, what would lose instances', async () => {
    const many = Array.from({ length: 101 }, (_, at) => ({ ...instance(11), id: `series_x${at}` }));
    const { update, sent } = fixture(many);
    await expect(update('series', { start: time('2027-03-10T08:00:00') })).rejects.toMatchObject({ code: 'Conflict' });
    expect(sent('patch')).toEqual([]);
  });

  it('writes the new series before it ends the old one, under an id that a repeated request finds', async () => {
    const { update, google, body, sent } = fixture([]);
    await update('series_20270312T090000Z', { title: 'Rest' }, { scope: 'following' });
    await update('series_20270312T090000Z', { title: 'Rest' }, { scope: 'following' });
    expect(google.calls.map(({ method }) => method).filter((method) => method !== 'get' && method !== 'list')).toEqual([
      'insert',
      'patch',
      'insert',
      'patch',
    ]);
    expect(body('insert')).toMatchObject({
      summary: 'Rest',
      recurrence: ['RRULE:FREQ=DAILY;COUNT=3'],
      start: { dateTime: '2027-03-12T09:00:00Z' },
    });
    expect(body('insert', 1).id).toBe(body('insert').id);
    expect(sent('patch')[0]).toMatchObject({
      headers: { 'If-Match': '"series-1"' },
      parameters: { eventId: 'series', requestBody: { recurrence: ['RRULE:FREQ=DAILY;COUNT=2'] } },
    });
  });

  it('never takes the new series away when nobody knows whether the old one has ended', async () => {
    const { update, sent } = fixture([], { patch: refuse(503) });
    await expect(update('series_20270312T090000Z', {}, { scope: 'following' })).rejects.toMatchObject({ status: 503 });
    expect(sent('delete')).toEqual([]);
  });

  it.each([
    ['has ended after all', ['RRULE:FREQ=DAILY;UNTIL=20270311T090000Z'], 0],
    ['is no series any more', [], 0],
    ['goes on, changed by somebody else', ['RRULE:FREQ=DAILY;COUNT=9'], 1],
  ])(
    'F23 takes the new series away only when the old one still has its instances: it %s',
    async (_, recurrence, times) => {
      let isRejected = false;
      const { update, sent } = fixture([], {
        get: ({ eventId }) => {
          if (eventId === 'series')
            return event('series', { recurrence: isRejected ? recurrence : ['RRULE:FREQ=DAILY;COUNT=5'] });
          return eventId === 'series_20270312T090000Z' ? instance(12) : event(String(eventId));
        },
        patch: (_parameters, call) => {
          if (call > 0) return event('series');
          isRejected = true;
          throw fault(412);
        },
      });
      await update('series_20270312T090000Z', { title: 'Rest' }, { scope: 'following' });
      expect(sent('delete')).toHaveLength(times);
      expect(sent('insert')).toHaveLength(1 + times);
    },
  );

  it('takes later changed instances away that Google keeps beside a series that has ended', async () => {
    const { remove, sent } = fixture([instance(11), instance(13), cancelled(14)]);
    await remove('series_20270312T090000Z', { scope: 'following' });
    expect(sent('delete').map(({ parameters }) => parameters['eventId'])).toEqual(['series_20270313T090000Z']);
  });

  it('refuses to end a series at a date beside its rule', async () => {
    const extra = event('series', {
      recurrence: ['RRULE:FREQ=DAILY;COUNT=2', 'RDATE;TZID=Europe/Lisbon:20270320T090000'],
    });
    const { remove } = fixture([], { get: ({ eventId }) => (eventId === 'series' ? extra : instance(20)) });
    await expect(remove('series_20270320T090000Z', { scope: 'following' })).rejects.toMatchObject({
      details: [{ path: 'scope' }],
    });
  });

  it('deletes all through one instance, under the version of the series', async () => {
    const { remove, sent } = fixture([]);
    await remove('series_20270312T090000Z', { scope: 'all' });
    expect(sent('delete')).toMatchObject([
      { parameters: { eventId: 'series' }, headers: { 'If-Match': '"series-1"' } },
    ]);
  });

  it('says what is wrong with a rule that Google holds and nobody can read', async () => {
    const odd = event('series', { recurrence: ['RRULE:FREQ=LUNAR'] });
    const { remove } = fixture([], { get: ({ eventId }) => (eventId === 'series' ? odd : instance(12)) });
    await expect(remove('series_20270312T090000Z', { scope: 'following' })).rejects.toMatchObject({
      details: [{ path: 'recurrence' }],
    });
  });
});

describe('deleting', () => {
  it('asks for no event first, and finds nothing where nothing is', async () => {
    const { remove, google } = opened({ delete: () => undefined });
    await expect(remove('one1')).resolves.toEqual({ ignoredFields: [] });
    expect(google.calls.map(({ method }) => method)).toEqual(['delete']);
    for (const status of [404, 410]) {
      await expect(opened({ delete: refuse(status) }).remove('one1')).rejects.toMatchObject({ code: 'NotFound' });
    }
  });

  it('passes the version of the caller on', async () => {
    const { remove, sent } = opened({ delete: () => undefined });
    for (const ifMatch of ['"one-1"', 'W/"one-1"', 'one-1']) await remove('one1', { ifMatch });
    await remove('one1', { ifMatch: '*' });
    const versions = sent('delete').map(({ headers }) => headers['If-Match']);
    expect(versions).toEqual(['"one-1"', '"one-1"', '"one-1"', undefined]);
    const stale = opened({ delete: refuse(412) }).remove('one1', { ifMatch: '"one-1"' });
    await expect(stale).rejects.toMatchObject({ code: 'PreconditionFailed' });
  });

  it('of an instance takes what goes away meanwhile for deleted', async () => {
    const id = 'one_20270310T090000Z';
    const there = event(id, { recurringEventId: 'one' });
    await expect(opened({ get: () => there, delete: refuse(410, 'deleted') }).remove(id)).resolves.toEqual({
      ignoredFields: [],
    });
    const lost = opened({
      get: (_p, call) => (call === 0 ? there : { id, status: 'cancelled' }),
      delete: refuse(412),
    });
    await expect(lost.remove(id)).resolves.toEqual({ ignoredFields: [] });
  });

  it('passes on what Google refuses', async () => {
    await expect(
      opened({ get: () => event('one'), delete: refuse(403, 'forbidden') }).remove('one1'),
    ).rejects.toMatchObject({ status: 403 });
  });
});

describe('answering', () => {
  const invited = {
    organizer: { email: 'kim@partner.example' },
    attendees: [
      { email: 'kim@partner.example', organizer: true },
      { email: 'me@x', self: true },
    ],
  };

  it('says the own answer alone, whatever others answer at the same time', async () => {
    const { respond, sent } = opened({ get: () => event('one', invited), patch: () => event('one') });
    await respond('one1');
    expect(sent('patch')).toMatchObject([
      {
        headers: {},
        parameters: {
          sendUpdates: 'all',
          requestBody: { attendeesOmitted: true, attendees: [{ email: 'me@x', responseStatus: 'accepted' }] },
        },
      },
    ]);
  });

  it.each([
    ['who organises', event('one')],
    ['who is not invited', event('one', { organizer: { email: 'kim@partner.example' } })],
    ['who has no address there', event('one', { organizer: {}, attendees: [{ self: true }] })],
  ])('is not for %s', async (_name, there) => {
    const { respond, sent } = opened({ get: () => there });
    await expect(respond('one1')).rejects.toMatchObject({ code: 'ValidationFailed' });
    expect(sent('patch')).toEqual([]);
  });

  it('is too late for a cancelled event', async () => {
    await expect(
      opened({ get: () => ({ ...event('one', invited), status: 'cancelled' }) }).respond('one1'),
    ).rejects.toMatchObject({ code: 'NotFound' });
  });
});

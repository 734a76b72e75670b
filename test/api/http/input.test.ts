import { jest } from '@jest/globals';
import { startHttpApp, type Answer, type CallOptions, type HttpApp } from '../../support/http-app.js';

let http: HttpApp;
beforeAll(async () => {
  http = await startHttpApp({ bodyLimitBytes: 20_000 });
});
afterAll(() => http.close());

const EVENTS = '/api/v1/events/acc/cal';
const START = { dateTime: '2026-11-23T09:00:00', timeZone: 'Europe/Berlin' };
const EVENT = { title: 'Planning', start: START };

let create: jest.Mock;
let update: jest.Mock;
let list: jest.Mock;
beforeEach(() => {
  create = jest.fn(async () => ({ result: { id: 'e' }, ignoredFields: [] }));
  update = jest.fn(async () => ({ result: { id: 'e' }, ignoredFields: ['conferenceData'] }));
  list = jest.fn(async () => ({ data: [] }));
  Object.assign(http.fakes.events, { create, update, list, occurrences: list });
  http.fakes.accounts.list = jest.fn(async () => ({ data: [], nextPageToken: null }));
  http.fakes.accounts.upsert = jest.fn(async () => ({ id: 'a' }));
});

const post = (options: CallOptions): Promise<Answer> => http.call('POST', EVENTS, options);
const put = (body: unknown): Promise<Answer> => http.call('PUT', `${EVENTS}/e1`, { body });

function expectRejection(response: Answer, path: string, status = 400): void {
  expect({ status: response.status, code: response.body.code }).toEqual({ status, code: 'ValidationFailed' });
  expect((response.body.details as { path: string }[]).map((detail) => detail.path)).toContain(path);
}

describe('bodies', () => {
  it('reach the service as they were sent', async () => {
    const body = {
      ...EVENT,
      end: { dateTime: '2026-11-23T10:00:00', timeZone: 'Europe/Berlin' },
      attendees: [{ email: 'grace@example.com', responseStatus: 'accepted' }],
      recurrence: ['RRULE:FREQ=DAILY'],
      privateExtendedProperties: { toString: 'kept', 'a.b/c': '' },
      reminders: { useDefault: false, overrides: [{ method: 'popup', minutes: 5 }] },
      conferenceData: { joinUrl: 'https://meet.example/1', conferenceDetails: { entryPoints: [{ uri: 'x' }] } },
      colorId: '11',
    };
    const response = await post({ body });
    expect(response.status).toBe(200);
    expect(JSON.parse(JSON.stringify(create.mock.calls[0]?.[3]))).toEqual(body);
    expect(response.headers.get('x-ignored-fields')).toBeNull();
  });

  it('keep null apart from absence on update', async () => {
    expect((await put({ description: null, recurrence: null, attendees: null })).status).toBe(200);
    expect(JSON.parse(JSON.stringify(update.mock.calls[0]?.[4]))).toEqual({
      description: null,
      recurrence: null,
      attendees: null,
    });
  });

  it.each([
    ['up to four weeks after the start', { useDefault: false, overrides: [{ method: 'popup', minutes: -40_320 }] }],
    ['up to a year before it', { useDefault: false, overrides: [{ method: 'email', minutes: 525_600 }] }],
    ['of the event without a word on the calendar’s', { overrides: [{ method: 'popup', minutes: 15 }] }],
    ['switched off without a word on the calendar’s', { isReminderOn: false }],
    ['of which nothing is said', {}],
  ])('may have reminders %s', async (_, reminders) => {
    expect((await put({ reminders })).status).toBe(200);
    expect(JSON.parse(JSON.stringify(update.mock.calls[0]?.[4]))).toEqual({ reminders });
  });

  it.each([
    ['title', { title: null }],
    ['start', { start: null }],
    ['isAllDay', { isAllDay: null }],
    ['title', { title: 7 }],
    ['start', { start: 'tomorrow' }],
    ['start.dateTime', { start: { dateTime: 5 } }],
    ['start.zone', { start: { dateTime: '2026-01-01', zone: 'x' } }],
    ['attendees.0.email', { attendees: [{ email: 'no address' }] }],
    [
      'attendees.1.responseStatus',
      { attendees: [{ email: 'a@b.example' }, { email: 'a@b.example', responseStatus: 'maybe' }] },
    ],
    ['attendees', { attendees: 'everybody' }],
    ['visibility', { visibility: 'secret' }],
    ['colorId', { colorId: '12' }],
    ['customColor', { customColor: 'red' }],
    ['publicExtendedProperties', { publicExtendedProperties: { a: 1 } }],
    ['publicExtendedProperties', { publicExtendedProperties: ['a'] }],
    ['recurrence', { recurrence: [1] }],
    [
      'reminders.overrides.0.minutes',
      { reminders: { useDefault: false, overrides: [{ method: 'popup', minutes: -40_321 }] } },
    ],
    [
      'reminders.overrides.0.minutes',
      { reminders: { useDefault: false, overrides: [{ method: 'popup', minutes: 525_601 }] } },
    ],
    ['reminders.useDefault', { reminders: { useDefault: null } }],
    ['reminders.isReminderOn', { reminders: { isReminderOn: null } }],
    ['subject', { subject: 'unknown' }],
  ])('are refused naming %s: %j', async (path, body) => {
    expectRejection(await put(body), path);
    expect(update).not.toHaveBeenCalled();
  });

  it('list every problem at once', async () => {
    const { body } = await post({ body: { start: {}, colorId: 'x', unknown: 1 } });
    expect(body.details.map((detail: { path: string }) => detail.path).sort()).toEqual(['colorId', 'title', 'unknown']);
    expect(body.details.find((detail: { path: string }) => detail.path === 'unknown')).toEqual({
      path: 'unknown',
      message: 'is not a known field',
    });
  });

  it.each([
    ['nothing', undefined],
    ['broken JSON', '{"title":'],
    ['an array', '[]'],
    ['a string', '"x"'],
    ['null', 'null'],
    ['no UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d])],
  ])('are refused when they are %s', async (_, raw) => {
    const response = await post({ raw });
    expectRejection(response, '');
    expect(JSON.stringify(response.body)).not.toMatch(/position|token|Unexpected/);
  });

  it.each([
    [{}, ['startDateTime', 'endDateTime', 'calendarIds', 'timeZone'], 'is required'],
    [
      { startDateTime: 1, endDateTime: true, timeZone: {} },
      ['startDateTime', 'endDateTime', 'timeZone'],
      'must be a string',
    ],
    [{ startDateTime: null }, ['startDateTime'], 'must be a string'],
    [{ calendarIds: 'primary' }, ['calendarIds'], 'must be an array'],
  ])('say what is missing or of another type: %j', async (body, fields, message) => {
    const response = await http.call('POST', '/api/v1/freeBusy/acc', { body });
    const details = response.body.details as { path: string; message: string }[];
    expect(details.filter(({ path }) => fields.includes(path))).toHaveLength(fields.length);
    for (const path of fields) expect(details).toContainEqual({ path, message });
  });

  it('say that a number is none', async () => {
    const response = await http.call('PATCH', '/api/v1/webhookEndpoints/endpoint', { body: { rateLimit: '5' } });
    expect(response.body.details).toEqual([{ path: 'rateLimit', message: 'must be a number' }]);
  });

  it.each([
    ['attendees', {}, 'must be an array'],
    ['start', [null], 'must be an object'],
    ['attendees', [5], 'must be an object', 'attendees.0'],
  ])('say that %s is of another type: %j', async (name, value, message, path = name) => {
    const response = await post({ body: { ...EVENT, [name]: value } });
    expect(response.body.details).toContainEqual({ path, message });
  });

  it('N14 are refused when too large, announced or not', async () => {
    const text = JSON.stringify({ ...EVENT, description: 'x'.repeat(30_000) });
    expect(await post({ raw: text })).toMatchObject({ status: 413, body: { code: 'PayloadTooLarge' } });
    const chunked = await globalThis.fetch(http.base + EVENTS, {
      method: 'POST',
      headers: { 'x-api-key': 'uck_live', 'content-type': 'application/json' },
      body: new Blob([text]).stream(),
      duplex: 'half',
    });
    expect(chunked.status).toBe(413);
    expect(chunked.headers.get('x-request-id')).not.toBeNull();
  });

  it('N14 are refused when nested ten thousand deep', async () => {
    expectRejection(await post({ raw: `{"title":${'['.repeat(9_000)}${']'.repeat(9_000)}}` }), '');
  });

  it('N21 are refused with 415 when they are not JSON', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=latin1', '']) {
      const response = await post({ raw: 'title=x', headers: { 'content-type': type } });
      expect([type, response.status, response.body.code]).toEqual([type, 415, 'ValidationFailed']);
    }
    const encoded = await post({ raw: '{}', headers: { 'content-encoding': 'rot13' } });
    expect(encoded.status).toBe(415);
  });

  it('N12 cannot reach a prototype', async () => {
    for (const raw of [
      '{"__proto__":{"polluted":true},"title":"x","start":{}}',
      '{"title":"x","start":{},"publicExtendedProperties":{"__proto__":{"polluted":"yes"}}}',
      '{"title":"x","start":{"__proto__":{"polluted":"yes"}}}',
      '{"title":"x","start":{},"constructor":{"prototype":{"polluted":true}}}',
      '{"title":"x","start":{},"publicExtendedProperties":{"constructor":"x"}}',
    ]) {
      expect((await post({ raw })).status).toBe(400);
    }
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it('N13 are refused with NUL or half of a surrogate pair', async () => {
    expectRejection(await post({ body: { ...EVENT, location: 'a\u0000b' } }), 'location');
    expectRejection(await post({ raw: '{"title":"\\ud800","start":{}}' }), 'title');
    expectRejection(
      await post({ raw: '{"title":"x","start":{},"publicExtendedProperties":{"\\u0000":"x"}}' }),
      'publicExtendedProperties',
    );
  });
});

describe('read-only fields', () => {
  it('N11 are not applied, and are named', async () => {
    const read = {
      id: 'x',
      etag: '1',
      createdAt: 'x',
      iCalUid: 'u',
      organizer: { email: 'o@x.example' },
      isRecurring: false,
    };
    const response = await post({ body: { ...EVENT, ...read, attendees: [{ id: '7', email: 'g@example.com' }] } });
    expect(response.status).toBe(200);
    expect(JSON.parse(JSON.stringify(create.mock.calls[0]?.[3]))).toEqual({
      ...EVENT,
      attendees: [{ email: 'g@example.com' }],
    });
    expect(response.headers.get('x-ignored-fields')?.split(', ').sort()).toEqual(
      ['attendees.id', 'createdAt', 'etag', 'iCalUid', 'id', 'isRecurring', 'organizer'].sort(),
    );
  });

  it('are named together with what the provider could not hold', async () => {
    const response = await put({ title: 'x', id: 'y' });
    expect(response.headers.get('x-ignored-fields')).toBe('id, conferenceData');
  });

  it('N11 of accounts are not applied', async () => {
    const response = await http.call('POST', '/api/v1/endUserAccounts', {
      body: { email: 'ada', providerType: 'CALDAV', status: 'ACTIVE', applicationId: 'other', authorizedScopes: ['x'] },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('x-ignored-fields')?.split(', ').sort()).toEqual([
      'applicationId',
      'authorizedScopes',
      'status',
    ]);
    expect((http.fakes.accounts.upsert as jest.Mock).mock.calls[0]?.[1]).toEqual({
      email: 'ada',
      providerType: 'CALDAV',
    });
  });
});

describe('queries', () => {
  const query = (text: string): Promise<Answer> => http.call('GET', `${EVENTS}?${text}`);

  it('are read by type', async () => {
    const filters = encodeURIComponent('{"project":"apollo"}');
    const response = await query(
      `pageSize=7&expandRecurrences=true&isAllDay=false&startDateTime=2026-01-01T00%3A00%3A00.000Z&metadataFilters=${filters}&search=a%2Bb+c`,
    );
    expect(response.status).toBe(200);
    expect(JSON.parse(JSON.stringify(list.mock.calls[0]?.[3]))).toEqual({
      pageSize: 7,
      expandRecurrences: true,
      isAllDay: false,
      startDateTime: '2026-01-01T00:00:00.000Z',
      metadataFilters: '{"project":"apollo"}',
      search: 'a+b c',
    });
  });

  it('of occurrences are read by type, expansion and a token beside the window included', async () => {
    const response = await http.call(
      'GET',
      `${EVENTS}/e1/occurrences?pageSize=7&expandRecurrences=true&isAllDay=false&syncToken=s&timeZone=UTC` +
        '&startDateTime=2026-01-01&endDateTime=2026-02-01&orderBy=startDateTime&search=a',
    );
    expect(response.status).toBe(200);
    expect(JSON.parse(JSON.stringify(list.mock.calls[0]?.[4]))).toEqual({
      pageSize: 7,
      expandRecurrences: true,
      isAllDay: false,
      syncToken: 's',
      timeZone: 'UTC',
      startDateTime: '2026-01-01',
      endDateTime: '2026-02-01',
      orderBy: 'startDateTime',
      search: 'a',
    });
  });

  it.each([
    ['', 'expandRecurrences=1', 'expandRecurrences'],
    ['', 'orderBy=title', 'orderBy'],
    ['', 'colour=red', 'colour'],
    ['N15', 'pageSize=0', 'pageSize'],
    ['N17', `startDateTime=${'x'.repeat(65)}`, 'startDateTime'],
    ['N17', `timeZone=${'x'.repeat(256)}`, 'timeZone'],
  ])('%s of occurrences refuse %s', async (_, text, path) => {
    expectRejection(await http.call('GET', `${EVENTS}/e1/occurrences?${text}`), path);
    expect(list).not.toHaveBeenCalled();
  });

  it.each([
    ['5000', 1_000],
    ['999999999999999999999', 1_000],
    ['1', 1],
  ])('N15 take pageSize %s as %i', async (pageSize, expected) => {
    await query(`pageSize=${pageSize}`);
    expect((list.mock.calls[0]?.[3] as { pageSize: number }).pageSize).toBe(expected);
  });

  it.each(['0', '-1', '1e9', 'NaN', '1.5', '', '%201'])('N15 refuse pageSize "%s"', async (pageSize) => {
    expectRejection(await query(`pageSize=${pageSize}`), 'pageSize');
    expectRejection(await http.call('GET', `/api/v1/endUserAccounts?limit=${pageSize}`), 'limit');
  });

  it.each([
    ['N13', 'search=a&search=b', 'search'],
    ['N13', 'search[$ne]=1', 'search[$ne]'],
    ['N13', 'search=a%00b', 'search'],
    ['N13', 'search=%ED%A0%80', ''],
    ['N13', '__proto__=1', '__proto__'],
    ['', 'colour=red', 'colour'],
    ['', 'expandRecurrences=1', 'expandRecurrences'],
    ['', 'orderBy=title', 'orderBy'],
    ['N17', `timeZone=${'x'.repeat(10_000)}`, 'timeZone'],
  ])('%s refuse %s', async (_, text, path) => {
    expectRejection(await query(text), path);
    expect(list).not.toHaveBeenCalled();
  });

  it('say that a parameter is unknown', async () => {
    expect((await query('colour=red')).body.details).toEqual([{ path: 'colour', message: 'is not a known parameter' }]);
    expect((await http.call('GET', '/api/v1/endUserAccounts/a?x=1')).body.details).toEqual([
      { path: 'x', message: 'is not a known parameter' },
    ]);
  });

  it('N13 refuse NUL in a path', async () => {
    expectRejection(await http.call('GET', '/api/v1/events/a%00b/cal'), 'endUserAccountId');
  });

  it('N19 hand ids on decoded once', async () => {
    await http.call('GET', `/api/v1/events/acc/${encodeURIComponent('../x?y#z%2f')}`);
    expect(list.mock.calls[0]?.[2]).toBe('../x?y#z%2f');
  });

  it('understand pageSize as another name of limit', async () => {
    await http.call('GET', '/api/v1/endUserAccounts?pageSize=3&statusFilter=expired&search=Ada');
    expect((http.fakes.accounts.list as jest.Mock).mock.calls[0]?.[1]).toEqual({
      limit: 3,
      statusFilter: 'expired',
      search: 'Ada',
    });
  });
});

describe('edit options', () => {
  it('reach the service', async () => {
    await http.call('PUT', `${EVENTS}/e1?scope=following&notifyParticipants=none&timeZone=UTC`, {
      body: { title: 'x' },
      headers: { 'if-match': '"v1"' },
    });
    expect(update.mock.calls[0]?.[5]).toEqual({
      scope: 'following',
      notifyParticipants: 'none',
      timeZone: 'UTC',
      ifMatch: '"v1"',
    });
  });

  it('take If-Match: * for no condition, and refuse an unknown scope', async () => {
    await http.call('PUT', `${EVENTS}/e1`, { body: { title: 'x' }, headers: { 'if-match': '*' } });
    expect((update.mock.calls[0]?.[5] as { ifMatch?: string }).ifMatch).toBeUndefined();
    expectRejection(await http.call('PUT', `${EVENTS}/e1?scope=some`, { body: { title: 'x' } }), 'scope');
  });
});

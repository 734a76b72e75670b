import { jest } from '@jest/globals';
import { createClient, signInUrl } from './client.js';
import {
  AccountExpiredError,
  AuthenticationError,
  ConflictError,
  NotFoundError,
  ProviderError,
  RateLimitedError,
  SyncTokenExpired,
  UnifiedCalendarError,
  UnifiedCalendarNetworkError,
  ValidationError,
} from './errors.js';
import type { ClientOptions, TryRecord } from './call.js';

type Send = NonNullable<ClientOptions['fetch']>;

const CALENDAR = { endUserAccountId: 'a/1', calendarId: 'ada@example.com' };
const EVENT = { title: 'Planning', start: { dateTime: '2033-03-01T09:00:00Z' } };

function json(status: number, body: unknown, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers });
}

function refusal(status: number, code: string, headers: Record<string, string> = {}, more: object = {}): Response {
  return json(status, { error: code, code, message: `It is ${code}.`, requestId: 'r-1', ...more }, headers);
}

/** A client whose requests are answered one after the other; the last answer stays. */
function clientOf(answers: (Response | Error)[], options: Partial<ClientOptions> = {}) {
  let count = 0;
  const send = jest.fn<Send>(async () => {
    const answer = answers[Math.min(count, answers.length - 1)];
    count += 1;
    if (answer instanceof Error) throw answer;
    return answer!.clone();
  });
  const client = createClient({
    baseUrl: 'https://calendar.test/',
    apiKey: 'uck_1',
    fetch: send,
    retries: 0,
    ...options,
  });
  const sent = (index = 0) => {
    const [url, init] = send.mock.calls[index]!;
    return { url, ...init, headers: init.headers as Record<string, string> };
  };
  return { client, send, sent };
}

async function failureOf(work: Promise<unknown>): Promise<any> {
  return work.then(
    () => Promise.reject(new Error('nothing was refused')),
    (failure: unknown) => failure,
  );
}

describe('a request', () => {
  it('has the key, encodes ids, leaves out what is undefined', async () => {
    const { client, sent } = clientOf([json(200, { data: [] })]);
    await client.events.list({ ...CALENDAR, search: 'a b&c', expandRecurrences: true, pageToken: undefined });
    const { url, method, body, headers, redirect } = sent();
    expect(url).toBe(
      'https://calendar.test/api/v1/events/a%2F1/ada%40example.com?search=a+b%26c&expandRecurrences=true',
    );
    expect({ method, body, headers }).toEqual({
      method: 'GET',
      body: undefined,
      headers: { accept: 'application/json', 'x-api-key': 'uck_1' },
    });
    expect(redirect).toBe('manual');
  });

  it('has a JSON body and the headers that its options stand for', async () => {
    const { client, sent } = clientOf([json(200, { id: 'e' })]);
    await client.events.create({ ...CALENDAR, notifyParticipants: 'none' }, EVENT, { idempotencyKey: 'k' });
    await client.events.update({ ...CALENDAR, eventId: 'e' }, { title: 'x' }, { ifMatch: '"1"', requestId: 'mine' });
    expect(sent(0)).toMatchObject({ method: 'POST', body: JSON.stringify(EVENT), headers: { 'idempotency-key': 'k' } });
    expect(sent(0).headers['content-type']).toBe('application/json');
    expect(sent(1).headers).toMatchObject({ 'if-match': '"1"', 'x-request-id': 'mine' });
  });

  it.each(['', '.', '..'])('is not made for the id "%s", which would lead elsewhere', async (calendarId) => {
    const { client, send } = clientOf([json(200, {})]);
    await expect(client.calendars.get({ endUserAccountId: 'a', calendarId })).rejects.toBeInstanceOf(TypeError);
    expect(send).not.toHaveBeenCalled();
  });

  it('shows the answer to whoever wants its headers', async () => {
    const { client } = clientOf([json(200, { id: 'e' }, { 'x-ignored-fields': 'id' })]);
    const ignored: (string | null)[] = [];
    await client.events.create(CALENDAR, EVENT, {
      onResponse: ({ headers }) => ignored.push(headers.get('x-ignored-fields')),
    });
    expect(ignored).toEqual(['id']);
  });
});

describe('an error of the service', () => {
  it('is typed: status, code, message, request, details, provider, time to wait', async () => {
    const more = {
      details: [{ path: 'start', message: 'is required' }],
      provider: { status: 503, code: null, message: 'Down', retryable: true },
    };
    const { client } = clientOf([refusal(400, 'ValidationFailed', { 'retry-after': '7' }, more)]);
    const error = await failureOf(client.events.create(CALENDAR, EVENT));
    expect(error).toBeInstanceOf(UnifiedCalendarError);
    expect(error).not.toBeInstanceOf(SyncTokenExpired);
    expect({ ...error, message: error.message }).toEqual({
      ...{ name: 'ValidationError', status: 400, code: 'ValidationFailed', message: 'It is ValidationFailed.' },
      ...{ requestId: 'r-1', retryAfterSeconds: 7 },
      ...more,
    });
  });

  it('has a type of its own when the sync token is too old', async () => {
    const { client } = clientOf([refusal(410, 'SyncTokenExpired')]);
    const error = await failureOf(client.events.list({ ...CALENDAR, syncToken: 'old' }));
    expect(error).toBeInstanceOf(SyncTokenExpired);
    expect(error).toBeInstanceOf(UnifiedCalendarError);
    expect(error.name).toBe('SyncTokenExpired');
  });

  it.each([
    [502, '<html>Bad gateway</html>'],
    [500, '{"message":"no code"}'],
    [307, ''],
    [200, '<html>A portal</html>'],
    [200, 'null'],
    [200, '"OK"'],
  ])('says so when %s %s is no answer of the service', async (status, body) => {
    const { client } = clientOf([new Response(body, { status, headers: { 'x-request-id': 'proxy-1' } })]);
    const error = await failureOf(client.endUserAccounts.list());
    expect(error).toMatchObject({ status, code: 'UnexpectedAnswer', requestId: 'proxy-1', retryAfterSeconds: null });
    expect(error.message).toContain(body);
  });

  it('understands a Retry-After that is a date', async () => {
    const date = new Date(Date.now() + 30_000).toUTCString();
    const { client } = clientOf([refusal(429, 'RateLimited', { 'retry-after': date })]);
    const { retryAfterSeconds } = await failureOf(client.endUserAccounts.list());
    expect(retryAfterSeconds).toBeGreaterThan(25);
    expect(retryAfterSeconds).toBeLessThanOrEqual(30);
  });
});

describe('without an answer', () => {
  it('the failure is one of the network, with its cause', async () => {
    const cause = new TypeError('fetch failed');
    const { client } = clientOf([cause]);
    const error = await failureOf(client.events.list({ ...CALENDAR, search: 'secret' }));
    expect(error).toBeInstanceOf(UnifiedCalendarNetworkError);
    expect(error).not.toBeInstanceOf(UnifiedCalendarError);
    expect(error.cause).toBe(cause);
    expect(error.message).not.toContain('secret');
  });

  it('so is one that breaks off, and one that takes too long', async () => {
    const broken = new Response(new ReadableStream({ start: (body) => body.error(new TypeError('terminated')) }));
    const send: Send = async () => broken;
    const cut = createClient({ baseUrl: 'https://calendar.test', apiKey: 'k', fetch: send });
    expect(await failureOf(cut.endUserAccounts.list())).toBeInstanceOf(UnifiedCalendarNetworkError);

    const slow = createClient({ baseUrl: 'https://calendar.test', apiKey: 'k', fetch: never, timeoutMs: 20 });
    const error = await failureOf(slow.endUserAccounts.list());
    expect(error).toBeInstanceOf(UnifiedCalendarNetworkError);
    expect(error.message).toContain('no answer within 20 ms');
    expect((await failureOf(slow.endUserAccounts.list({}, { timeoutMs: undefined }))).message).toContain('20 ms');
  });

  it('because of the caller, it is what the caller gave as the reason', async () => {
    const client = createClient({ baseUrl: 'https://calendar.test', apiKey: 'k', fetch: never, retries: 3 });
    const reason = new Error('enough');
    const controller = new AbortController();
    const failure = failureOf(client.endUserAccounts.list({}, { signal: controller.signal }));
    controller.abort(reason);
    expect(await failure).toBe(reason);
  });

  /** Answers when it is aborted. */
  const never: Send = (_url, { signal }) =>
    new Promise((_resolve, reject) => signal!.addEventListener('abort', () => reject(signal!.reason as Error)));
});

describe('an error', () => {
  it.each([
    [ValidationError, 'ValidationFailed', 400],
    [AuthenticationError, 'InvalidApiKey', 401],
    [NotFoundError, 'NotFound', 404],
    [AccountExpiredError, 'EndUserAccountExpired', 403],
    [ConflictError, 'PreconditionFailed', 412],
    [RateLimitedError, 'RateLimited', 429],
    [RateLimitedError, 'ProviderRateLimited', 429],
    [ProviderError, 'ProviderTimeout', 504],
    [SyncTokenExpired, 'SyncTokenExpired', 410],
  ])('is a %p for %s', async (type, code, status) => {
    const { client } = clientOf([refusal(status, code)]);
    const error = await failureOf(client.endUserAccounts.list());
    expect(error).toBeInstanceOf(type);
    expect(error).toBeInstanceOf(UnifiedCalendarError);
    expect(error).toMatchObject({ name: type.name, code, status });
  });

  it.each(['OfALaterVersion', 'toString', '__proto__'])('has the base class for the code %s', async (code) => {
    const { client } = clientOf([refusal(418, code)]);
    const error = await failureOf(client.endUserAccounts.list());
    expect(error.constructor).toBe(UnifiedCalendarError);
    expect(error.code).toBe(code);
  });
});

describe('retries', () => {
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'] }));
  afterEach(() => jest.useRealTimers());

  const settled = async <T>(work: Promise<T>): Promise<T> => {
    const outcome = work.then(
      (value) => ({ value }),
      (failure: unknown) => ({ failure }),
    );
    await jest.advanceTimersByTimeAsync(300_000);
    const done = await outcome;
    if ('failure' in done) throw done.failure as Error;
    return done.value;
  };

  it('are two unless told otherwise, and none when told so', async () => {
    const { client, send, sent } = clientOf([new TypeError('reset')], { retries: undefined });
    const created = settled(client.events.create(CALENDAR, EVENT));
    await expect(created).rejects.toBeInstanceOf(UnifiedCalendarNetworkError);
    expect(send).toHaveBeenCalledTimes(3);
    const keys = [0, 1, 2].map((index) => sent(index).headers['idempotency-key']);
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
    const none = clientOf([refusal(503, 'Overloaded'), json(200, { data: [] })], { retries: 0 });
    await expect(settled(none.client.endUserAccounts.list())).rejects.toMatchObject({ status: 503 });
    expect(none.send).toHaveBeenCalledTimes(1);
  });

  it('repeat a read until it is answered, at most so often', async () => {
    const failing = [new TypeError('reset'), refusal(429, 'RateLimited', { 'retry-after': '1' })];
    const { client, send } = clientOf([...failing, json(200, { data: [] })], { retries: 2 });
    expect(await settled(client.endUserAccounts.list())).toEqual({ data: [] });
    expect(send).toHaveBeenCalledTimes(3);
    const other = clientOf([...failing, json(200, { data: [] })], { retries: 1 });
    await expect(settled(other.client.endUserAccounts.list())).rejects.toMatchObject({ code: 'RateLimited' });
  });

  it('repeat a POST under one key, which the client makes', async () => {
    const lost = new TypeError('the answer was lost');
    const running = refusal(409, 'Conflict', { 'retry-after': '1' });
    const { client, send, sent } = clientOf([lost, running, json(200, { id: 'e' })], { retries: 3 });
    expect(await settled(client.events.create(CALENDAR, EVENT))).toEqual({ id: 'e' });
    const keys = send.mock.calls.map((_, index) => sent(index).headers['idempotency-key']);
    expect(keys).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), keys[0], keys[0]]);
    await settled(client.events.create(CALENDAR, EVENT));
    expect(sent(3).headers['idempotency-key']).not.toBe(keys[0]);
  });

  it.each(['update', 'delete'] as const)('never repeat %s', async (name) => {
    const { client, send } = clientOf([new TypeError('reset')], { retries: 3 });
    const event = { ...CALENDAR, eventId: 'e' };
    const made = { update: () => client.events.update(event, {}), delete: () => client.events.delete(event) };
    await expect(settled<unknown>(made[name]())).rejects.toBeInstanceOf(UnifiedCalendarNetworkError);
    expect(send).toHaveBeenCalledTimes(1);
  });

  it('stop while they wait, when the caller has had enough', async () => {
    const { client, send } = clientOf([refusal(503, 'Overloaded', { 'retry-after': '50' })], { retries: 3 });
    const controller = new AbortController();
    const failure = failureOf(client.endUserAccounts.list({}, { signal: controller.signal }));
    await jest.advanceTimersByTimeAsync(1_000);
    controller.abort(new Error('enough'));
    expect((await failure).message).toBe('enough');
    expect(send).toHaveBeenCalledTimes(1);
  });
});

describe('signInUrl', () => {
  it('leads to the provider, with what the application wants back', () => {
    const parts = { applicationId: 'app', provider: 'google', state: 'a=b', loginHint: undefined } as const;
    expect(signInUrl('http://localhost:3000/', parts)).toBe(
      'http://localhost:3000/api/v1/oauth/authorize/app/google?state=a%3Db',
    );
  });
});

describe('a logger', () => {
  const at = { ...CALENDAR, eventId: 'e' };

  it('gets a record of each try, without the key and the query', async () => {
    const records: TryRecord[] = [];
    const { client } = clientOf(
      [
        new TypeError('reset'),
        refusal(503, 'ServiceUnavailable', { 'retry-after': '0', 'x-request-id': 'r-2' }),
        json(200, { id: 'e' }, { 'x-request-id': 'r-3' }),
      ],
      { retries: 2, logger: (record) => records.push(record) },
    );
    await client.events.get({ ...at, timeZone: 'Europe/Berlin' });
    const url = 'https://calendar.test/api/v1/events/a%2F1/ada%40example.com/e';
    const common = { operation: 'getEvent', method: 'GET', url, durationMs: expect.any(Number) };
    expect(records).toEqual([
      {
        ...{ ...common, attempt: 1, status: null, requestId: null, retryInMs: expect.any(Number) },
        error: expect.any(UnifiedCalendarNetworkError),
      },
      {
        ...{ ...common, attempt: 2, status: 503, requestId: 'r-2', retryInMs: expect.any(Number) },
        error: expect.any(UnifiedCalendarError),
      },
      { ...common, attempt: 3, status: 200, requestId: 'r-3', retryInMs: null },
    ]);
    expect(JSON.stringify(records)).not.toContain('uck_1');
  });

  it('is told of the last failure that there is no other try, and cannot break a request', async () => {
    const records: TryRecord[] = [];
    const { client } = clientOf([refusal(404, 'NotFound'), json(200, { id: 'e' })], {
      logger: (record) => {
        records.push(record);
        throw new Error('the disk is full');
      },
    });
    expect(await failureOf(client.events.get(at))).toBeInstanceOf(NotFoundError);
    expect(await client.events.get(at)).toEqual({ id: 'e' });
    expect(records.map(({ status, retryInMs }) => [status, retryInMs])).toEqual([
      [404, null],
      [200, null],
    ]);
  });
});

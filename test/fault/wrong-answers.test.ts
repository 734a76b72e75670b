import type { FaultAction } from '../../apps/sandbox/src/faults/fault.js';
import { startGoogleService, type GoogleService } from '../support/google-service.js';
import { eventually } from '../support/processes.js';

const ADA = 'ada@example.test';
const BOB = 'bob@example.test';
/** Tries of one call. */
const TRIES = 3;

let google: GoogleService;
let ada: string;
let bob: string;

beforeAll(async () => {
  google = await startGoogleService({ PROVIDER_TIMEOUT_MS: '3000' });
  ({ accountId: ada } = await google.connected(ADA));
  ({ accountId: bob } = await google.connected(BOB));
}, 120_000);

beforeEach(async () => {
  // One good answer: what failed before is no part of a row of failures any more.
  await eventually('Google answers', async () => ((await calendarsOf(ada)).status === 200 ? true : undefined));
  await google.sandbox.clearRequests();
});

afterEach(async () => {
  await google.sandbox.clearFaults();
  await google.sandbox.expectNoViolations();
  expect([await statusOf(ada), await statusOf(bob)]).toEqual(['ACTIVE', 'ACTIVE']);
});

afterAll(() => google?.stop());

const calendarsOf = (accountId: string) => google.service.call('GET', `/v1/calendars/${accountId}`);
const statusOf = async (accountId: string) =>
  (await google.service.call('GET', `/v1/endUserAccounts/${accountId}`)).body.status;
const apiCalls = async (email = ADA) =>
  (await google.sandbox.requests({ kind: 'api' })).filter(({ user }) => user === email).length;
const retryAfter = ({ headers }: { headers: Headers }) => Number(headers.get('retry-after'));
const fault = (action: FaultAction, times?: number) =>
  google.sandbox.fault({ kind: 'api', email: ADA }, action, { times });
const event = (title: string) => ({
  title,
  start: { dateTime: '2027-02-01T09:00:00Z' },
  end: { dateTime: '2027-02-01T10:00:00Z' },
});

describe('F24 Google asks to slow down', () => {
  const inSomeSeconds = (seconds: number) => new Date(Date.now() + seconds * 1_000).toUTCString();
  const limited = (status: number, reason: string, hint?: string): FaultAction => ({
    type: 'status',
    status,
    reason,
    ...(hint !== undefined && { headers: { 'retry-after': hint } }),
  });

  it.each([
    ['429', 429, 'rateLimitExceeded'],
    ['403 rateLimitExceeded', 403, 'rateLimitExceeded'],
    ['403 userRateLimitExceeded', 403, 'userRateLimitExceeded'],
  ])('%s without a hint: tried again some times, then told, while others are served', async (_, status, reason) => {
    await fault(limited(status, reason));
    const [answer, other] = await Promise.all([calendarsOf(ada), calendarsOf(bob)]);
    expect([answer.status, answer.body.code, retryAfter(answer)]).toEqual([429, 'ProviderRateLimited', 10]);
    expect(answer.body.provider).toMatchObject({ status, code: reason, retryable: true });
    expect(other.status).toBe(200);
    const calls = await apiCalls();
    expect(calls).toBeGreaterThan(1);
    expect(calls).toBeLessThanOrEqual(TRIES);
  });

  it.each<[string, string | (() => string), number, number]>([
    ['seconds', '77', 77, 77],
    ['a date', () => inSomeSeconds(300), 290, 300],
    ['more than anybody would wait', '999999999', 3_600, 3_600],
    ['a date in years', 'Fri, 31 Dec 2100 23:59:59 GMT', 3_600, 3_600],
  ])('a hint too far off is passed on, and the call not repeated: %s', async (_, hint, least, most) => {
    await fault(limited(429, 'rateLimitExceeded', typeof hint === 'string' ? hint : hint()));
    const answer = await calendarsOf(ada);
    expect([answer.status, answer.body.code]).toEqual([429, 'ProviderRateLimited']);
    expect(retryAfter(answer)).toBeGreaterThanOrEqual(least);
    expect(retryAfter(answer)).toBeLessThanOrEqual(most);
    expect(await apiCalls()).toBe(1);
  });

  it.each(['-5', 'Fri, 99 Foo 2026'])('a hint that is none, %s, counts as none', async (hint) => {
    await fault(limited(429, 'rateLimitExceeded', hint));
    const answer = await calendarsOf(ada);
    expect([answer.status, retryAfter(answer)]).toEqual([429, 10]);
  });

  it('a short hint is waited out, for writes too, and nothing is done twice', async () => {
    const insert = { methodId: 'calendar.events.insert' };
    await google.sandbox.fault(insert, limited(429, 'rateLimitExceeded', '1'), { times: 1 });
    const beganAt = performance.now();
    const answer = await google.service.call('POST', `/v1/events/${ada}/${ADA}`, { body: event('Waited') });
    expect(answer.status).toBe(200);
    expect(performance.now() - beganAt).toBeGreaterThanOrEqual(990);
    expect((await google.sandbox.requests(insert)).map(({ status }) => status)).toEqual([429, 200]);
  });

  it('a usage limit lasts for hours: told at once, not repeated', async () => {
    await fault(limited(403, 'quotaExceeded'));
    const answer = await calendarsOf(ada);
    expect([answer.status, answer.body.code, retryAfter(answer)]).toEqual([429, 'ProviderRateLimited', 3_600]);
    expect(await apiCalls()).toBe(1);
    expect((await calendarsOf(bob)).status).toBe(200);
  });

  it.each(['dailyLimitExceeded', 'accessNotConfigured'])(
    "%s is about the operator's project: 502, not repeated",
    async (reason) => {
      await fault(limited(403, reason));
      const answer = await calendarsOf(ada);
      expect([answer.status, answer.body.code]).toEqual([502, 'ProviderUnavailable']);
      expect(answer.body.provider).toMatchObject({ status: 403, code: reason, retryable: false });
      expect(await apiCalls()).toBe(1);
    },
  );
});

describe('F25 Google answers with nonsense', () => {
  const passing: [string, FaultAction][] = [
    ['500', { type: 'status', status: 500, reason: 'backendError' }],
    ['503', { type: 'status', status: 503, body: 'busy' }],
    ["a proxy's page", { type: 'html' }],
    ['half of an answer', { type: 'truncate' }],
    ['bytes that are no JSON', { type: 'garbage' }],
  ];

  it.each(passing)('%s: repeated twice at most, told as 502, and over when it is over', async (_, action) => {
    await fault(action);
    const answer = await calendarsOf(ada);
    expect([answer.status, answer.body.code]).toEqual([502, 'ProviderUnavailable']);
    expect(await apiCalls()).toBeLessThanOrEqual(TRIES);
    await google.sandbox.clearFaults();
    expect((await calendarsOf(ada)).status).toBe(200);
  });

  it.each(passing)('%s: what cannot be undone is never repeated', async (_, action) => {
    const insert = { methodId: 'calendar.calendars.insert' };
    await google.sandbox.fault(insert, action);
    const answer = await google.service.call('POST', `/v1/calendars/${ada}`, { body: { name: 'Never' } });
    expect([answer.status, answer.body.code]).toEqual([502, 'ProviderUnavailable']);
    expect(await google.sandbox.requests(insert)).toHaveLength(1);
  });

  const lists: [string, unknown][] = [
    ['nothing', null],
    ['a list', []],
    ['a number', 7],
    ['a text', '"text"'],
    ['items that are no list', { items: 'none' }],
    ['items of null', { items: [null] }],
    ['items of numbers', { items: [7] }],
    ['items without ids', { items: [{ summary: 'x', start: { date: '2027-01-01' }, end: { date: '2027-01-02' } }] }],
    ['ids that are no text', { items: [{ id: 7 }, { id: {} }] }],
    ['keys of JavaScript', { items: [JSON.parse('{"__proto__":{"id":"x","polluted":true}}')] }],
    ['a page token that is no text', { items: {}, nextPageToken: { more: true } }],
  ];
  const things: [string, unknown][] = [
    ['nothing', null],
    ['a list', []],
    ['an empty object', {}],
    ['an id that is no text', { id: 7, start: [], end: 'x' }],
    ['keys of JavaScript', JSON.parse('{"__proto__":{"id":"x"},"constructor":{"prototype":{}}}')],
  ];
  const eventPath = async () => {
    const { body } = await google.service.call('POST', `/v1/events/${ada}/${ADA}`, { body: event('Here') });
    return `/v1/events/${ada}/${ADA}/${body.id}`;
  };

  it.each(lists)('N51 lists of events: %s', async (_, body) => {
    await google.sandbox.fault({ methodId: 'calendar.events.list' }, { type: 'replace', body });
    expect(await google.service.call('GET', `/v1/events/${ada}/${ADA}`)).toMatchObject({
      status: 502,
      body: { code: 'ProviderUnavailable' },
    });
    const query = { startDateTime: '2027-01-01T00:00:00Z', endDateTime: '2027-02-01T00:00:00Z' };
    expect(await google.service.call('GET', `/v1/events/${ada}/${ADA}`, { query })).toMatchObject({
      status: 502,
      body: { code: 'ProviderUnavailable' },
    });
  });

  it.each(lists)('N51 lists of calendars: %s', async (_, body) => {
    await google.sandbox.fault({ methodId: 'calendar.calendarList.list' }, { type: 'replace', body });
    expect(await calendarsOf(ada)).toMatchObject({ status: 502, body: { code: 'ProviderUnavailable' } });
  });

  it.each(things)('N51 one event, read and written: %s', async (_, body) => {
    const path = await eventPath();
    for (const methodId of ['calendar.events.get', 'calendar.events.insert', 'calendar.events.patch']) {
      await google.sandbox.fault({ methodId }, { type: 'replace', body });
    }
    const failed = { status: 502, body: { code: 'ProviderUnavailable' } };
    expect(await google.service.call('GET', path)).toMatchObject(failed);
    expect(await google.service.call('PUT', path, { body: { title: 'There' } })).toMatchObject(failed);
    expect(await google.service.call('POST', `/v1/events/${ada}/${ADA}`, { body: event('New') })).toMatchObject(failed);
  });

  it.each(things)('N51 one calendar, read and made: %s', async (_, body) => {
    for (const methodId of ['calendar.calendarList.get', 'calendar.calendars.insert']) {
      await google.sandbox.fault({ methodId }, { type: 'replace', body });
    }
    const failed = { status: 502, body: { code: 'ProviderUnavailable' } };
    expect(await google.service.call('GET', `/v1/calendars/${ada}/primary`)).toMatchObject(failed);
    expect(await google.service.call('POST', `/v1/calendars/${ada}`, { body: { name: 'New' } })).toMatchObject(failed);
  });

  it.each<[string, unknown]>([
    ['nothing', null],
    ['no calendars', {}],
    ['calendars that are no object', { calendars: 7 }],
    ['a calendar that is null', { calendars: { [ADA]: null } }],
    ['busy times that are no list', { calendars: { [ADA]: { busy: 'never' } } }],
    ['busy times that are no times', { calendars: { [ADA]: { busy: [{ start: 'x', end: 7 }, null] } } }],
  ])('N51 busy times: %s', async (_, body) => {
    await google.sandbox.fault({ methodId: 'calendar.freebusy.query' }, { type: 'replace', body });
    const answer = await google.service.call('POST', `/v1/freeBusy/${ada}`, {
      body: {
        startDateTime: '2027-01-01T00:00:00Z',
        endDateTime: '2027-01-02T00:00:00Z',
        timeZone: 'UTC',
        calendarIds: [ADA],
      },
    });
    expect(answer).toMatchObject({ status: 502, body: { code: 'ProviderUnavailable' } });
  });

  it('N51 more than can be right is cut off, and asked for once', async () => {
    await fault({ type: 'huge', bytes: 100 * 1024 * 1024 });
    const answer = await calendarsOf(ada);
    expect([answer.status, answer.body.provider.code]).toEqual([502, 'answer-too-large']);
    expect(await apiCalls()).toBe(1);
  });

  it('repeats a tenth of the traffic at most, once what was saved up is used', async () => {
    const calls = 60;
    await fault({ type: 'status', status: 503, reason: 'backendError' });
    const answers = await Promise.all(Array.from({ length: calls }, () => calendarsOf(ada)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([502]));
    // Ten were saved up at most, six earned, and one comes back every ten seconds.
    expect(await apiCalls()).toBeLessThanOrEqual(calls + 10 + 6 + 3);
  });
});

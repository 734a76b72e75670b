import { inspect } from 'node:util';
import type { OAuthCredentials } from '#domain/accounts';
import type { AccountSession } from '#domain/providers';
import type { DomainError } from '#domain/system';
import type { FaultAction } from '../../../../apps/sandbox/src/faults/fault.js';
import { CLIENT, MARA, startSandboxedAdapter, type SandboxedAdapter } from './sandboxed-adapter.js';

let google: SandboxedAdapter;
let mara: AccountSession;
beforeAll(async () => {
  google = await startSandboxedAdapter();
});
beforeEach(async () => {
  mara = await google.session(MARA);
  await google.sandbox.clearRequests();
});
afterEach(async () => {
  await google.sandbox.clearFaults();
  await google.sandbox.expectNoViolations();
});
afterAll(() => google?.stop());

const API = { kind: 'api' } as const;
const apiCalls = async () => (await google.sandbox.requests(API)).length;
const failureOf = (work: Promise<unknown>): Promise<DomainError> =>
  work.then(
    () => Promise.reject(new Error('nothing failed')),
    (error: DomainError) => error,
  );

const PASSING: [string, FaultAction][] = [
  ['500', { type: 'status', status: 500, reason: 'backendError' }],
  ['503 without JSON', { type: 'status', status: 503, body: 'busy' }],
  ["a proxy's page", { type: 'html' }],
  ['garbage', { type: 'garbage' }],
  ['half of an answer', { type: 'truncate' }],
  ['a reset', { type: 'reset' }],
  ['a reset inside of the body', { type: 'reset-mid-body' }],
];

describe('F25 answers that make no sense', () => {
  it.each(PASSING)('reads go on after %s', async (_, action) => {
    await google.sandbox.fault(API, action, { times: 1 });
    expect(await google.provider().getCalendar(mara, MARA)).toMatchObject({ id: MARA });
    expect(await apiCalls()).toBe(2);
  });

  it.each(PASSING)('reads end after two repeats of %s, and leave no secret behind', async (_, action) => {
    await google.sandbox.fault(API, action);
    const error = await failureOf(google.provider().getCalendar(mara, MARA));
    expect(error.code).toBe('ProviderUnavailable');
    expect(await apiCalls()).toBe(3);
    const { accessToken, refreshToken } = mara.credentials as OAuthCredentials;
    const shown = inspect(error, { depth: 20, showHidden: true });
    for (const secret of [accessToken, refreshToken, CLIENT.clientSecret]) expect(shown).not.toContain(secret);
  });

  it('never repeats what cannot be undone', async () => {
    await google.sandbox.fault(API, { type: 'status', status: 503, reason: 'backendError' });
    const error = await failureOf(google.provider().createCalendar(mara, { name: 'Never' }, {}));
    expect(error.code).toBe('ProviderUnavailable');
    expect(await apiCalls()).toBe(1);
  });

  it.each([
    ['no list', { items: 'none' }],
    ['items without ids', { items: [{ summary: 'x' }] }],
    ['keys that mean something to JavaScript', { items: [JSON.parse('{"__proto__":{"id":"x","polluted":true}}')] }],
  ])('N51 refuses %s', async (_, body) => {
    await google.sandbox.fault(API, { type: 'replace', body });
    const error = await failureOf(google.provider().listCalendars(mara, { pageSize: 10, page: null, sync: null }));
    expect(error).toMatchObject({ code: 'ProviderUnavailable', provider: { code: 'response-invalid' } });
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  it('N51 cuts an answer of 100 MB off', async () => {
    await google.sandbox.fault(API, { type: 'huge', bytes: 100 * 1024 * 1024 });
    expect(await failureOf(google.provider().getCalendar(mara, MARA))).toMatchObject({
      code: 'ProviderUnavailable',
      provider: { code: 'response-too-large' },
    });
    expect(await apiCalls()).toBe(1);
  });
});

describe('F24 limits', () => {
  it.each([
    ['429 with a hint', { type: 'status', status: 429, reason: 'rateLimitExceeded', headers: { 'retry-after': '1' } }],
    ['403 without one', { type: 'status', status: 403, reason: 'rateLimitExceeded' }],
  ] as [string, FaultAction][])('waits out %s', async (_, action) => {
    await google.sandbox.fault(API, action, { times: 1 });
    const { calendar } = await google.provider().createCalendar(mara, { name: 'After a while' }, {});
    expect(calendar.name).toBe('After a while');
  });

  it('tells when to come back where that is too far off', async () => {
    const headers = { 'retry-after': '77' };
    await google.sandbox.fault(API, { type: 'status', status: 429, reason: 'rateLimitExceeded', headers });
    expect(await failureOf(google.provider().verify(mara))).toMatchObject({
      code: 'ProviderRateLimited',
      retryAfterSeconds: 77,
    });
    expect(await apiCalls()).toBe(1);
  });

  it('takes every request from the budget of the account', async () => {
    google.budget.taken = 0;
    await google.sandbox.fault(API, { type: 'status', status: 500, reason: 'backendError' }, { times: 1 });
    await google.provider().verify(mara);
    expect(google.budget.taken).toBe(2);
  });
});

describe('F26 silence', () => {
  it.each<[string, FaultAction]>([
    ['no answer', { type: 'hang' }],
    ['a byte a second', { type: 'drip', bytesPerSecond: 1 }],
  ])('ends %s at the deadline', async (_, action) => {
    await google.sandbox.fault(API, action);
    const error = await failureOf(google.provider({ timeoutMs: 300 }).verify(mara));
    expect(error.code).toBe('ProviderTimeout');
  });

  it('ends when the caller goes', async () => {
    const caller = new AbortController();
    const session = await google.session(MARA, { signal: caller.signal });
    await google.sandbox.fault(API, { type: 'hang' });
    const failure = failureOf(google.provider().verify(session));
    caller.abort();
    expect((await failure).code).toBe('ProviderTimeout');
  });

  it('T5 decides nothing on silence of the token endpoint', async () => {
    const { refreshToken } = mara.credentials as OAuthCredentials;
    const refresh = () =>
      google.authorization().refresh({ client: CLIENT, refreshToken, signal: new AbortController().signal });
    for (const action of [
      { type: 'reset' },
      { type: 'html' },
      { type: 'garbage' },
      { type: 'truncate' },
    ] as FaultAction[]) {
      await google.sandbox.fault({ kind: 'token' }, action, { times: 1 });
      const error = await failureOf(refresh());
      expect(error.code).toBe('ProviderUnavailable');
      expect(inspect(error, { depth: 20, showHidden: true })).not.toMatch(/canary|1\/\//);
    }
    expect((await google.sandbox.requests({ kind: 'token' })).length).toBe(4);
    expect(await refresh()).toMatchObject({ state: 'granted' });
  });
});

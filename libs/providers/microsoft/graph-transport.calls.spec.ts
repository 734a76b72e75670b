import { ScriptedEgress, type Scripted } from '#providers/kit/testing/scripted-egress';
import type { RetrySafety } from '#providers/kit/calls';
import type { GraphCall } from './graph-transport.js';
import { clientOver, refusal, sessionOf, type MicrosoftFixture } from './testing/microsoft-client.js';

const ROUTE = 'PATCH /v1.0/me/calendars/c';
const OK: Scripted = { json: { id: 'c' } };

function bench(...responses: [Scripted, ...Scripted[]]): MicrosoftFixture {
  return clientOver(new ScriptedEgress().on(ROUTE, ...responses));
}

function send({ connection }: MicrosoftFixture, repeat: RetrySafety, headers: GraphCall['headers'] = {}) {
  return connection.call(repeat, { method: 'PATCH', path: '/me/calendars/c', body: { name: 'n' }, headers });
}

describe('calls to Graph', () => {
  it.each<[string, Scripted]>([
    ['503', refusal(503, 'serviceNotAvailable')],
    ['504 without JSON', { status: 504, text: '<html>' }],
    ['half of an answer', { text: '{"id":' }],
    ['a lost connection', 'reset'],
    ['two writes that met', refusal(409, 'ErrorIrresolvableConflict')],
  ])('F25 are repeated after %s, where that does no harm', async (_, failure) => {
    for (const repeat of ['read', 'idempotent'] as const) {
      expect(await send(bench(failure, failure, OK), repeat)).toEqual({ id: 'c' });
      const lasting = bench(failure);
      await expect(send(lasting, repeat)).rejects.toThrow();
      expect(lasting.egress.requests).toHaveLength(3);
    }
    const once = bench(failure, OK);
    await expect(send(once, 'once')).rejects.toThrow();
    expect(once.egress.requests).toHaveLength(1);
  });

  it.each<[string, Scripted]>([
    ['a refusal', refusal(403, 'ErrorAccessDenied')],
    ['a full mailbox', refusal(507, 'ErrorQuotaExceeded')],
    ['what Graph does not offer', refusal(501, 'NotImplemented')],
    ['a name that is taken', refusal(409, 'ErrorFolderExists')],
    ['an answer that is too large', 'too-large'],
  ])('are not repeated after %s', async (_, failure) => {
    const only = bench(failure, OK);
    await expect(send(only, 'read')).rejects.toThrow();
    expect(only.egress.requests).toHaveLength(1);
  });

  it.each([409, 412])('let a condition that was set fail with %d', async (status) => {
    const conflict = bench(refusal(status, 'ErrorIrresolvableConflict'), OK);
    await expect(send(conflict, 'idempotent', { 'if-match': 'W/"1"' })).rejects.toMatchObject({ status });
    expect(conflict.egress.requests).toHaveLength(1);
  });

  it('tell a collision that nobody asked to be told of as a provider that is busy', async () => {
    await expect(send(bench(refusal(409, 'ErrorIrresolvableConflict')), 'idempotent')).rejects.toMatchObject({
      code: 'ProviderUnavailable',
    });
  });

  it.each([
    ['7', [7_500]],
    ['1.25', [1_750]],
    ['0', [1_000]],
    [undefined, [2_000]],
    ['soon', [2_000]],
  ])('F24 wait as long as Graph asks by Retry-After: %s', async (retryAfter, waits) => {
    const headers: Record<string, string> = retryAfter === undefined ? {} : { 'retry-after': retryAfter };
    const limited = bench(refusal(429, 'ApplicationThrottled', 'slow', headers), OK);
    expect(await send(limited, 'once')).toEqual({ id: 'c' });
    expect(limited.clock.waits).toEqual(waits);
  });

  it('F24 do not wait beyond the deadline, and say how long to wait', async () => {
    const limited = bench(refusal(429, 'TooManyRequests', 'slow', { 'retry-after': '30' }));
    await expect(send(limited, 'read')).rejects.toMatchObject({ status: 429, retryAfterMs: 30_000 });
    expect(limited.egress.requests).toHaveLength(1);
  });

  it('T7 are neither refreshed nor repeated after a 401', async () => {
    const rejected = bench(refusal(401, 'InvalidAuthenticationToken'), OK);
    await expect(send(rejected, 'read')).rejects.toMatchObject({ status: 401 });
    expect(rejected.egress.requests).toHaveLength(1);
  });

  it('give every request an id of its own', async () => {
    const repeated = bench('reset', OK);
    await send(repeated, 'read');
    const ids = repeated.egress.requests.map(({ headers }) => headers?.['client-request-id']);
    expect(new Set(ids).size).toBe(2);
  });

  it('hold no slot while they wait', async () => {
    const limited = bench(refusal(429, 'TooManyRequests', 'slow', { 'retry-after': '1' }), OK);
    const held: number[] = [];
    limited.deps.policy.rest = async () => void held.push(limited.slots.now);
    await send(limited, 'read');
    expect(held).toEqual([0]);
  });

  it('stop when the caller has gone', async () => {
    const gone = new AbortController();
    const left = clientOver(new ScriptedEgress().on(ROUTE, 'reset'), sessionOf({ signal: gone.signal }));
    gone.abort();
    await expect(send(left, 'read')).rejects.toThrow();
    expect(left.egress.requests).toHaveLength(1);
  });
});

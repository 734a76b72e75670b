import { clientOver, refusal, sessionOf, type GoogleFixture } from './testing/google-client.js';
import { ScriptedEgress, type Scripted } from '#providers/kit/testing/scripted-egress';
import type { RetrySafety } from '#providers/kit/calls';

const ROUTE = 'PATCH /calendar/v3/calendars/c/events/e';
const OK: Scripted = { json: { id: 'e' } };

function bench(...responses: [Scripted, ...Scripted[]]): GoogleFixture {
  return clientOver(new ScriptedEgress().on(ROUTE, ...responses));
}

function send({ connection }: GoogleFixture, repeat: RetrySafety, headers: Record<string, string> = {}) {
  return connection.call(repeat, () =>
    connection.api.events.patch({ calendarId: 'c', eventId: 'e', requestBody: {} }, { headers }),
  );
}

describe('CallPolicy', () => {
  it.each<[string, Scripted]>([
    ['500', refusal(500, 'backendError')],
    ['503 without JSON', { status: 503, text: 'no' }],
    ['half of an answer', { text: '{"id":' }],
    ['a lost connection', 'reset'],
    ['no connection', 'connect'],
    ['412 that nobody asked for', refusal(412, 'conditionNotMet')],
  ])('F25 repeats after %s, and twice at most', async (_, failure) => {
    for (const repeat of ['read', 'idempotent'] as const) {
      const passing = bench(failure, failure, OK);
      expect(await send(passing, repeat)).toEqual({ id: 'e' });
      const lasting = bench(failure);
      await expect(send(lasting, repeat)).rejects.toThrow();
      expect(lasting.egress.requests).toHaveLength(3);
      expect(lasting.budget.taken).toBe(3);
    }
  });

  it.each<[string, Scripted]>([
    ['500', refusal(500, 'backendError')],
    ['a lost connection', 'reset'],
    ['412', refusal(412, 'conditionNotMet')],
  ])('never repeats what may be done once only after %s', async (_, failure) => {
    const once = bench(failure, OK);
    await expect(send(once, 'once')).rejects.toThrow();
    expect(once.egress.requests).toHaveLength(1);
  });

  it.each<[string, Scripted, object]>([
    ['a refusal', refusal(403, 'forbidden'), { status: 403 }],
    ['a usage limit', refusal(403, 'quotaExceeded'), { status: 403, code: 'quotaExceeded' }],
    ['an answer that is too large', 'too-large', { code: 'ProviderUnavailable' }],
    ['a forbidden address', 'address-blocked', { code: 'ProviderUnavailable' }],
  ])('does not repeat after %s', async (_, failure, error) => {
    const only = bench(failure, OK);
    await expect(send(only, 'read')).rejects.toMatchObject(error);
    expect(only.egress.requests).toHaveLength(1);
  });

  it('lets a condition that was set fail', async () => {
    const conditional = bench(refusal(412, 'conditionNotMet'), OK);
    await expect(send(conditional, 'idempotent', { 'If-Match': '"1"' })).rejects.toMatchObject({ status: 412 });
    expect(conditional.egress.requests).toHaveLength(1);
    await expect(send(bench(refusal(412, 'conditionNotMet')), 'idempotent')).rejects.toMatchObject({
      code: 'ProviderUnavailable',
    });
  });

  it.each([
    refusal(429, 'rateLimitExceeded', '', { 'retry-after': '3' }),
    refusal(403, 'userRateLimitExceeded', '', { 'retry-after': '3' }),
  ])('F24 waits as long as Google asks, whatever the call is', async (limited) => {
    const limitedOnce = bench(limited, OK);
    expect(await send(limitedOnce, 'once')).toEqual({ id: 'e' });
    expect(limitedOnce.clock.waits).toEqual([3_500]);
  });

  it('F24 waits on its own without a hint, longer each time', async () => {
    const limited = bench(refusal(429, 'rateLimitExceeded'));
    await expect(send(limited, 'once')).rejects.toMatchObject({ status: 429 });
    expect(limited.clock.waits).toEqual([2_000, 4_000]);
  });

  it('F24 does not wait beyond the deadline', async () => {
    const limited = bench(refusal(429, 'rateLimitExceeded', '', { 'retry-after': '30' }));
    await expect(send(limited, 'read')).rejects.toMatchObject({ status: 429, retryAfterMs: 30_000 });
    expect(limited.egress.requests).toHaveLength(1);
  });

  it('F26 gives all tries of one call one deadline', async () => {
    const slow = bench(refusal(503, 'backendError'), refusal(503, 'backendError'), OK);
    await send(slow, 'read');
    expect(slow.egress.requests.map(({ timeoutMs }) => timeoutMs)).toEqual([10_000, 9_600, 8_800]);
  });

  it('stops when the caller has gone', async () => {
    const gone = new AbortController();
    const bench = clientOver(new ScriptedEgress().on(ROUTE, 'reset'), sessionOf({ signal: gone.signal }));
    gone.abort();
    await expect(send(bench, 'read')).rejects.toMatchObject({ code: 'ProviderUnavailable' });
    expect(bench.egress.requests).toHaveLength(1);
  });

  it('F25 repeats a tenth of the traffic when everything fails', async () => {
    const failing = bench(refusal(503, 'backendError'));
    for (let call = 0; call < 300; call += 1) await send(failing, 'read').catch(() => undefined);
    expect(failing.egress.requests.length).toBeLessThanOrEqual(300 * 1.1 + 10 + 10);
  });

  it('F27 sends nothing while Google is down, and looks again later', async () => {
    const failing = bench('connect');
    for (let call = 0; call < 30; call += 1) {
      await send(failing, 'once').catch(() => undefined);
      failing.clock.nowMs += 600;
    }
    const sent = failing.egress.requests.length;
    const takenBudget = failing.budget.taken;
    await expect(send(failing, 'read')).rejects.toMatchObject({
      code: 'ProviderUnavailable',
      retryAfterSeconds: expect.any(Number),
    });
    expect(failing.egress.requests).toHaveLength(sent);
    expect(failing.budget.taken).toBe(takenBudget);
    failing.egress.on(ROUTE, OK);
    failing.clock.nowMs += 31_000;
    expect(await send(failing, 'read')).toEqual({ id: 'e' });
  });
});

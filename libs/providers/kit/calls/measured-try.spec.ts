import { EgressError } from '#egress';
import { exposition } from '#platform/telemetry';
import { withCallSpan, instrumentTry } from './measured-try.js';

async function outcomes(): Promise<Record<string, number>> {
  const { body } = await exposition(undefined);
  const counts = body.matchAll(/^calendar_provider_call_duration_seconds_count\{(.*)\} (\d+)$/gm);
  return Object.fromEntries(
    [...counts].map(([, labels = '', count]) => [/outcome="(\w+)"/.exec(labels)?.[1], Number(count)]),
  );
}

const CALL = { provider: 'CALDAV', operation: 'events.list' } as const;
const tried = (send: Parameters<typeof instrumentTry>[0], outcomeOf?: Parameters<typeof instrumentTry>[1]) =>
  withCallSpan(CALL, () => instrumentTry(send, outcomeOf)).catch(() => undefined);

describe('instrumentTry', () => {
  it('measures nothing that was not asked of a provider', async () => {
    expect(await instrumentTry(async () => 'answer')).toBe('answer');
    expect(await outcomes()).toEqual({});
  });

  it('says what came of every try', async () => {
    const response = (status: number) => tried(async (answered) => answered(status));
    const failure = (error: Error) => tried(() => Promise.reject(error));
    await Promise.all([response(200), response(302), tried(async () => 'whatever')]);
    await Promise.all([response(401), response(429), response(404), response(412), response(503)]);
    await Promise.all(
      (['timeout', 'aborted', 'dns', 'tls', 'invalid-response'] as const).map((kind) => failure(new EgressError(kind))),
    );
    expect(await outcomes()).toEqual({
      ok: 3,
      unauthorized: 1,
      rate_limited: 1,
      client_error: 2,
      server_error: 1,
      timeout: 1,
      aborted: 1,
      unreachable: 2,
      malformed_response: 1,
    });
  });

  it('takes an answer that nobody could read for a bad one, and a refusal for what its status says', async () => {
    const before = await outcomes();
    const unreadable = (status: number) =>
      tried(async (answered) => {
        answered(status);
        throw new Error('no multistatus');
      });
    await unreadable(207);
    await unreadable(500);
    const { malformed_response: malformedResponse = 0, server_error: serverErrors = 0 } = before;
    expect(await outcomes()).toMatchObject({
      malformed_response: malformedResponse + 1,
      server_error: serverErrors + 1,
    });
  });

  it('lets the provider say what it means by an error, and throws it on', async () => {
    const { rate_limited: rateLimited = 0 } = await outcomes();
    const quota = new Error('quota');
    const work = withCallSpan(CALL, () =>
      instrumentTry(
        () => Promise.reject(quota),
        () => 'rate_limited',
      ),
    );
    await expect(work).rejects.toBe(quota);
    expect((await outcomes()).rate_limited).toBe(rateLimited + 1);
  });
});

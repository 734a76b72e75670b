import { DomainError } from '#domain/system';
import { RunningClock } from '../testing/scripted-egress.js';
import { CallPolicy, type Try } from './call-policy.js';
import { ProviderResponseError } from './provider-error.js';

class ShedHandler extends ProviderResponseError {
  constructor(status: number, retryAfterMs: number | null = null) {
    super('Provider', status, null, '', retryAfterMs);
  }
}

function bench() {
  const clock = new RunningClock();
  const policy = new CallPolicy({
    rules: {
      provider: 'Provider',
      isRateLimit: ({ status }) => status === 429,
      isTransient: ({ status }) => status >= 500,
    },
    timeoutMs: 10_000,
    ...clock.policy,
  });
  return { clock, policy };
}

const { signal } = new AbortController();

describe('CallPolicy, whoever the provider is', () => {
  it('F26 does not count the wait for a turn as time of the provider', async () => {
    const { clock, policy } = bench();
    const attempts: Try[] = [];
    await policy.run({
      repeat: 'read',
      signal,
      admit: (attempt) => {
        clock.nowMs += 15_000;
        return attempt();
      },
      send: async (attempt) => void attempts.push(attempt),
    });
    expect(attempts).toEqual([{ timeoutMs: 10_000, isConditional: false }]);
  });

  it('waits for a turn before every try, and has it while the try lasts', async () => {
    const { policy } = bench();
    const steps: string[] = [];
    await policy
      .run({
        repeat: 'read',
        signal,
        async admit(attempt) {
          steps.push('turn');
          try {
            return await attempt();
          } finally {
            steps.push('over');
          }
        },
        async send() {
          steps.push('try');
          throw new ShedHandler(503);
        },
      })
      .catch(() => undefined);
    expect(steps).toEqual(['turn', 'try', 'over', 'turn', 'try', 'over', 'turn', 'try', 'over']);
  });

  it('sends nothing without a turn, and tells why', async () => {
    const { policy } = bench();
    const rejected = new DomainError('RateLimited', 'Later.', { retryAfterSeconds: 3 });
    let sent = 0;
    const send = async () => void (sent += 1);
    await expect(policy.run({ repeat: 'read', signal, admit: () => Promise.reject(rejected), send })).rejects.toBe(
      rejected,
    );
    expect(sent).toBe(0);
  });

  it('F24 never comes back at once, whatever the provider says', async () => {
    const { clock, policy } = bench();
    const run = policy.run({
      repeat: 'once',
      signal,
      admit: (attempt) => attempt(),
      send: () => Promise.reject(new ShedHandler(429, 0)),
    });
    await expect(run).rejects.toMatchObject({ status: 429 });
    expect(clock.waits).toEqual([1_000, 1_000]);
  });
});

import { CircuitBreaker, type CallHealth } from './circuit-breaker.js';

class Failed extends Error {
  constructor(readonly health: CallHealth) {
    super(health);
  }
}

function bench() {
  const clock = { nowMs: 50_000 };
  const breaker = new CircuitBreaker(
    'Google',
    (error) => (error as Failed).health ?? 'unknown',
    () => clock.nowMs,
  );
  const answer = (health: CallHealth | 'ok') =>
    breaker
      .run(() => (health === 'ok' ? Promise.resolve('ok') : Promise.reject(new Failed(health))))
      .catch((error: Error) => error);
  const fail = async (times: number, everyMs: number, health: CallHealth = 'failure') => {
    for (let count = 0; count < times; count += 1) {
      await answer(health);
      clock.nowMs += everyMs;
    }
  };
  return { clock, breaker, answer, fail };
}

const down = expect.objectContaining({ code: 'ProviderUnavailable', retryAfterSeconds: expect.any(Number) });

describe('F27 CircuitBreaker', () => {
  it('opens within ten seconds of nothing but failures, and fails fast with the time to come back', async () => {
    const { breaker, fail } = bench();
    await fail(10, 900);
    await expect(breaker.run(() => Promise.resolve('ok'))).rejects.toMatchObject({
      code: 'ProviderUnavailable',
      retryAfterSeconds: 5,
    });
  });

  it('stays closed for a burst, and when any answer comes in between', async () => {
    const burst = bench();
    await burst.fail(50, 10);
    expect(await burst.answer('ok')).toBe('ok');
    const mixed = bench();
    for (let round = 0; round < 10; round += 1) {
      await mixed.fail(9, 1_000);
      await mixed.answer('alive');
    }
    expect(await mixed.answer('ok')).toBe('ok');
  });

  it('takes what says nothing for nothing, and forgets failures of long ago', async () => {
    const { fail, answer, clock } = bench();
    await fail(100, 1_000, 'unknown');
    await fail(9, 1_000);
    clock.nowMs += 60_000;
    await fail(5, 100);
    expect(await answer('ok')).toBe('ok');
  });

  it('lets one call through to find out, and closes when that is answered', async () => {
    const { clock, breaker, fail, answer } = bench();
    await fail(10, 900);
    clock.nowMs += 5_000;
    let release: (value: string) => void = () => undefined;
    const probe = breaker.run(() => new Promise<string>((resolve) => (release = resolve)));
    expect(await answer('ok')).toEqual(down);
    release('back');
    expect(await probe).toBe('back');
    expect(await answer('ok')).toBe('ok');
  });

  it('waits longer after each probe that fails, up to half a minute', async () => {
    const { clock, fail, answer } = bench();
    await fail(10, 900);
    const waits: number[] = [];
    for (let probe = 0; probe < 5; probe += 1) {
      const error = (await answer('ok')) as { retryAfterSeconds?: number };
      waits.push(error.retryAfterSeconds ?? 0);
      clock.nowMs += (error.retryAfterSeconds ?? 0) * 1_000;
      await answer('failure');
    }
    expect(waits).toEqual([5, 10, 20, 30, 30]);
  });

  it('gives the place of the probe back when that one says nothing', async () => {
    const { clock, fail, answer } = bench();
    await fail(10, 900);
    clock.nowMs += 5_000;
    await answer('unknown');
    expect(await answer('ok')).toBe('ok');
  });

  it('is not held open by calls that were under way', async () => {
    const { clock, breaker, fail, answer } = bench();
    let reject: (error: Error) => void = () => undefined;
    const late = breaker.run(() => new Promise((_, no) => (reject = no))).catch(() => undefined);
    await fail(10, 900);
    clock.nowMs += 4_900;
    reject(new Failed('failure'));
    await late;
    clock.nowMs += 100;
    expect(await answer('ok')).toBe('ok');
  });
});

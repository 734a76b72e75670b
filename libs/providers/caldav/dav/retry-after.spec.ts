import { Lanes } from './lanes.js';
import { pause, retryAfterSeconds } from './retry-after.js';

describe('retryAfterSeconds', () => {
  const now = Date.UTC(2026, 0, 1);
  it.each([
    ['120', 120],
    [' 0 ', 0],
    ['99999999', 3_600],
    ['Thu, 01 Jan 2026 00:01:00 GMT', 60],
    ['Wed, 31 Dec 2025 23:59:00 GMT', 0],
    ['-5', undefined],
    ['1e9', undefined],
    ['soon', undefined],
    ['Thu, nonsense', undefined],
    [undefined, undefined],
  ])('%s is %s', (header, seconds) => {
    expect(retryAfterSeconds(header, now)).toBe(seconds);
  });
});

describe('pause', () => {
  it('ends early when the signal aborts', async () => {
    expect(await pause(60_000, AbortSignal.timeout(5))).toBe(false);
    expect(await pause(60_000, AbortSignal.abort())).toBe(false);
    expect(await pause(1, new AbortController().signal)).toBe(true);
  });
});

describe('Lanes', () => {
  it('runs so many at a time, in order, also after failures', async () => {
    const lanes = new Lanes(2);
    const { signal } = new AbortController();
    const log: string[] = [];
    const work = (name: string) =>
      lanes
        .run(signal, async () => {
          log.push(`+${name}`);
          await pause(5, signal);
          log.push(`-${name}`);
          if (name === 'a') throw new Error('a');
        })
        .catch(() => undefined);
    await Promise.all(['a', 'b', 'c', 'd'].map(work));
    expect(log.slice(0, 2)).toEqual(['+a', '+b']);
    expect(log.indexOf('+c')).toBeGreaterThan(log.indexOf('-a'));
    expect(log.filter((entry) => entry.startsWith('-'))).toHaveLength(4);
  });

  it('lets one that waits give up, and keeps its place free', async () => {
    const lanes = new Lanes(1);
    const { signal } = new AbortController();
    const first = lanes.run(signal, () => pause(30, signal));
    await expect(lanes.run(AbortSignal.timeout(5), () => Promise.resolve())).rejects.toThrow();
    await expect(lanes.run(AbortSignal.abort(new Error('gone')), () => Promise.resolve())).rejects.toThrow('gone');
    const third = lanes.run(signal, () => Promise.resolve('third'));
    await first;
    expect(await third).toBe('third');
  });
});

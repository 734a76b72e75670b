import { setTimeout as sleep } from 'node:timers/promises';
import { Semaphore } from './dav-transport.js';

describe('Semaphore', () => {
  it('runs so many at a time, in order, also after failures', async () => {
    const semaphore = new Semaphore(2);
    const { signal } = new AbortController();
    const log: string[] = [];
    const work = (name: string) =>
      semaphore
        .run(signal, async () => {
          log.push(`+${name}`);
          await sleep(5);
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
    const semaphore = new Semaphore(1);
    const { signal } = new AbortController();
    const first = semaphore.run(signal, () => sleep(30));
    await expect(semaphore.run(AbortSignal.timeout(5), () => Promise.resolve())).rejects.toThrow();
    await expect(semaphore.run(AbortSignal.abort(new Error('gone')), () => Promise.resolve())).rejects.toThrow('gone');
    const third = semaphore.run(signal, () => Promise.resolve('third'));
    await first;
    expect(await third).toBe('third');
  });
});

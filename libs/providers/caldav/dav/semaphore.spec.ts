import { setTimeout as sleep } from 'node:timers/promises';
import { Lanes } from './dav-transport.js';

describe('Lanes', () => {
  it('runs so many at a time, in order, also after failures', async () => {
    const lanes = new Lanes(2);
    const { signal } = new AbortController();
    const log: string[] = [];
    const work = (name: string) =>
      lanes
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
    const lanes = new Lanes(1);
    const { signal } = new AbortController();
    const first = lanes.run(signal, () => sleep(30));
    await expect(lanes.run(AbortSignal.timeout(5), () => Promise.resolve())).rejects.toThrow();
    await expect(lanes.run(AbortSignal.abort(new Error('gone')), () => Promise.resolve())).rejects.toThrow('gone');
    const third = lanes.run(signal, () => Promise.resolve('third'));
    await first;
    expect(await third).toBe('third');
  });
});

import { setImmediate as turn } from 'node:timers/promises';
import { currentTraceparent, inSpan } from '#platform/telemetry';
import { recordSpans } from '#platform/testing/recorded-spans';
import { Batcher, BatchFull } from './batcher.js';

/** Work that is under way until it is told to end. */
function heldWork() {
  const underWay: { items: readonly string[]; end: PromiseWithResolvers<string> }[] = [];
  const work = (items: readonly string[]) => {
    const end = Promise.withResolvers<string>();
    underWay.push({ items, end });
    return end.promise;
  };
  return { underWay, work };
}

describe('Batcher', () => {
  it('begins with the first at once, and takes what comes meanwhile together', async () => {
    const { underWay, work } = heldWork();
    const batches = new Batcher(work, { everyMs: 0, maxItems: 10 });
    const first = batches.add(['a']);
    const others = [batches.add(['b', 'c']), batches.add(['d'])];
    await turn();
    expect(underWay.map(({ items }) => items)).toEqual([['a']]);
    underWay[0]?.end.resolve('one');
    expect(await first).toBe('one');
    expect(underWay.map(({ items }) => items)).toEqual([['a'], ['b', 'c', 'd']]);
    underWay[1]?.end.resolve('two');
    expect(await Promise.all(others)).toEqual(['two', 'two']);
    await turn();
    void batches.add(['e']);
    expect(underWay[2]?.items).toEqual(['e']);
  });

  it('fails those whose batch failed, and goes on', async () => {
    const { underWay, work } = heldWork();
    const batches = new Batcher(work, { everyMs: 0, maxItems: 10 });
    const failing = batches.add(['a']);
    const next = batches.add(['b']);
    underWay[0]?.end.reject(new Error('away'));
    await expect(failing).rejects.toThrow('away');
    underWay[1]?.end.resolve('two');
    expect(await next).toBe('two');
  });

  it('fails those whose work cannot even begin', async () => {
    const broken = () => {
      throw new Error('never');
    };
    const batches = new Batcher<string, void>(broken, { everyMs: 0, maxItems: 1 });
    await expect(batches.add(['a'])).rejects.toThrow('never');
    await expect(batches.add(['b'])).rejects.toThrow('never');
  });

  it('lets no more wait than a batch takes', async () => {
    const { underWay, work } = heldWork();
    const batches = new Batcher(work, { everyMs: 0, maxItems: 2 });
    void batches.add(['a']);
    const waiting = batches.add(['b', 'c']);
    await expect(batches.add(['d'])).rejects.toThrow(BatchFull);
    underWay[0]?.end.resolve('one');
    await turn();
    underWay[1]?.end.resolve('two');
    expect(await waiting).toBe('two');
    expect(underWay).toHaveLength(2);
  });

  it('begins no batch before its time', async () => {
    const beganAt: number[] = [];
    const work = async () => void beganAt.push(performance.now());
    const batches = new Batcher<number, void>(work, { everyMs: 20, maxItems: 10 });
    for (let n = 0; n < 4; n += 1) await batches.add([n]);
    // Timers may fire a millisecond early.
    for (let n = 1; n < 4; n += 1) expect(beganAt[n]! - beganAt[n - 1]!).toBeGreaterThan(18);
  });

  it('works for the first of each batch, in its trace', async () => {
    const recorded = recordSpans();
    const seen: (string | null)[] = [];
    const batches = new Batcher<string, void>(
      async () => {
        seen.push(currentTraceparent());
        await turn();
      },
      { everyMs: 0, maxItems: 10 },
    );
    const add = (item: string) =>
      inSpan(item, { traceparent: null }, async () => {
        const own = currentTraceparent();
        await batches.add([item]);
        return own;
      });
    const [a, b] = await Promise.all([add('a'), add('b'), add('c')]);
    recorded.stop();
    expect(a).not.toBeNull();
    expect(seen).toEqual([a, b]);
  });
});

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { TickCounter, work } from '../testing/tick-counter.js';
import { EventLoopScheduler } from './event-loop.js';

describe('turns of the event loop', () => {
  let turns: EventLoopScheduler;
  let loop: TickCounter;

  beforeEach(() => {
    turns = new EventLoopScheduler();
    loop = new TickCounter();
  });
  afterEach(() => loop.stop());

  /** In which turn each of them went on. */
  function all(count: number, pieceMs: number, isLong = false): Promise<number[]> {
    return Promise.all(
      Array.from({ length: count }, async () => {
        await turns.next(isLong);
        // As what a caller does, some promises later.
        for (let hop = 0; hop < 5; hop += 1) await Promise.resolve();
        work(pieceMs);
        return loop.count;
      }),
    );
  }

  it('nobody waits for one alone', async () => {
    expect(await all(1, 0)).toEqual([0]);
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    const before = loop.count;
    expect(await all(1, 0)).toEqual([before]);
  });

  it('long pieces of work have one each, in the order they came', async () => {
    const first = all(1, 3);
    await first;
    const others = await all(5, 3);
    expect(others).toEqual(others.toSorted((one, other) => one - other));
    expect(new Set(others).size).toBe(5);
    expect(others[0]).toBeGreaterThan(0);
  });

  it('short ones share one', async () => {
    await all(1, 3);
    const others = await all(1_000, 0);
    expect(new Set(others).size).toBeLessThan(500);
  });

  it('what is known to be long never goes on at once, and has one of its own', async () => {
    const before = loop.count;
    const [first, ...others] = await all(5, 0, true);
    expect(first).toBeGreaterThanOrEqual(before);
    expect(new Set([first, ...others]).size).toBe(5);
    const order: string[] = [];
    const long = turns.next(true).then(() => order.push('long'));
    await Promise.resolve();
    order.push('what the loop has read besides');
    await long;
    expect(order).toEqual(['what the loop has read besides', 'long']);
  });

  it('short work does not wait for long work, and neither keeps the other out', async () => {
    const order: string[] = [];
    const go = (name: string, pieceMs: number, isLong: boolean) =>
      turns.next(isLong).then(() => {
        work(pieceMs);
        order.push(name);
      });
    await all(1, 3);
    const long = ['A', 'B', 'C'].map((name) => go(name, 3, true));
    const short = ['a', 'b', 'c'].map((name) => go(name, 2, false));
    await Promise.all([...long, ...short]);
    expect(order).toEqual(['a', 'A', 'b', 'B', 'c', 'C']);
  });

  it('whoever comes later goes on later, also when there would be time', async () => {
    await all(1, 3);
    const order: string[] = [];
    const early = turns.next().then(() => order.push('early'));
    const late = turns.next().then(() => order.push('late'));
    await Promise.all([late, early]);
    expect(order).toEqual(['early', 'late']);
  });

  it('tells how long the first one has waited whose work is short', async () => {
    expect(turns.waitMs()).toBe(0);
    await all(1, 3);
    const long = turns.next(true);
    work(5);
    expect(turns.waitMs()).toBe(0);
    const short = turns.next();
    work(5);
    expect(turns.waitMs()).toBeGreaterThanOrEqual(5);
    await Promise.all([short, long]);
    expect(turns.waitMs()).toBe(0);
  });
});

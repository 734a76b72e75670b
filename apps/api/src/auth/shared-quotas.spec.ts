import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { QuotaStore, UsedQuota } from './quota-store.js';
import { SharedQuotas } from './shared-quotas.js';

const WINDOW_MS = 1_000;

/** What Redis does, on a clock of the test. */
class MemoryStore implements QuotaStore {
  readonly asked: number[] = [];
  readonly counts = new Map<string, { used: number; endsAtMs: number }>();
  isAway = false;
  nowMs = 0;

  async take(subject: string, count: number): Promise<UsedQuota> {
    this.asked.push(count);
    await new Promise((resolve) => setImmediate(resolve));
    if (this.isAway) throw new Error('away');
    let counted = this.counts.get(subject);
    if (counted === undefined || counted.endsAtMs <= this.nowMs) {
      counted = { used: 0, endsAtMs: this.nowMs + WINDOW_MS };
      this.counts.set(subject, counted);
    }
    counted.used += count;
    return { used: counted.used, endsInMs: counted.endsAtMs - this.nowMs };
  }

  close = jest.fn();
}

let store: MemoryStore;
let warn: ReturnType<typeof jest.spyOn>;

beforeEach(() => {
  store = new MemoryStore();
  warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
});
afterEach(() => void jest.restoreAllMocks());

const processes = (count: number) => Array.from({ length: count }, () => new SharedQuotas(store, () => store.nowMs));

async function granted(quotas: SharedQuotas, count: number, quota: number, subject = 'key'): Promise<number> {
  const taken = await Promise.all(Array.from({ length: count }, () => quotas.take(subject, quota)));
  return taken.filter((one) => one?.isGranted).length;
}

describe('N52 quotas that processes share', () => {
  it.each([2, 50, 300])('give out %d, and not one more, whoever asks how often at once', async (quota) => {
    const all = processes(3);
    const each = await Promise.all(all.map((one) => granted(one, quota, quota)));
    expect(each.reduce((sum, one) => sum + one)).toBe(quota);
    expect(await granted(all[0]!, 5, quota)).toBe(0);
  });

  it('give out nearly all when requests come one after the other, in turns, and never more', async () => {
    const all = processes(3);
    for (let second = 0; second < 3; second += 1) {
      let sum = 0;
      for (let turn = 0; turn < 400; turn += 1) sum += await granted(all[turn % 3]!, 1, 300);
      expect(sum).toBeLessThanOrEqual(300);
      expect(sum).toBeGreaterThanOrEqual(300 * 0.9);
      store.nowMs += WINDOW_MS;
    }
  });

  it('ask a twentieth as often as there are requests', async () => {
    const [one] = processes(1);
    for (let turn = 0; turn < 300; turn += 1) await granted(one!, 1, 300);
    store.nowMs += WINDOW_MS;
    store.asked.length = 0;
    for (let turn = 0; turn < 300; turn += 1) await granted(one!, 1, 300);
    expect(store.asked.length).toBeLessThanOrEqual(20);
  });

  it('ask nobody any more in a window that is used up', async () => {
    const [one] = processes(1);
    await granted(one!, 100, 50);
    store.asked.length = 0;
    expect(await granted(one!, 100, 50)).toBe(0);
    expect(store.asked).toEqual([]);
    store.nowMs += WINDOW_MS;
    expect(await granted(one!, 100, 50)).toBe(50);
  });

  it('give nothing in a window that was taken in the one before', async () => {
    const [one, other] = processes(2);
    await granted(one!, 5, 300);
    store.nowMs += WINDOW_MS;
    expect((await granted(other!, 300, 300)) + (await granted(one!, 300, 300))).toBe(300);
  });

  it('say what is left, and when there is more', async () => {
    const [one, other] = processes(2);
    expect(await one!.take('key', 10)).toEqual({ isGranted: true, left: 9, endsInMs: 1_000 });
    store.nowMs += 400;
    expect(await other!.take('key', 10)).toEqual({ isGranted: true, left: 8, endsInMs: 600 });
    await granted(one!, 10, 10);
    expect(await one!.take('key', 10)).toEqual({ isGranted: false, left: 0, endsInMs: 600 });
  });

  it("of one key are no other key's", async () => {
    const [one] = processes(1);
    await granted(one!, 20, 10);
    expect(await granted(one!, 20, 10, 'other')).toBe(10);
  });

  it('have no opinion while the store is away, ask it every five seconds, and say so every minute', async () => {
    const [one] = processes(1);
    store.isAway = true;
    for (let second = 0; second < 130; second += 1) {
      expect(await one!.take('key', 10)).toBeNull();
      store.nowMs += 1_000;
    }
    expect(store.asked).toHaveLength(26);
    expect(warn.mock.calls.map(([{ msg }]: any) => msg)).toEqual(
      Array.from({ length: 3 }, () => 'every process limits keys by itself: Redis does not answer'),
    );
    store.isAway = false;
    expect(await one!.take('key', 10)).toMatchObject({ isGranted: true });
  });

  it('let go of the store', () => {
    processes(1)[0]!.close();
    expect(store.close).toHaveBeenCalledTimes(1);
  });
});

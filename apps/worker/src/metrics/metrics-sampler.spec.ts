import { MetricsSampler } from './metrics-sampler.js';

let nowMs: number;
let counts: number;
let forgotten: number;
let errors: unknown[];
let response: () => Promise<void>;

function counted(timeoutMs = 1_000): MetricsSampler {
  return new MetricsSampler({
    count: () => {
      counts += 1;
      return response();
    },
    clear: () => (forgotten += 1),
    failed: (error) => errors.push(error),
    nowMs: () => nowMs,
    timeoutMs,
  });
}

beforeEach(() => {
  [nowMs, counts, forgotten, errors] = [1_000_000, 0, 0, []];
  response = () => Promise.resolve();
});

describe('Counted', () => {
  it('counts at most every 15 seconds, once for all who ask meanwhile', async () => {
    const one = counted();
    expect(one.isKnown).toBe(false);
    await Promise.all([one.refresh(), one.refresh()]);
    nowMs += 14_999;
    await one.refresh();
    expect([counts, forgotten, one.isKnown]).toEqual([1, 0, true]);
    nowMs += 1;
    await one.refresh();
    expect(counts).toBe(2);
  });

  it('counts a fiftieth of the time at the most', async () => {
    const one = counted();
    response = async () => void (nowMs += 1_000);
    await one.refresh();
    nowMs += 48_999;
    await one.refresh();
    expect([counts, one.isKnown]).toEqual([1, true]);
    nowMs += 1;
    await one.refresh();
    expect(counts).toBe(2);
  });

  it('keeps what took long to count until it is counted again', async () => {
    const one = counted();
    response = async () => void (nowMs += 3_000);
    await one.refresh();
    nowMs += 146_999;
    await one.refresh();
    expect([counts, one.isKnown, forgotten]).toEqual([1, true, 0]);
  });

  it('forgets what it showed when it cannot count, says so, and tries again', async () => {
    const one = counted();
    await one.refresh();
    const away = new Error('away');
    response = () => Promise.reject(away);
    nowMs += 15_000;
    await one.refresh();
    expect([one.isKnown, forgotten, errors]).toEqual([false, 1, [away]]);
    response = () => Promise.resolve();
    nowMs += 15_000;
    await one.refresh();
    expect(one.isKnown).toBe(true);
  });

  it('keeps no scrape waiting: what was counted last is shown for a minute, then nothing', async () => {
    const one = counted(1);
    await one.refresh();
    const late = Promise.withResolvers<void>();
    response = () => late.promise;
    nowMs += 15_000;
    await one.refresh();
    expect([one.isKnown, forgotten]).toEqual([true, 0]);
    nowMs += 45_000;
    await one.refresh();
    expect([one.isKnown, forgotten, counts]).toEqual([false, 1, 2]);
    late.resolve();
    await one.refresh();
    expect(one.isKnown).toBe(true);
  });
});

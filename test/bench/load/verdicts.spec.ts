import type { Backlogged } from './backlog.js';
import type { UnderLoad } from './constant-load.js';
import type { Overloaded } from './overload.js';
import { wrongWithBacklog, wrongWithLoad, wrongWithOverload } from './verdicts.js';

const steady = { firstMiB: 300, lastMiB: 301, growthMiBAMinute: 0.5, everyMinuteMiB: [300] };
const growing = { ...steady, growthMiBAMinute: 2.1 };
const good: UnderLoad = {
  ...{
    minutes: 10,
    perSecond: 300,
    requests: 180_000,
    failures: 0,
    writes: 9_000,
    notNotified: 0,
    slowSeconds: 0,
    kinds: {},
  },
  ms: { requests: { p50: 2, p99: 20, p999: 900 }, notified: { p50: 20, p99: 100, p999: 900 } },
  memory: { api: steady, worker: steady },
};

describe('a constant load', () => {
  it('is as it has to be', () => {
    expect(wrongWithLoad(good)).toEqual([]);
  });

  it.each<[string, Partial<UnderLoad>, string]>([
    ['one request fails', { failures: 1 }, '1 of 180000 requests failed'],
    ['one write does not arrive', { notNotified: 1 }, '1 of 9000 writes did not reach the receiver'],
    ['the api grows', { memory: { api: growing, worker: steady } }, 'api: grows by 2.1 MiB a minute, at most 2'],
    ['the worker grows', { memory: { api: steady, worker: growing } }, 'worker: grows by 2.1 MiB a minute, at most 2'],
    ['half is slow', { ms: { ...good.ms, requests: { p50: 7, p99: 20, p999: 1 } } }, 'requests: p50 7 ms, at most 6'],
    [
      'some are slow',
      { ms: { ...good.ms, requests: { p50: 2, p99: 101, p999: 1 } } },
      'requests: p99 101 ms, at most 100',
    ],
    [
      'it arrives late',
      { ms: { ...good.ms, notified: { p50: 61, p99: 100, p999: 1 } } },
      'notified: p50 61 ms, at most 60',
    ],
    [
      'some arrives late',
      { ms: { ...good.ms, notified: { p50: 2, p99: 301, p999: 1 } } },
      'notified: p99 301 ms, at most 300',
    ],
    [
      'none arrives',
      { ms: { ...good.ms, notified: { p50: NaN, p99: 1, p999: 1 } } },
      'notified: p50 NaN ms, at most 60',
    ],
    ['nothing is written', { writes: 0 }, 'nothing was written'],
  ])('is not when %s', (_, seen, wrong) => {
    expect(wrongWithLoad({ ...good, ...seen })).toEqual([wrong]);
  });

  it('says nothing of memory when it was short, and may be slow where that is allowed', () => {
    const short = { ...good, minutes: 1, memory: { api: growing, worker: growing } };
    expect(wrongWithLoad(short)).toEqual([]);
    const slow = { ...good, ms: { ...good.ms, requests: { p50: 17, p99: 119, p999: 900 } } };
    expect([wrongWithLoad(slow).length, wrongWithLoad(slow, 3)]).toEqual([2, []]);
  });
});

describe('an overload', () => {
  const shed: Overloaded = {
    peaks: [400, 420],
    goodput: 380,
    statuses: { 200: 10_000, 429: 5, 503: 20_000 },
    refusal: { count: 300, unexplained: 0, p50: 8, p95: 20 },
    machine: { p50: 1, p95: 2 },
    recoveryMs: 100,
  };

  it('is shed as it has to be', () => {
    expect(wrongWithOverload(shed)).toEqual([]);
  });

  it.each<[string, Partial<Overloaded>]>([
    ['another status', { statuses: { ...shed.statuses, 500: 1 } }],
    ['no answer', { statuses: { ...shed.statuses, 0: 1 } }],
    ['nobody refused', { refusal: { ...shed.refusal, count: 0 } }],
    ['a refusal of somebody else', { refusal: { ...shed.refusal, unexplained: 1 } }],
    ['slow refusals', { refusal: { ...shed.refusal, p95: 50 } }],
    ['little done', { goodput: 319 }],
    ['not over in time', { recoveryMs: 10_000 }],
    ['never over', { recoveryMs: Infinity }],
  ])('is not with %s', (_, seen) => {
    expect(wrongWithOverload({ ...shed, ...seen })).toHaveLength(1);
  });
});

describe('a backlog', () => {
  const calm: Backlogged = {
    messages: 1_000_000,
    seedMs: 1,
    readMs: { empty: 3, backlogged: 3.4 },
    perSecond: { plain: [1_700, 1_600], backlogged: 1_700 },
    residentMiB: { plain: 300, backlogged: 310 },
  };

  it('harms nobody', () => {
    expect(wrongWithBacklog(calm)).toEqual([]);
  });

  it.each<[string, Partial<Backlogged>]>([
    ['reads', { readMs: { empty: 3, backlogged: 4.6 } }],
    ['memory', { residentMiB: { plain: 300, backlogged: 380 } }],
    ['deliveries', { perSecond: { plain: [1_700, 1_600], backlogged: 1_200 } }],
  ])('harms %s', (_, seen) => {
    expect(wrongWithBacklog({ ...calm, ...seen })).toHaveLength(1);
  });
});

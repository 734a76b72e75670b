import { rangeUntil, withoutGaps } from './buckets.js';

const NOW_MS = Date.parse('2026-11-21T09:30:17.500Z');

describe('rangeUntil', () => {
  it('ends with the bucket that now is in, and begins at a multiple of its length', () => {
    expect(rangeUntil(NOW_MS, 60, 60)).toEqual({
      from: new Date('2026-11-21T08:31:00Z'),
      to: new Date('2026-11-21T09:31:00Z'),
      bucketSeconds: 60,
    });
    expect(rangeUntil(Date.parse('2026-11-21T09:30:00Z'), 1_800, 48)).toMatchObject({
      from: new Date('2026-11-20T10:00:00Z'),
      to: new Date('2026-11-21T10:00:00Z'),
    });
  });
});

describe('withoutGaps', () => {
  const range = rangeUntil(NOW_MS, 60, 3);

  it('gives every bucket, oldest first, whatever was found in which order', () => {
    const found = [
      { index: 2, delivered: 4, failed: 1, p50Ms: 10.4, p95Ms: 20.6 },
      { index: 0, delivered: 2, failed: 0, p50Ms: 1, p95Ms: 1 },
    ];
    expect(withoutGaps(range, found, { delivered: 0, failed: 0 })).toEqual([
      { at: new Date('2026-11-21T09:28:00.000Z'), delivered: 2, failed: 0, p50Ms: 1, p95Ms: 1 },
      { at: new Date('2026-11-21T09:29:00.000Z'), delivered: 0, failed: 0, p50Ms: null, p95Ms: null },
      { at: new Date('2026-11-21T09:30:00.000Z'), delivered: 4, failed: 1, p50Ms: 10, p95Ms: 21 },
    ]);
  });

  it('leaves out what lies beyond the range', () => {
    const found = [{ index: 3, delivered: 1, failed: 0, p50Ms: 1, p95Ms: 1 }];
    expect(withoutGaps(range, found, { delivered: 0, failed: 0 }).map(({ delivered }) => delivered)).toEqual([0, 0, 0]);
  });
});

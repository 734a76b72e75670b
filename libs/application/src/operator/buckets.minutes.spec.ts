import type { BucketedRange } from '#domain/operator';
import { MinuteBuckets } from './buckets.js';

const NOW_MS = Date.parse('2026-11-21T09:30:17.500Z');
const MINUTE_MS = 60_000;

/** Something happens once in each minute, and is known as `count` by whoever reads. */
function fixture() {
  const asked: string[] = [];
  const state = { count: 1, failsAfter: Infinity };
  const clock = (at: Date) => at.toISOString().slice(11, 16);
  const hour = new MinuteBuckets(async ({ from, to }: BucketedRange) => {
    if (asked.length >= state.failsAfter) throw new Error('away');
    asked.push(`${clock(from)}-${clock(to)}`);
    const minutes = (to.getTime() - from.getTime()) / MINUTE_MS;
    return Array.from({ length: minutes }, (_, index) => ({ index, count: state.count }));
  });
  return { asked, state, hour, again: () => void (asked.length = 0) };
}

const indexes = (rows: { index: number }[]) => rows.map(({ index }) => index);

describe('the last hour', () => {
  it('is read in parts, minute by minute', async () => {
    const { hour, asked } = fixture();
    const { range, rows } = await hour.read(NOW_MS);
    expect([range.from, range.to]).toEqual([new Date('2026-11-21T08:31:00Z'), new Date('2026-11-21T09:31:00Z')]);
    expect(indexes(rows)).toEqual(Array.from({ length: 60 }, (_, index) => index));
    expect(asked).toEqual(['08:31-08:41', '08:41-08:51', '08:51-09:01', '09:01-09:11', '09:11-09:21', '09:21-09:31']);
  });

  it('is read anew only where something may still come', async () => {
    const { hour, asked, state, again } = fixture();
    await hour.read(NOW_MS);
    again();
    state.count = 2;
    const { rows } = await hour.read(NOW_MS + 5 * MINUTE_MS);
    expect(asked).toEqual(['09:28-09:36']);
    expect(indexes(rows)).toEqual(Array.from({ length: 60 }, (_, index) => index));
    expect(rows.map(({ count }) => count)).toEqual([...Array(52).fill(1), ...Array(8).fill(2)]);
  });

  it('is read as a whole when it has nothing in common with the one before', async () => {
    const { hour, asked, again } = fixture();
    await hour.read(NOW_MS);
    again();
    await hour.read(NOW_MS + 120 * MINUTE_MS);
    expect(asked).toHaveLength(6);
    again();
    await hour.read(NOW_MS);
    expect(asked).toHaveLength(6);
  });

  it('goes on after a failure where that was', async () => {
    const { hour, asked, state, again } = fixture();
    state.failsAfter = 4;
    await expect(hour.read(NOW_MS)).rejects.toThrow('away');
    again();
    state.failsAfter = Infinity;
    const { rows } = await hour.read(NOW_MS);
    expect(asked).toEqual(['09:11-09:21', '09:21-09:31']);
    expect(rows).toHaveLength(60);
  });
});

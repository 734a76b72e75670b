import { describe, expect, it } from '@jest/globals';
import { bucketAt, maxStack, maxValue, linePath, PLOT_HEIGHT, scaleEnd, stackedBars } from './plot.js';

describe('scaleEnd', () => {
  it.each([
    [0, 1],
    [1, 1],
    [1.5, 2],
    [3, 5],
    [7, 10],
    [10, 10],
    [11, 20],
    [420, 500],
    [999_999, 1_000_000],
  ])('puts %d below %d', (largest, end) => {
    expect(scaleEnd(largest)).toBe(end);
  });
});

describe('stackedBars', () => {
  it('puts the second series on top of the first, in the same bucket', () => {
    const [[first] = [], [second] = []] = stackedBars([[5], [5]], 10);
    expect(first).toMatchObject({ y: PLOT_HEIGHT / 2, height: PLOT_HEIGHT / 2 });
    expect(second).toMatchObject({ y: 0, height: PLOT_HEIGHT / 2, x: first?.x });
  });

  it('shows one among a million, and nothing for none', () => {
    const [few = [], none] = stackedBars([[1], [0]], 1_000_000);
    expect(few[0]?.height).toBe(2);
    expect(none).toEqual([]);
  });
});

describe('linePath', () => {
  it('goes through the middles of the buckets', () => {
    expect(linePath([0, 10], 10)).toBe('M250 140h0L750 0');
  });

  it('is interrupted where nothing was measured', () => {
    expect(linePath([null, 5, null, null, 10], 10)).toBe('M300 70h0M900 0h0');
  });
});

it('finds the largest of stacks and of lines', () => {
  const series = [
    [1, 7],
    [9, null],
  ];
  expect(maxStack(series)).toBe(10);
  expect(maxValue(series)).toBe(9);
  expect(maxStack([])).toBe(0);
  expect(maxValue([[]])).toBe(0);
});

it('keeps to the buckets that there are, wherever the pointer is', () => {
  expect([-0.1, 0, 0.5, 0.999, 1, 2].map((share) => bucketAt(share, 4))).toEqual([0, 0, 2, 3, 3, 3]);
});

/** SVG units; the plot is stretched to the available width. */
export const PLOT_WIDTH = 1000;
/** Pixels. */
export const PLOT_HEIGHT = 140;

/** Pixels. Small values must stay visible. */
const MIN_BAR_HEIGHT = 2;
const BAR_SHARE = 0.8;

export interface Bar {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Returns the smallest 1, 2 or 5 times a power of ten that is not below `largest`; at least 1. */
export function scaleEnd(largest: number): number {
  if (largest <= 1) return 1;
  const power = 10 ** Math.floor(Math.log10(largest));
  return [1, 2, 5, 10].map((step) => step * power).find((end) => end >= largest) ?? largest;
}

export function maxStack(series: readonly (readonly (number | null)[])[]): number {
  const buckets = series[0]?.map((_, at) => series.reduce((sum, values) => sum + (values[at] ?? 0), 0)) ?? [];
  return Math.max(0, ...buckets);
}

export function maxValue(series: readonly (readonly (number | null)[])[]): number {
  return Math.max(0, ...series.flatMap((values) => values.map((value) => value ?? 0)));
}

/**
 * Stacks bars with the first series at the bottom. Zero values have no bar.
 * @param end of the scale
 * @returns bars per series
 */
export function stackedBars(series: readonly (readonly (number | null)[])[], end: number): Bar[][] {
  const tops: number[] = [];
  return series.map((values) => {
    const slot = PLOT_WIDTH / values.length;
    return values.flatMap((value, at) => {
      if (value === null || value <= 0) return [];
      const height = Math.max(MIN_BAR_HEIGHT, (value / end) * PLOT_HEIGHT);
      const top = (tops[at] ?? 0) + height;
      tops[at] = top;
      return [{ x: (at + (1 - BAR_SHARE) / 2) * slot, y: PLOT_HEIGHT - top, width: slot * BAR_SHARE, height }];
    });
  });
}

/**
 * Returns the `d` of an SVG path through the middles of the buckets, with gaps for null. A value between two gaps
 * becomes a line of zero length, which round caps show as a point.
 */
export function linePath(values: readonly (number | null)[], end: number): string {
  const slot = PLOT_WIDTH / values.length;
  return values
    .map((value, at) => {
      if (value === null) return '';
      const point = `${round((at + 0.5) * slot)} ${round(PLOT_HEIGHT - (value / end) * PLOT_HEIGHT)}`;
      return (values[at - 1] ?? null) === null ? `M${point}h0` : `L${point}`;
    })
    .join('');
}

/** @param share of the width, 0 to 1 */
export function bucketAt(share: number, buckets: number): number {
  return Math.min(buckets - 1, Math.max(0, Math.floor(share * buckets)));
}

const round = (value: number): number => Math.round(value * 10) / 10;

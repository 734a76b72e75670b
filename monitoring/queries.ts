/**
 * What this share of what fell into buckets was below. Where nothing did, there is no series: no comparison holds for NaN.
 * @param buckets increases or rates, `by (le, …)`
 */
export function quantile(share: number, buckets: string): string {
  return `histogram_quantile(${share}, ${buckets}) >= 0`;
}

/** Part of a whole. Of nothing there is no part, and no series. */
export function ratio(part: string, whole: string): string {
  return `${part} / (${whole} > 0)`;
}

/** The same where one number is asked for: 0 of nothing, and no series where nobody measures. */
export function ratioOrZero(part: string, whole: string): string {
  return `(${part} / (${whole} > 0)) or ${whole} * 0`;
}

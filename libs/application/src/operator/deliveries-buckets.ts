import type { BucketedRange, Durations } from '#domain/operator';

export function rangeUntil(nowMs: number, bucketSeconds: number, buckets: number): BucketedRange {
  const bucketMs = bucketSeconds * 1_000;
  const endMs = (Math.floor(nowMs / bucketMs) + 1) * bucketMs;
  return { from: new Date(endMs - buckets * bucketMs), to: new Date(endMs), bucketSeconds };
}

/** Durations are null for an empty bucket. */
export type ShownBucket<Counts> = Counts & { at: Date; p50Ms: number | null; p95Ms: number | null };

export type Counts<Bucket> = Omit<Bucket, 'index' | 'p50Ms' | 'p95Ms'>;

export interface Bucketed<Bucket> {
  bucketSeconds: number;
  buckets: ShownBucket<Counts<Bucket>>[];
}

export function withoutGaps<Counts extends object>(
  { from, to, bucketSeconds }: BucketedRange,
  found: readonly (Counts & Durations & { index: number })[],
  nothing: Counts,
): ShownBucket<Counts>[] {
  const bucketMs = bucketSeconds * 1_000;
  const byIndex = new Map(found.map(({ index, ...bucket }) => [index, bucket]));
  return Array.from({ length: (to.getTime() - from.getTime()) / bucketMs }, (_, index) => {
    const at = new Date(from.getTime() + index * bucketMs);
    const bucket = byIndex.get(index);
    if (bucket === undefined) return { at, ...nothing, p50Ms: null, p95Ms: null };
    return { at, ...(bucket as Counts & Durations), p50Ms: Math.round(bucket.p50Ms), p95Ms: Math.round(bucket.p95Ms) };
  });
}

import type { BucketedRange, Durations } from '#domain/operator';

const MINUTE_MS = 60_000;
const MINUTES = 60;
const SETTLED_MS = 120_000;
/** Length of one read: a busy hour would exceed the statement timeout. */
const CHUNK_MS = 10 * MINUTE_MS;

export class MinuteBuckets<Row extends { index: number }> {
  private readonly settled = new Map<number, Row[]>();

  constructor(private readonly readRange: (range: BucketedRange) => Promise<Row[]>) {}

  async read(nowMs: number): Promise<{ range: BucketedRange; rows: Row[] }> {
    const range = rangeUntil(nowMs, MINUTE_MS / 1_000, MINUTES);
    const [fromMs, toMs] = [range.from.getTime(), range.to.getTime()];
    for (const atMs of this.settled.keys()) if (atMs < fromMs || atMs >= toMs) this.settled.delete(atMs);
    let startMs = fromMs;
    const rows: Row[] = [];
    for (let known = this.settled.get(startMs); known !== undefined; known = this.settled.get(startMs)) {
      rows.push(...numbered(known, (startMs - fromMs) / MINUTE_MS));
      startMs += MINUTE_MS;
    }
    for (; startMs < toMs; startMs += CHUNK_MS) {
      const part = { ...range, from: new Date(startMs), to: new Date(Math.min(startMs + CHUNK_MS, toMs)) };
      const found = await this.readRange(part);
      rows.push(...found.map((row) => ({ ...row, index: row.index + (startMs - fromMs) / MINUTE_MS })));
      this.keep(part, found, nowMs);
    }
    return { range, rows };
  }

  private keep({ from, to }: BucketedRange, found: readonly Row[], nowMs: number): void {
    for (let atMs = from.getTime(), index = 0; atMs < to.getTime(); atMs += MINUTE_MS, index += 1) {
      if (atMs + MINUTE_MS + SETTLED_MS > nowMs) return;
      this.settled.set(
        atMs,
        found.filter((row) => row.index === index),
      );
    }
  }
}

function numbered<Row>(rows: readonly Row[], index: number): Row[] {
  return rows.map((row) => ({ ...row, index }));
}

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

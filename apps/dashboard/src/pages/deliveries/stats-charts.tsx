import type { Api } from '../../api/index.js';
import { count, milliseconds, TimeChart, type TimeSeries } from '../../charts/index.js';

interface Stats<Bucket> {
  bucketSeconds: number;
  buckets: readonly Bucket[];
}

export function AttemptsChart({ stats, level }: { stats: Stats<Api.DeliveryBucket> | undefined; level?: 2 | 3 }) {
  const buckets = stats?.buckets ?? [];
  return (
    <TimeChart
      title="Attempts"
      level={level}
      kind="bars"
      starts={buckets.map(({ at }) => at)}
      bucketSeconds={stats?.bucketSeconds ?? 0}
      series={[
        { name: 'Delivered', tone: 'good', values: buckets.map(({ delivered }) => delivered) },
        { name: 'Failed', tone: 'bad', values: buckets.map(({ failed }) => failed) },
      ]}
      format={count}
      summary={total}
      empty="No attempts in this time."
    />
  );
}

export interface DurationsChartProps {
  stats: Stats<{ at: string; p50Ms: number | null; p95Ms: number | null }> | undefined;
  title: string;
  level?: 2 | 3;
  empty: string;
}

export function DurationsChart({ stats, title, level, empty }: DurationsChartProps) {
  const buckets = stats?.buckets ?? [];
  return (
    <TimeChart
      title={title}
      level={level}
      kind="lines"
      starts={buckets.map(({ at }) => at)}
      bucketSeconds={stats?.bucketSeconds ?? 0}
      series={[
        { name: 'p50', tone: 'usual', values: buckets.map(({ p50Ms }) => p50Ms) },
        { name: 'p95', tone: 'slow', values: buckets.map(({ p95Ms }) => p95Ms) },
      ]}
      format={milliseconds}
      summary={latest}
      empty={empty}
    />
  );
}

export function total({ values }: TimeSeries): string {
  return count(values.reduce<number>((sum, value) => sum + (value ?? 0), 0));
}

function latest({ values }: TimeSeries): string {
  const value = values.findLast((one) => one !== null);
  return value === undefined || value === null ? '–' : milliseconds(value);
}

import { SegmentedControl, SimpleGrid } from '@mantine/core';
import { useApi, type Api } from '../../api/index.js';
import { useFilters } from '../../filters/index.js';
import { ErrorNote } from '../../ui/index.js';
import { AttemptsChart, DurationsChart } from './stats-charts.js';
import classes from './deliveries.module.css';

const RANGES: { value: Api.StatsRange; label: string }[] = [
  { value: '1h', label: '1 hour' },
  { value: '24h', label: '24 hours' },
  { value: '7d', label: '7 days' },
];
const RANGE_RULES = { range: RANGES.map(({ value }) => value) };
const EVERY_MS = 15_000;

export function DeliveryStatsPanel(of: Omit<Api.GetDeliveryStatsData['query'], 'range'>) {
  const { filters, change } = useFilters(RANGE_RULES);
  const range = filters.range ?? '24h';
  const stats = useApi<Api.DeliveryStats>(
    '/deliveries/stats',
    { ...of, range },
    { refetchInterval: EVERY_MS, keepPrevious: true },
  );
  return (
    <section aria-label="Figures" aria-busy={stats.isPending} className={classes.panel}>
      <SegmentedControl
        aria-label="Range of the figures"
        size="xs"
        value={range}
        onChange={(value) => change({ range: value })}
        data={RANGES}
      />
      {stats.error && <ErrorNote error={stats.error} onRetry={() => void stats.refetch()} />}
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="xl">
        <AttemptsChart stats={stats.data} />
        <DurationsChart stats={stats.data} title="Attempt duration" empty="No attempts in this time." />
      </SimpleGrid>
    </section>
  );
}

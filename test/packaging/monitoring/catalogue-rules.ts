import { PROVIDER_TYPES } from '#providers';
import { CATALOGUE, type MetricDefinition } from '../../../libs/platform/src/telemetry/catalogue.js';
import { parseQuery, type Selector } from './promql.js';

/** What a scrape, or the Prometheus of a cluster, adds to every series. */
const TARGET_LABELS = ['cluster', 'job', 'instance', 'namespace', 'pod'];
/** Of a recorded objective. */
const OBJECTIVE_LABELS = ['slo', 'cluster', 'namespace'];
const DEFINITIONS: Record<string, MetricDefinition> = CATALOGUE;

/** Process metrics of prom-client, and what Prometheus itself records, with their labels. */
const OTHERS: Record<string, readonly string[]> = {
  up: [],
  ALERTS: ['alertname', 'alertstate', 'severity', 'slo'],
  process_cpu_seconds_total: [],
  process_max_fds: [],
  process_open_fds: [],
  process_resident_memory_bytes: [],
  process_start_time_seconds: [],
  nodejs_eventloop_lag_mean_seconds: [],
  nodejs_eventloop_lag_p99_seconds: [],
  nodejs_external_memory_bytes: [],
  nodejs_gc_duration_seconds_sum: ['kind'],
  nodejs_heap_size_total_bytes: [],
  nodejs_heap_size_used_bytes: [],
};

interface Series {
  labels: readonly string[];
  definition: MetricDefinition | null;
}

/**
 * What of a query is not measured: metrics, labels and label values that the catalogue does not know.
 * @param recorded names of recording rules
 */
export function unknownIn(query: string, recorded: ReadonlySet<string>): string[] {
  const { selectors, groupedBy } = parseQuery(query);
  const read = selectors.map((selector) => ({ selector, series: seriesOf(selector.metric, recorded) }));
  const known = new Set([...TARGET_LABELS, ...read.flatMap(({ series }) => series?.labels ?? [])]);
  return [
    ...read.flatMap(({ selector, series }) =>
      series === null ? [selector.metric] : strangeMatchers(selector, series),
    ),
    ...groupedBy.filter((label) => !known.has(label)).map((label) => `by ${label}`),
  ];
}

function seriesOf(name: string, recorded: ReadonlySet<string>): Series | null {
  if (recorded.has(name)) return { labels: OBJECTIVE_LABELS, definition: null };
  const other = OTHERS[name];
  if (other !== undefined) return { labels: other, definition: null };
  const direct = DEFINITIONS[name];
  // A histogram has no series of its own name.
  if (direct?.kind === 'histogram') return null;
  if (direct !== undefined) return { labels: Object.keys(direct.labels), definition: direct };
  const [, base = '', part = ''] = /^(.+)_(bucket|count|sum)$/.exec(name) ?? [];
  const histogram = DEFINITIONS[base];
  if (histogram?.kind !== 'histogram') return null;
  return { labels: [...Object.keys(histogram.labels), ...(part === 'bucket' ? ['le'] : [])], definition: histogram };
}

function strangeMatchers({ metric, matchers }: Selector, { labels, definition }: Series): string[] {
  return matchers.flatMap(({ label, operator, value }) => {
    // A variable of a dashboard.
    if (value.startsWith('$')) return [];
    if (!labels.includes(label) && !TARGET_LABELS.includes(label)) return [`${metric}{${label}}`];
    if (definition === null || (label !== 'le' && !(label in definition.labels))) return [];
    const patterns = operator.includes('~') ? value.split('|').map((one) => new RegExp(`^(?:${one})$`)) : [value];
    return patterns
      .filter((pattern) => !isKnown(definition, label, pattern))
      .map((pattern) => `${metric}{${label}="${String(pattern)}"}`);
  });
}

/** Whether a label has the value, or one that the pattern stands for. What a process tells of itself may be anything. */
function isKnown({ labels, buckets = [] }: MetricDefinition, label: string, value: string | RegExp): boolean {
  const isMeant = (one: string) => (value instanceof RegExp ? value.test(one) : value === one);
  if (label === 'le') return buckets.some((bound) => isMeant(String(bound)) || isMeant(bound.toFixed(1)));
  const known = label === 'provider' ? PROVIDER_TYPES : labels[label];
  return known === undefined || known === 'registered' || known.some(isMeant);
}

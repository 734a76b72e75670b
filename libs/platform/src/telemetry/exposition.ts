import prometheus from 'prom-client';
import { CATALOGUE, type MetricName } from './catalogue.js';
import { counter, gauge, histogram, registry, tellValues } from './instruments.js';

export interface Exposition {
  contentType: string;
  body: string;
}

/** Brings gauges up to date. Called before the answer to every scrape, which waits for it; must not throw. */
export type Collector = () => void | Promise<void>;

const collectors = new Set<Collector>();

/** What Node tells of its process is registered once for its life. */
let isMeasuring = false;

/** @returns what ends it */
export function beforeScrape(collector: Collector): () => void {
  collectors.add(collector);
  return () => collectors.delete(collector);
}

/** Everything that the catalogue names is there from now on, and what a process of Node tells of itself. May be called again. */
export function beginMeasuring({ version, component }: { version: string; component: 'api' | 'worker' }): void {
  for (const name of Object.keys(CATALOGUE) as MetricName[]) create(name);
  if (!isMeasuring) prometheus.collectDefaultMetrics({ register: registry });
  isMeasuring = true;
  tellValues('calendar_build_info', 'version', [version]);
  gauge('calendar_build_info').set(1, { version, component });
}

/** @param accept the header of who asks; OpenMetrics is for who knows it */
export async function exposition(accept: string | undefined): Promise<Exposition> {
  await Promise.all([...collectors].map(async (collect) => collect()));
  // What nobody has measured yet is written by the library in letters that no format knows.
  const openMetrics = (await registry.metrics()).replace(/ Nan$/gm, ' NaN');
  if (accept?.includes('application/openmetrics-text') === true) {
    return { contentType: prometheus.Registry.OPENMETRICS_CONTENT_TYPE, body: openMetrics };
  }
  return { contentType: prometheus.Registry.PROMETHEUS_CONTENT_TYPE, body: withoutOpenMetrics(openMetrics) };
}

function create(name: MetricName): void {
  const { kind } = CATALOGUE[name];
  if (kind === 'counter') counter(name as Parameters<typeof counter>[0]);
  else if (kind === 'gauge') gauge(name as Parameters<typeof gauge>[0]);
  else histogram(name as Parameters<typeof histogram>[0]);
}

/**
 * The older text format: without exemplars and end, and with counters called in their descriptions as they are in their samples.
 * The library cannot write one registry in both.
 */
function withoutOpenMetrics(text: string): string {
  return text
    .replace(/^(# HELP )(\S+)( .*\n# TYPE )\2 counter$/gm, '$1$2_total$3$2_total counter')
    .replace(/ # \{[^}\n]*\} \S+ \S+$/gm, '')
    .replace(/^# EOF\n/m, '');
}

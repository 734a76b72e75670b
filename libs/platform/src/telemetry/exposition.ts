import prometheus from 'prom-client';
import { CATALOGUE, type MetricName } from './catalogue.js';
import { counter, gauge, histogram, registry, registerLabelValues } from './instruments.js';

export interface Exposition {
  contentType: string;
  body: string;
}

/** Updates gauges before each scrape, which waits for it. Must not throw. */
export type Collector = () => void | Promise<void>;

const collectors = new Set<Collector>();

/** Node's default metrics can be registered only once. */
let isMeasuring = false;

/** Returns a function that unregisters the collector. */
export function beforeScrape(collector: Collector): () => void {
  collectors.add(collector);
  return () => collectors.delete(collector);
}

export function beginMeasuring({ version, component }: { version: string; component: 'api' | 'worker' }): void {
  for (const name of Object.keys(CATALOGUE) as MetricName[]) create(name);
  if (!isMeasuring) prometheus.collectDefaultMetrics({ register: registry });
  isMeasuring = true;
  registerLabelValues('calendar_build_info', 'version', [version]);
  gauge('calendar_build_info').set(1, { version, component });
}

/** @param accept header of the request; OpenMetrics only on request */
export async function exposition(accept: string | undefined): Promise<Exposition> {
  await Promise.all([...collectors].map(async (collect) => collect()));
  // The library writes missing values as `Nan`, which no format allows.
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

/** The library cannot write one registry in both formats. */
function withoutOpenMetrics(text: string): string {
  return text
    .replace(/^(# HELP )(\S+)( .*\n# TYPE )\2 counter$/gm, '$1$2_total$3$2_total counter')
    .replace(/ # \{[^}\n]*\} \S+ \S+$/gm, '')
    .replace(/^# EOF\n/m, '');
}

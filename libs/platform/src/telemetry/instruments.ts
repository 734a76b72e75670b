import prometheus, { type OpenMetricsContentType } from 'prom-client';
import { CATALOGUE, UNKNOWN, type MetricDefinition, type MetricName } from './catalogue.js';
import { currentTraceId } from './tracing.js';

/** In the OpenMetrics format, the only one with exemplars. */
export const registry = new prometheus.Registry<OpenMetricsContentType>();
registry.setContentType(prometheus.Registry.OPENMETRICS_CONTENT_TYPE);

type Definition<N extends MetricName> = (typeof CATALOGUE)[N];

export type LabelsOf<N extends MetricName> = {
  readonly [L in keyof Definition<N>['labels']]: Definition<N>['labels'][L] extends readonly (infer T extends string)[]
    ? T
    : string;
};

type NameOf<K extends MetricDefinition['kind']> = {
  [N in MetricName]: Definition<N>['kind'] extends K ? N : never;
}[MetricName];

type Labelled<N extends MetricName> = [keyof LabelsOf<N>] extends [never] ? [] : [labels: LabelsOf<N>];

export interface Counter<N extends MetricName> {
  add(count: number, ...labels: Labelled<N>): void;
}

export interface Gauge<N extends MetricName> {
  set(value: number, ...labels: Labelled<N>): void;
  add(change: number, ...labels: Labelled<N>): void;
  /** Removes all series: the values are unknown. */
  clear(): void;
}

export interface Histogram<N extends MetricName> {
  /** @param traceId of the measured work, null when not exported; default: the current trace */
  observe(seconds: number, labels: LabelsOf<N>, traceId?: string | null): void;
}

/** The known values of each label, by metric and label. */
const known = new Map<string, ReadonlySet<string>>();
for (const [name, { labels }] of Object.entries<MetricDefinition>(CATALOGUE)) {
  for (const [label, values] of Object.entries(labels)) {
    known.set(`${name} ${label}`, new Set(values === 'registered' ? [] : values));
  }
}

/** Registers the values of a label marked `registered` in the catalogue. Others are recorded as {@link UNKNOWN}. */
export function registerLabelValues<N extends MetricName>(
  name: N,
  label: keyof LabelsOf<N> & string,
  values: Iterable<string>,
): void {
  known.set(`${name} ${label}`, new Set(values));
  zero.get(name)?.();
}

export function registerProviders(types: readonly string[]): void {
  for (const [name, { labels }] of Object.entries<MetricDefinition>(CATALOGUE)) {
    if ('provider' in labels) registerLabelValues(name as 'calendar_channels', 'provider', types);
  }
}

/** Creates the series of a counter at zero, by its name, so that a rate includes the first increment. */
const zero = new Map<string, () => void>();

/** For test suites, which share one process. */
export function resetMetrics(): void {
  registry.resetMetrics();
  for (const create of zero.values()) create();
}

type LabelValues = Readonly<Record<string, string>>;

class Series<Child> {
  private readonly children = new Map<string, Child>();
  private readonly labels: readonly string[];

  constructor(
    private readonly name: string,
    definition: MetricDefinition,
    private readonly make: (labels: Record<string, string>) => Child,
  ) {
    this.labels = Object.keys(definition.labels);
  }

  of(labels: LabelValues = {}): Child {
    return this.children.get(this.keyOf(labels)) ?? this.guarded(labels);
  }

  clear(): void {
    this.children.clear();
  }

  private guarded(given: LabelValues): Child {
    const labels = Object.fromEntries(
      this.labels.map((label) => {
        const value = given[label];
        const isKnown = value !== undefined && known.get(`${this.name} ${label}`)?.has(value) === true;
        return [label, isKnown ? value : UNKNOWN];
      }),
    );
    const key = this.keyOf(labels);
    const child = this.children.get(key) ?? this.make(labels);
    this.children.set(key, child);
    return child;
  }

  /** Known values contain no line break, so keys are unambiguous. */
  private keyOf(labels: LabelValues): string {
    let key = '';
    for (const label of this.labels) key += `${labels[label]}\n`;
    return key;
  }
}

const created = new Map<MetricName, unknown>();

function once<T>(name: MetricName, create: (definition: MetricDefinition) => T): T {
  const existing = created.get(name) as T | undefined;
  if (existing !== undefined) return existing;
  const instrument = create(CATALOGUE[name]);
  created.set(name, instrument);
  return instrument;
}

export function counter<N extends NameOf<'counter'>>(name: N): Counter<N> {
  return once(name, (definition) => {
    const metric = new prometheus.Counter(configurationOf(name, definition));
    const series = new Series(name, definition, (labels) => metric.labels(labels));
    zero.set(name, () => {
      for (const labels of combinations(name, definition)) series.of(labels).inc(0);
    });
    zero.get(name)?.();
    return { add: (count: number, labels?: LabelValues) => series.of(labels).inc(count) };
  });
}

export function gauge<N extends NameOf<'gauge'>>(name: N): Gauge<N> {
  return once(name, (definition) => {
    const metric = new prometheus.Gauge(configurationOf(name, definition));
    const series = new Series(name, definition, (labels) => metric.labels(labels));
    const clear = () => {
      metric.reset();
      // `reset` sets a metric without labels to zero, which is a value.
      if (Object.keys(definition.labels).length === 0) metric.remove();
      series.clear();
    };
    if (definition.isSampled === true) clear();
    return {
      set: (value: number, labels?: LabelValues) => series.of(labels).set(value),
      add: (change: number, labels?: LabelValues) => series.of(labels).inc(change),
      clear,
    };
  });
}

export function histogram<N extends NameOf<'histogram'>>(name: N): Histogram<N> {
  return once(name, (definition) => {
    const hasExemplars = definition.hasExemplars === true;
    const metric = new prometheus.Histogram({
      ...configurationOf(name, definition),
      buckets: [...(definition.buckets ?? [])],
      enableExemplars: hasExemplars,
    });
    const series = new Series(name, definition, (labels) => ({ labels, own: metric.labels(labels) }));
    return {
      observe(seconds, labels, traceId = hasExemplars ? currentTraceId() : undefined) {
        const one = series.of(labels);
        if (traceId == null || !hasExemplars) one.own.observe(seconds);
        else metric.observe({ labels: one.labels, value: seconds, exemplarLabels: { trace_id: traceId } });
      },
    };
  });
}

/** None while values are not registered. */
function combinations(name: string, { labels }: MetricDefinition): LabelValues[] {
  return Object.keys(labels).reduce<LabelValues[]>(
    (made, label) => {
      const values = [...(known.get(`${name} ${label}`) ?? [])];
      return made.flatMap((one) => values.map((value) => ({ ...one, [label]: value })));
    },
    [{}],
  );
}

function configurationOf(name: string, { help, labels }: MetricDefinition) {
  return { name, help, labelNames: Object.keys(labels), registers: [registry] };
}

/** One line of what was scraped. */
export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\\n]|\\["\\n])*)"/y;
const NAME = /[a-zA-Z_:][\w:]*/y;
const VALUE = /^(?:[+-]Inf|NaN|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/;

/** Reads Prometheus' text format 0.0.4, and nothing that is almost it. @throws Error naming the line */
export function parseExposition(text: string): Sample[] {
  if (!text.endsWith('\n')) throw new Error('the last line does not end');
  const types = new Map<string, string>();
  const seen = new Set<string>();
  return text.split('\n').flatMap((line) => {
    if (line === '') return [];
    if (line.startsWith('#')) {
      const [, kind, name = '', type = ''] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? wrong(line);
      if (kind === 'TYPE' && (types.has(name) || !/^(counter|gauge|histogram)$/.test(type))) wrong(line);
      if (kind === 'TYPE') types.set(name, type);
      return [];
    }
    const sample = sampleOf(line);
    const key = line.slice(0, line.lastIndexOf(' '));
    const family = types.has(sample.name) ? sample.name : sample.name.replace(/_(bucket|sum|count)$/, '');
    if (seen.has(key) || !types.has(family)) wrong(line);
    seen.add(key);
    return [sample];
  });
}

function sampleOf(line: string): Sample {
  NAME.lastIndex = 0;
  const name = NAME.exec(line)?.[0] ?? wrong(line);
  const labels: Record<string, string> = {};
  let at = name.length;
  if (line[at] === '{') {
    do {
      LABEL.lastIndex = at + 1;
      const [whole, label = '', value = ''] = LABEL.exec(line) ?? wrong(line);
      if (label in labels) wrong(line);
      labels[label] = value;
      at += 1 + whole.length;
    } while (line[at] === ',');
    if (line[at] !== '}') wrong(line);
    at += 1;
  }
  const text = line.slice(at + 1);
  if (line[at] !== ' ' || !VALUE.test(text)) wrong(line);
  return { name, labels, value: Number(text.replace('Inf', 'Infinity')) };
}

/** A measurement that a bucket names. */
export interface Exemplar {
  labels: Record<string, string>;
  traceId: string;
  value: number;
}

const BUCKET = /^(\S+_bucket\{.*\}) \d+ # \{trace_id="([0-9a-f]{32})"\} (\S+) \d+(?:\.\d+)?$/;

/** Reads what buckets of a histogram name, in OpenMetrics. @throws Error naming a line with another kind of exemplar */
export function exemplarsOf(text: string, histogram: string): Exemplar[] {
  const named = text.split('\n').filter((line) => line.startsWith(`${histogram}_bucket{`) && line.includes(' # '));
  return named.map((line) => {
    const [, bucket = '', traceId = '', value] = BUCKET.exec(line) ?? wrong(line);
    return { labels: sampleOf(`${bucket} 0`).labels, traceId, value: Number(value) };
  });
}

function wrong(line: string): never {
  throw new Error(`not the text format: ${line}`);
}

/** The sum of the samples that have these labels; null: there is none. */
export function valueOf(samples: readonly Sample[], name: string, labels: Record<string, string> = {}): number | null {
  const found = samples.filter(
    (sample) =>
      sample.name === name && Object.entries(labels).every(([label, value]) => sample.labels[label] === value),
  );
  return found.length === 0 ? null : found.reduce((sum, { value }) => sum + value, 0);
}

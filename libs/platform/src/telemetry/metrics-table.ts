import { CATALOGUE, type MetricDefinition } from './catalogue.js';

/** The table of docs/telemetry.md, in Markdown. */
export function metricsTable(): string {
  const rows = Object.entries<MetricDefinition>(CATALOGUE).map(([name, { kind, labels, help }]) => {
    const named = labels.map((label) => `\`${label}\``).join(', ');
    return [`\`${name}\``, kind, named === '' ? 'none' : named, help];
  });
  return [['Metric', 'Kind', 'Labels', 'Meaning'], ['---', '---', '---', '---'], ...rows]
    .map((cells) => `| ${cells.join(' | ')} |\n`)
    .join('');
}

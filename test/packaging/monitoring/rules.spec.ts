import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { CATALOGUE } from '#platform/telemetry';
import { parseQuery } from './promql.js';
import { ALERTS, ROOT, RULES } from './rule-files.js';

const CHART = join(ROOT, 'helm', 'unified-calendar');
const read = (...path: string[]) => parse(readFileSync(join(CHART, ...path), 'utf8'));

interface InhibitRule {
  source_matchers: string[];
  target_matchers: string[];
  equal: string[];
}

/** Names that matchers of an alert's name take. */
function namesIn(matchers: string[]): string[] {
  const patterns = matchers.flatMap((matcher) => /^alertname=~?"(.+)"$/.exec(matcher)?.[1] ?? []);
  return [...new Set(ALERTS.map(({ alert }) => alert))].filter((alert) =>
    patterns.every((pattern) => new RegExp(`^(?:${pattern})$`).test(alert)),
  );
}

describe('rules', () => {
  it('keep installations of several clusters apart', () => {
    for (const { expr } of RULES) {
      for (const [grouping, labels = ''] of expr.matchAll(/\b(?:by|on) \(([^)]*)\)/g)) {
        expect([grouping, labels]).toEqual([grouping, expect.stringMatching(/^cluster, namespace\b/)]);
      }
      expect(expr).not.toMatch(/\b(?:sum|max|min|avg|count|group) \((?!.*\bby\b)/);
    }
  });

  it('have the thresholds that the values of the chart name', () => {
    const thresholds: Record<string, unknown> = {};
    for (const { alert, expr, labels } of ALERTS) {
      const [, limit] = /([\d.]+) # threshold$/m.exec(expr) ?? [];
      if (limit === undefined) continue;
      const isTwofold = ALERTS.filter((other) => other.alert === alert).length > 1;
      const known = thresholds[alert] as object | undefined;
      thresholds[alert] = isTwofold ? { ...known, [labels!['severity']!]: Number(limit) } : Number(limit);
    }
    expect(read('values.yaml').metrics.rules.thresholds).toEqual(thresholds);
  });

  it('have the promises that the values of the chart name', () => {
    const promises: Record<string, number> = {};
    for (const { expr, labels } of ALERTS) {
      const [, budget] = / \* (0\.\d+) and/.exec(expr) ?? [];
      if (budget !== undefined) promises[labels!['slo']!] = Number((100 - Number(budget) * 100).toFixed(3));
    }
    expect(read('values.yaml').metrics.rules.objectives).toEqual(promises);
  });

  it('call nobody at night for a ratio of nothing', () => {
    const ratios = ALERTS.filter(
      ({ expr, labels }) => labels?.['severity'] === 'critical' && / \/$|ratio_rate/m.test(expr),
    );
    const events = ratios.filter(({ labels }) => !/credential_checks|_freshness/.test(labels?.['slo'] ?? ''));
    expect(events.map(({ alert }) => alert)).toContain('CalendarTokenRefreshesFailing');
    for (const { alert, expr } of events) {
      expect([alert, expr]).toEqual([alert, expect.stringMatching(/\band\n.*(?:increase|avg_over_time).* > \d+\s*$/)]);
    }
  });
});

describe('inhibition', () => {
  const rules: InhibitRule[] = read('alertmanager', 'inhibit-rules.yaml').inhibit_rules;
  const specific = rules.slice(1);

  it('has sources and targets that exist, and nothing that silences itself', () => {
    for (const { source_matchers: source, target_matchers: target } of specific) {
      const [name] = namesIn(source);
      const asked = /"(.+)"/.exec(target[0]!)![1]!.split('|');
      expect(namesIn(source)).toHaveLength(1);
      expect(namesIn(target).sort()).toEqual(asked.sort());
      expect(asked).not.toContain(name);
    }
  });

  it('compares only labels that source and target both have', () => {
    const labelsOf = (alert: string) =>
      ALERTS.filter((rule) => rule.alert === alert).flatMap(({ expr }) => parseQuery(expr).groupedBy);
    for (const { source_matchers: source, target_matchers: target, equal } of specific) {
      expect(equal).toEqual(expect.arrayContaining(['cluster', 'namespace']));
      if (!equal.includes('provider')) continue;
      for (const alert of [...namesIn(source), ...namesIn(target)]) expect(labelsOf(alert)).toContain('provider');
    }
  });

  it('leaves one page of what always fires together', () => {
    const pages = (alert: string) =>
      ALERTS.some((rule) => rule.alert === alert && rule.labels?.['severity'] === 'critical');
    const silenced = (source: string) =>
      specific
        .filter(({ source_matchers: one }) => namesIn(one)[0] === source)
        .flatMap(({ target_matchers: one }) => namesIn(one));
    for (const [source, always] of [
      ['CalendarApiDown', ['CalendarApiAvailability']],
      ['CalendarWorkerDown', ['CalendarCredentialChecks', 'CalendarDeliveryFreshness', 'CalendarSyncFreshness']],
      ['CalendarSyncFreshness', ['CalendarOldestDueSync']],
      ['CalendarDeliveryFreshness', ['CalendarOldestDueMessage']],
    ] as const) {
      expect(silenced(source)).toEqual(expect.arrayContaining([...always]));
    }
    expect(pages('CalendarOldestDueSync') || pages('CalendarOldestDueMessage')).toBe(false);
  });
});

describe('labels', () => {
  it('have values in snake_case, but for those of HTTP and of the API', () => {
    const foreign = new Set(['provider', 'status', 'http_request_method', 'http_response_status_code']);
    for (const [name, { labels }] of Object.entries(CATALOGUE)) {
      for (const [label, values] of Object.entries<readonly string[] | string>(labels)) {
        if (typeof values === 'string' || foreign.has(label)) continue;
        expect([name, label, values.filter((value) => !/^[a-z]+(?:[_.][a-z]+)*$/.test(value))]).toEqual([
          name,
          label,
          [],
        ]);
      }
    }
    const objectives = RULES.flatMap(({ labels }) => labels?.['slo'] ?? []);
    expect(objectives.filter((value) => !/^[a-z]+(?:_[a-z]+)*$/.test(value))).toEqual([]);
  });
});

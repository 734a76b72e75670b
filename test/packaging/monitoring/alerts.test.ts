// 60 s: promtool plays every alert rule through weeks of samples, and the budgets through a day of minutes.
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { stringify } from 'yaml';
import { temporaryDirectory } from '../../support/processes.js';
import { promtool } from '../../support/prometheus.js';
import { ALERT_CASES, type AlertCase } from './alert-cases.js';
import { ALERTS, RULE_FILES } from './rule-files.js';

const CASES = ALERT_CASES.map((one) => ({ ...one, does: one.fires === null ? 'is silent' : 'fires' }));
/** Those on causes stand on their own; those on budgets need what is recorded. */
const CAUSES = RULE_FILES.filter((path) => basename(path) === 'causes.yaml');
const BUDGETS = RULE_FILES.filter((path) => !CAUSES.includes(path));

const titleOf = ({ alert, severity, when }: AlertCase) => `${alert} (${severity}) when ${when}`;
const isOnBudget = ({ alert }: AlertCase) => ALERTS.some((rule) => rule.alert === alert && rule.labels?.['slo']);

/**
 * How many alerts fire that have the name, the severity and the labels that were asked for. The comment is how a case that
 * goes wrong is known by: promtool prints the query.
 */
function asked(one: AlertCase): string {
  const labels = `alertname="${one.alert}",alertstate="firing",severity="${one.severity}"`;
  return `count(ALERTS{${labels}${one.fires === null ? '' : `,${one.fires}`}}) or vector(0) # ${titleOf(one)}`;
}

/** In the words of `promtool test rules`. */
function promtoolTest(one: AlertCase): object {
  return {
    interval: '1m',
    input_series: Object.entries(one.series).map(([series, values]) => ({ series, values })),
    promql_expr_test: [
      { expr: asked(one), eval_time: one.at, exp_samples: [{ labels: '{}', value: one.fires === null ? 0 : 1 }] },
    ],
  };
}

describe('alerts', () => {
  let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
  /** What promtool says of all cases; those that went wrong are named. */
  let output = '';

  /** All at once: each run of promtool takes its time. */
  async function tryOut(name: string, rules: string[], cases: AlertCase[]): Promise<string> {
    const file = join(directory.path, name);
    const tests = cases.map(promtoolTest);
    await writeFile(file, stringify({ rule_files: rules, evaluation_interval: '1m', tests }));
    return (await promtool('test', 'rules', file)).output;
  }

  beforeAll(async () => {
    directory = await temporaryDirectory('alerts');
    const budgets = ALERT_CASES.filter(isOnBudget);
    const causes = ALERT_CASES.filter((one) => !isOnBudget(one));
    output = await tryOut('budgets.yaml', BUDGETS, budgets);
    output += await tryOut('causes.yaml', CAUSES, causes);
  });
  afterAll(() => directory.remove());

  it('are rules as Prometheus reads them', async () => {
    expect(await promtool('check', 'rules', ...RULE_FILES)).toMatchObject({ exitCode: 0 });
  });

  it('are each tried out, firing and silent', () => {
    const kinds = ({ alert, severity }: { alert: string; severity: string }) => `${alert} ${severity}`;
    const all = ALERTS.map(({ alert, labels }) => ({ alert, severity: labels?.['severity'] ?? '' }));
    const firing = CASES.filter(({ fires }) => fires !== null);
    const silent = CASES.filter(({ fires }) => fires === null);
    expect(new Set(firing.map(kinds))).toEqual(new Set(all.map(kinds)));
    expect(new Set(silent.map(({ alert }) => alert))).toEqual(new Set(all.map(({ alert }) => alert)));
  });

  it('would be named here if they did not do as they should', async () => {
    const [one] = ALERT_CASES.filter((each) => !isOnBudget(each) && each.fires !== null);
    const wrong = { ...one!, fires: null };
    expect(await tryOut('wrong.yaml', CAUSES, [wrong])).toContain(titleOf(wrong));
    expect(output.match(/SUCCESS|FAILED/g)).toEqual(['SUCCESS', 'SUCCESS']);
  });

  it.each(CASES)('$alert ($severity) $does when $when', (one) => {
    expect(output).not.toContain(titleOf(one));
  });
});

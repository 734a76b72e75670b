// 45 s: Prometheus scrapes a service at work, then an idle one, each for long enough that rates have values.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DASHBOARD_FILES } from '../../../monitoring/dashboard-files.js';
import { parseQuery, type Selector } from './promql.js';
import { ALERTS, queriesIn, RECORDED, ROOT, RULE_FILES, RULES } from './rule-files.js';
import { eventually, freePort } from '../../support/processes.js';
import { startPrometheus, type PrometheusSample, type PrometheusServer } from '../../support/prometheus.js';
import { startWebhookSystem, type WebhookSystem } from '../../support/webhook-system.js';

/** What is counted is as old as a quarter of a minute, rates need two scrapes, and a busy machine is late with both. */
const SHOWN_WITHIN_MS = 60_000;

/** Queries of every panel, as Grafana sends them when nothing is chosen. */
const PANELS = [...DASHBOARD_FILES].flatMap(([file, text]) =>
  (JSON.parse(text).panels as { title: string; targets?: { expr: string }[] }[]).flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }) => ({
      panel: `${file} › ${title}`,
      query: expr.replaceAll('$__rate_interval', '10s').replaceAll(/\$\w+/g, '.*'),
    })),
  ),
);
const PAGES = [
  'docs/operations/slo.md',
  ...readdirSync(join(ROOT, 'docs/runbooks')).map((name) => `docs/runbooks/${name}`),
];

/** Three scrapes. */
const SEEN_AFTER_MS = 3_000;
/** More than the ten seconds that rates look back here. */
const QUIET_AFTER_MS = 13_000;

/** Its series, whatever the values of its labels: what somebody does not do at the moment has none of its own. */
function bare({ metric, matchers }: Selector): string {
  return `${metric}{${matchers.map(({ label }) => `${label}=~".+"`).join(',')}}`;
}

/** Rules as they are, but judged every second. */
function hurried(path: string): string {
  return readFileSync(path, 'utf8').replaceAll(/interval: \w+/g, 'interval: 1s');
}

/** What a share of nothing is. */
function isNoNumber({ value: [, value] }: PrometheusSample): boolean {
  return !Number.isFinite(Number(value));
}

const RECORDS = RULES.filter(({ record }) => record !== undefined);
const queriesOf = (page: string) => queriesIn(readFileSync(join(ROOT, page), 'utf8'));
const selectorsOf = (query: string) => parseQuery(query).selectors.map(bare);

describe('what is shown, and what is alerted of', () => {
  let system: WebhookSystem;
  let prometheus: PrometheusServer;
  /** What queries find that are to find finite numbers, and do not, although all of it has happened. */
  let strange: Map<string, string>;

  beforeAll(async () => {
    const [api, worker] = [await freePort(), await freePort()];
    system = await startWebhookSystem({ METRICS_PORT: String(api) });
    await system.startWorker({ METRICS_PORT: String(worker) });
    prometheus = await startPrometheus({
      targets: { api: `127.0.0.1:${api}`, worker: `127.0.0.1:${worker}` },
      namespace: 'calendar',
      rules: RULE_FILES.map(hurried),
    });
    await work(system);
    // Of a series that has just begun Prometheus knows no rate: the same once more, after it was seen.
    await sleep(SEEN_AFTER_MS);
    await work(system);
    strange = await findNoNumbers([
      ...PANELS.map(({ query }) => query),
      ...RECORDS.map(({ expr }) => expr),
      ...ALERTS.flatMap(({ expr }) => selectorsOf(expr)),
      ...PAGES.flatMap(queriesOf).flatMap(selectorsOf),
    ]);
  });

  afterAll(async () => {
    await prometheus?.stop();
    await system?.fixture.calm();
    await system?.stop();
  });

  /** Of these, with what they find instead; each has some time, all of them the same. */
  async function findNoNumbers(queries: string[]): Promise<Map<string, string>> {
    const waiting = new Map(queries.map((query) => [query, '']));
    const deadline = performance.now() + SHOWN_WITHIN_MS;
    for (;;) {
      for (const query of waiting.keys()) {
        const found = await prometheus.query(query);
        const noNumbers = found.filter(isNoNumber);
        if (found.length > 0 && noNumbers.length === 0) waiting.delete(query);
        else waiting.set(query, found.length === 0 ? 'nothing' : JSON.stringify(noNumbers));
      }
      if (waiting.size === 0 || performance.now() >= deadline) return waiting;
      // Rates look back ten seconds: what was asked for too late has to happen again.
      await work(system);
    }
  }

  it.each(PANELS)('$panel shows numbers', ({ query }) => {
    expect([query, strange.get(query)]).toEqual([query, undefined]);
  });

  it.each(RECORDS.map(({ record, labels, expr }) => [record, labels?.['slo'] ?? '', expr]))(
    'rule %s %s records numbers',
    (_, __, expr = '') => expect([expr, strange.get(expr)]).toEqual([expr, undefined]),
  );

  it.each(ALERTS.map(({ alert, labels, expr }) => [alert, labels?.['severity'], expr]))(
    'alert %s (%s) reads what there is',
    (_, __, expr = '') => expect(selectorsOf(expr).filter((selector) => strange.has(selector))).toEqual([]),
  );

  it.each(PAGES)('%s asks for what there is', async (page) => {
    const queries = queriesOf(page);
    for (const query of queries) await prometheus.query(query);
    expect(queries.flatMap(selectorsOf).filter((selector) => strange.has(selector))).toEqual([]);
  });

  it('no panel shows NaN or infinity once nothing happens any more', async () => {
    await sleep(QUIET_AFTER_MS);
    const shown = await Promise.all(
      PANELS.map(async ({ panel, query }) => {
        const hurriedQuery = query.replaceAll(/\[\d+[mh]\]/g, '[10s]');
        return { panel, noNumbers: (await prometheus.query(hurriedQuery)).filter(isNoNumber) };
      }),
    );
    expect(shown.filter(({ noNumbers }) => noNumbers.length > 0)).toEqual([]);
  });

  it('all rules are judged without an error', async () => {
    const rules = await prometheus.rules();
    expect(rules).toHaveLength(RULES.length);
    expect(rules.filter(({ health, lastError }) => health !== 'ok' || lastError)).toEqual([]);
    expect(new Set(rules.map(({ name }) => name))).toEqual(new Set([...RECORDED, ...ALERTS.map(({ alert }) => alert)]));
  });
});

/** A little of everything that is measured. */
async function work(system: WebhookSystem): Promise<void> {
  const { service, GOOGLE, MICROSOFT } = system.fixture;
  const calendars = [await system.subscribe('GOOGLE'), await system.subscribe('MICROSOFT')];
  for (const [index, calendar] of calendars.entries()) {
    await system.change(calendar, 'Lunch');
    await system.receiver.receives(1, calendar.path);
    await service.call('GET', `/v1/calendars/${calendar.accountId}`);
    await service.call('GET', '/v1/endUserAccounts');
    await service.call('GET', `/v1/webhookEndpoints?page=${index}`);
  }
  await service.call('GET', '/v1/nothing');
  // A provider that fails, a token that has to be refreshed, an account that its user takes back.
  const fault = { type: 'status', status: 503 } as const;
  await GOOGLE.half.fault({ kind: 'api', email: calendars[0]!.email }, fault, { times: 3 });
  await service.call('GET', `/v1/calendars/${calendars[0]!.accountId}`);
  await MICROSOFT.calendars((await MICROSOFT.withOldToken()).accountId);
  const { accountId, email } = await GOOGLE.withDeadToken();
  await GOOGLE.half.revoke(email);
  await eventually('it is EXPIRED', async () => {
    await GOOGLE.calendars(accountId);
    return (await GOOGLE.status(accountId)) === 'EXPIRED' ? true : undefined;
  });
  await GOOGLE.admin("update oauth_client set expires_at = now() + interval '20 days'", []);
  await beyondItsRate(system);
}

/** An application asks for more than it may. */
async function beyondItsRate({ fixture: { service, GOOGLE } }: WebhookSystem): Promise<void> {
  const { applicationId, apiKey: key } = await service.createApplication('hasty');
  await GOOGLE.admin('update application set rate_limit_rps = 1 where id = $1', [applicationId]);
  await Promise.all(Array.from({ length: 5 }, () => service.call('GET', '/v1/endUserAccounts', { key })));
}

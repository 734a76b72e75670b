// 40 s: an API server, and every command of the first day against it.
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { KeyRing } from '../../../libs/persistence/src/encryption/field-cipher.js';
import { parseExposition, valueOf, type Sample } from '../../support/exposition.js';
import { OtlpCollector, type CollectedSpan } from '../../support/otlp-collector.js';
import { selfSigned } from '../../support/certificate.js';
import { createTestDatabase, type TestDatabase } from '../../support/postgres.js';
import { eventually, freePort, runProgram, temporaryDirectory } from '../../support/processes.js';
import { fencedBlocks, sectionOf, shownCommands, shownOutput, type ShownCommand } from '../../docs/page.js';
import { startSandbox, type Sandbox } from '../../support/sandbox.js';
import { callService } from '../../support/service.js';
import { verified, WebhookReceiver } from '../../support/webhook-receiver.js';
import { parseQuery } from '../monitoring/promql.js';
import { RECORDED } from '../monitoring/rule-files.js';
import { imageSources } from '../images/built-image.js';
import { GO_BUILD_TIMEOUT_MS } from './go-tools.js';
import { Kubelet } from './kubelet.js';
import { CHART, filesOfValues, renderChart, type Rendered } from './rendered-chart.js';
import { renderedPod, type RenderedPod } from './rendered-pod.js';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const PAGE = 'docs/operations/quickstart.md';
const EMAIL = 'ada@example.test';

let directory: Awaited<ReturnType<typeof temporaryDirectory>>;
let database: TestDatabase;
let sandbox: Sandbox;
let collector: OtlpCollector;
let receiver: WebhookReceiver;
let chart: Rendered;
let pods: Record<'migrate' | 'api' | 'worker', RenderedPod>;
let kubelets: Record<'api' | 'worker', Kubelet>;
/** What whoever follows the page has copied so far. */
const variables: Record<string, string> = {};

const objectOf = (kind: string, name: string): any =>
  chart.objects.find((object) => object.kind === kind && object.metadata.name === `calendar-unified-calendar-${name}`);

/** All that is not as the chart says: where things are, and who they are here. */
async function here(pod: RenderedPod): Promise<RenderedPod> {
  const ports = Object.fromEntries(
    await Promise.all(Object.keys(pod.ports).map(async (name) => [name, await freePort()])),
  );
  const moved = (value: string): string =>
    pod.mounts.reduce((path, { path: mount }) => path.replace(mount, directory.path), value);
  return {
    ...pod,
    ports,
    command: pod.command.map((word) =>
      word === '/usr/local/bin/node' ? join(ROOT, 'node_modules/node/bin/node') : word,
    ),
    env: {
      ...Object.fromEntries(Object.entries(pod.env).map(([name, value]) => [name, moved(value)])),
      ...{ PATH: process.env['PATH'] ?? '', HOST: '127.0.0.1' },
      ...{ PORT: String(ports['health']), WORKER_HEALTH_PORT: String(ports['health']) },
      ...{ METRICS_PORT: String(ports['metrics']) },
      ...(sandbox.env as Record<string, string>),
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      EGRESS_ALLOW: receiver.egressAllow,
      // Many suites share a machine: who is late there has not too much to do.
      OVERLOAD_TARGET_DELAY_MS: '0',
    },
  };
}

beforeAll(async () => {
  directory = await temporaryDirectory('first-day');
  const tls = selfSigned(['127.0.0.1']);
  // The ConfigMap `house-ca`.
  await writeFile(join(directory.path, 'ca.crt'), tls.cert);
  const file = filesOfValues().filter(({ name }) => name === 'observed-values.yaml');
  const [report, sources, ...started] = await Promise.all([
    renderChart(CHART, file),
    imageSources(),
    createTestDatabase({ migrated: false }),
    startSandbox(),
    OtlpCollector.start(),
    WebhookReceiver.start({ tls }),
  ]);
  [database, sandbox, collector, receiver] = started;
  chart = report.cases[0]!;
  const secrets = {
    calendar: {
      DATABASE_URL: database.url,
      ENCRYPTION_KEYS: KeyRing.generateEntry('k1'),
      GOOGLE_CLIENT_SECRET: 'client-secret',
    },
  };
  const pod = (kind: string, name: string, target: string) =>
    here(renderedPod(objectOf(kind, name), sources, target, secrets));
  const [migrate, api, worker] = await Promise.all([
    pod('Job', 'migrate', 'api'),
    pod('Deployment', 'api', 'api'),
    pod('Deployment', 'worker', 'worker'),
  ]);
  const publicUrl = `http://127.0.0.1:${api.ports['health']}`;
  // Nothing ends TLS in front of these pods, and production takes no address without it.
  for (const { env } of [api, worker]) Object.assign(env, { PUBLIC_URL: publicUrl, NODE_ENV: 'development' });
  pods = { migrate, api, worker };
}, GO_BUILD_TIMEOUT_MS);

afterAll(async () => {
  await Promise.all(Object.values(kubelets ?? {}).map((kubelet) => kubelet.end()));
  await Promise.all([receiver?.close(), collector?.stop(), sandbox?.stop()]);
  await database?.drop();
  await directory?.remove();
});

/** The page forwards the ports of pods; here they are others. */
function onForwardedPorts(shown: string): string {
  const { api, worker } = pods;
  return shown
    .replaceAll('localhost:3000', `127.0.0.1:${api.ports['health']}`)
    .replaceAll('localhost:9464', `127.0.0.1:${api.ports['metrics']}`)
    .replaceAll('localhost:3001', `127.0.0.1:${worker.ports['health']}`)
    .replaceAll('localhost:9465', `127.0.0.1:${worker.ports['metrics']}`);
}

/** In a pod of the API. */
const EXEC = 'kubectl -n calendar exec deploy/calendar-unified-calendar-api -- node';

/** Runs a command of the page until it writes what the page shows. @returns what it wrote */
async function answers({ command, output }: ShownCommand): Promise<string> {
  const [node = ''] = pods.api.command;
  const script = onForwardedPorts(command.replace(EXEC, node));
  const shown = shownOutput(output);
  let seen = '';
  const isShown = async (): Promise<true | undefined> => {
    const bash = runProgram('bash', ['-c', script], { cwd: ROOT, env: { ...pods.api.env, ...variables } });
    await bash.exited;
    seen = bash.stdout() + bash.stderr();
    return shown.test(seen.replace(/\s+/g, '')) || undefined;
  };
  // What can be asked again is asked until it is so; the mismatch says more than that it took too long.
  const isAsking = command.startsWith('curl') && !command.includes(' -d ');
  await eventually(command, isShown, isAsking ? { timeoutMs: 20_000, everyMs: 250 } : { timeoutMs: 0 }).catch(
    () => undefined,
  );
  expect(seen.replace(/\s+/g, '')).toMatch(shown);
  return seen;
}

/** All commands of a section, one after the other. */
async function follows(heading: string, copies: [variable: string, pattern: RegExp][] = []): Promise<void> {
  for (const shown of fencedBlocks(sectionOf(PAGE, heading), 'console').flatMap(shownCommands)) {
    const response = await answers(shown);
    for (const [name, pattern] of copies) variables[name] = pattern.exec(response)?.[1] ?? variables[name] ?? '';
  }
}

/** Ada adds an event, past the service. */
async function change(summary: string): Promise<void> {
  const at = { dateTime: '2026-12-01T10:00:00', timeZone: 'UTC' };
  const end = { dateTime: '2026-12-01T11:00:00', timeZone: 'UTC' };
  const methodId = 'calendar.events.insert';
  const response = await sandbox.act({
    email: EMAIL,
    methodId,
    path: { calendarId: EMAIL },
    body: { summary, start: at, end },
  });
  expect(response.status).toBe(200);
}

async function scraped(component: 'api' | 'worker'): Promise<Sample[]> {
  const { path = '/metrics', port } = (
    component === 'api'
      ? objectOf('ServiceMonitor', 'api').spec.endpoints
      : objectOf('PodMonitor', 'worker').spec.podMetricsEndpoints
  )[0];
  const response = await fetch(`http://127.0.0.1:${pods[component].ports[port]}${path}`);
  return parseExposition(await response.text());
}

describe('the first day of an operator, as its page shows it', () => {
  it('names every object that the chart makes of the values', () => {
    const rows = sectionOf(PAGE, 'What is installed').matchAll(/^\| `(\w+)` +\| (`[^|]*`) +\|/gm);
    const named = [...rows].flatMap(([, kind, names = '']) =>
      [...names.matchAll(/`([^`]+)`/g)].map(
        ([, name = '']) => `${kind} ${name.replace(/^…/, 'calendar-unified-calendar')}`,
      ),
    );
    const made = chart.objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    expect([chart.error, chart.problems]).toEqual([undefined, []]);
    expect([...named].sort()).toEqual(made.sort());
  });

  it('migrates by the command of the Job', async () => {
    const [command = '', ...args] = pods.migrate.command;
    const job = runProgram(command, args, { cwd: ROOT, env: pods.migrate.env });
    const exit = await job.exited;
    expect([exit, exit === 0 ? '' : job.stderr()]).toEqual([0, '']);
  });

  it('starts api and worker as the Deployments say, ready within what their startup probes allow', async () => {
    kubelets = { api: Kubelet.start(pods.api, ROOT), worker: Kubelet.start(pods.worker, ROOT) };
    await Promise.all(Object.values(kubelets).map((kubelet) => kubelet.ready()));
    for (const kubelet of Object.values(kubelets)) {
      expect([await kubelet.succeeds('liveness'), kubelet.restarts]).toEqual([true, 0]);
    }
    await follows('The probes');
  });

  /**
   * The trace of a change of which everything is there. One job wakes workers for all who ask at the same time, and goes on
   * with the trace of the first: what the subscription itself has begun may be just that.
   * @returns ids of the trace, and of the span that the receiver was told of
   */
  async function shownTrace(missing: (traceId: string) => string[]): Promise<[traceId: string, parentId: string]> {
    let lacks: string[] = [];
    for (let number = 1; number <= 4; number += 1) {
      await change(`Lunch ${number}`);
      const receipt = (await receiver.receives(number, '/told'))[number - 1]!;
      verified(receipt, variables['SECRET']!);
      const [, traceId = '', parentId = ''] = receipt.headers['traceparent']?.split('-') ?? [];
      const isWhole = () => (lacks = missing(traceId)).length === 0 || undefined;
      if (await eventually('the trace', isWhole, { timeoutMs: 6_000 }).catch(() => false)) return [traceId, parentId];
    }
    throw new Error(`no trace has ${lacks.join(', ')}`);
  }

  it('follows one change from the provider to its receiver, in one trace', async () => {
    const { GOOGLE_CLIENT_ID: clientId = '', GOOGLE_CLIENT_SECRET: clientSecret = '' } = pods.api.env;
    const { PUBLIC_URL = '' } = pods.api.env;
    await sandbox.addClient({ clientId, clientSecret, redirectUris: [`${PUBLIC_URL}/api/v1/oauth/callback/google`] });
    await sandbox.addUser({ email: EMAIL, timeZone: 'UTC', workspace: true });
    await follows('An application of your own', [
      ['APPLICATION', /"applicationId":"([^"]+)"/],
      ['KEY', /"apiKey":"([^"]+)"/],
    ]);
    const { refreshToken } = await sandbox.grant(EMAIL, clientId);
    const body = { email: EMAIL, providerType: 'GOOGLE', refreshToken };
    const account = await callService<any>(PUBLIC_URL, variables['KEY']!, 'POST', '/v1/endUserAccounts', { body });
    expect([account.status, account.body]).toMatchObject([200, { email: EMAIL }]);
    Object.assign(variables, { ACCOUNT: account.body.id, CALENDAR: EMAIL, RECEIVER: receiver.endpoint('/told') });
    await follows('Follow one change', [['SECRET', /"endpointSecret":"([^"]+)"/]]);

    const path = (span: CollectedSpan): string => {
      const parent = collector.spans.find(({ spanId }) => spanId === span.parentSpanId);
      const own = `${span.service.replace('unified-calendar-', '')}: ${span.name}`;
      return parent === undefined ? own : `${path(parent)} > ${own}`;
    };
    const [tree = ''] = fencedBlocks(sectionOf(PAGE, 'Follow one change'), 'text');
    const [traceId, parentId] = await shownTrace((trace) => {
      const collected = collector.trace(trace).map(path);
      return pathsOf(tree).filter((shown) => !collected.includes(shown));
    });
    expect(kubelets.api.logs()).toContain(`"traceId":"${traceId}"`);
    expect(path(collector.spans.find(({ spanId }) => spanId === parentId)!)).toMatch(
      /worker: webhook\.deliver > worker: POST$/,
    );
  });

  it('reads what the overview asks for in what is scraped from the ports that the monitors name', async () => {
    await follows('Read the dashboards');
    const { panels } = JSON.parse(readFileSync(join(CHART, 'dashboards/overview.json'), 'utf8')) as {
      panels: { title: string; targets?: { expr: string }[] }[];
    };
    const samples = [...(await scraped('api')), ...(await scraped('worker'))];
    const received = new Set(receiver.ids('/told')).size;
    expect([received > 0, valueOf(samples, 'calendar_change_lag_seconds_count', { provider: 'GOOGLE' })]).toEqual([
      true,
      received,
    ]);
    const asked = panels.flatMap(({ title, targets = [] }) =>
      targets.flatMap(({ expr }) => parseQuery(expr).selectors.map((selector) => ({ title, ...selector }))),
    );
    // Prometheus makes these of the others.
    const measured = asked.filter(({ metric }) => !RECORDED.has(metric) && metric !== 'ALERTS');
    expect(measured.length).toBeGreaterThan(5);
    const without = measured.filter(({ metric, matchers }) => {
      const labels = matchers.filter(({ operator }) => operator === '=').map(({ label, value }) => [label, value]);
      return valueOf(samples, metric, Object.fromEntries(labels)) === null;
    });
    expect(without).toEqual([]);
  });

  it.each(['worker', 'api'] as const)(
    'a killed %s is red, then green again, and a change that is made meanwhile arrives',
    async (name) => {
      const kubelet = kubelets[name];
      const received = receiver.ids('/told').length;
      const restarts = kubelet.restarts;
      await kubelet.kill();
      await change(`While there is no ${name}`);
      expect(await kubelet.succeeds('readiness')).toBe(false);
      await kubelet.ready();
      expect([await kubelet.succeeds('liveness'), kubelet.restarts]).toEqual([true, restarts + 1]);
      await receiver.receives(received + 1, '/told', 60_000);
      expect(await scraped(name)).toContainEqual(expect.objectContaining({ name: 'calendar_build_info' }));
    },
    150_000,
  );

  it('what the page asks after the kills is answered as it shows', async () => {
    await follows('Kill a worker, kill an api');
  });

  it('a pod that is deleted serves until it is gone, within its grace period', async () => {
    const { api, worker } = kubelets;
    const endings = Promise.all([api.end(), worker.end()]);
    await eventually('not ready', async () => !(await api.succeeds('readiness')) || undefined);
    const response = await callService(
      pods.api.env['PUBLIC_URL']!,
      variables['KEY']!,
      'GET',
      '/v1/endUserAccounts',
      {},
    );
    expect(response.status).toBe(200);
    const [ofApi, ofWorker] = await endings;
    expect([ofApi.exit, ofWorker.exit]).toEqual([0, 0]);
    expect(ofApi.tookMs).toBeGreaterThan(Number(pods.api.env['SHUTDOWN_DELAY_MS']) - 100);
    expect(ofApi.tookMs).toBeLessThan(pods.api.graceSeconds * 1_000);
    expect(ofWorker.tookMs).toBeLessThan(pods.worker.graceSeconds * 1_000);
    await sandbox.expectNoViolations();
  });

  it('no probe has ended a container in all that time', () => {
    expect([kubelets.api.endedBy, kubelets.worker.endedBy]).toEqual([[], []]);
  });
});

/** Every line of an indented tree with what it stands below. */
function pathsOf(tree: string): string[] {
  const above: string[] = [];
  return tree
    .trimEnd()
    .split('\n')
    .map((line) => {
      const depth = (line.length - line.trimStart().length) / 2;
      above.splice(depth, Infinity, line.trim());
      return above.join(' > ');
    });
}

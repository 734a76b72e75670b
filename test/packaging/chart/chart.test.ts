// 30 s: helm renders the chart some hundred times, by a program that is compiled first.
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { SETTINGS } from '#platform';
import { CATALOGUE } from '#platform/telemetry';
import { temporaryDirectory } from '../../support/processes.js';
import { GO_BUILD_TIMEOUT_MS } from './go-tools.js';
import { letsOut } from './network-policy.js';
import {
  CHART,
  filesOfValues,
  merged,
  MINIMAL,
  pairsOfSwitches,
  renderChart,
  type ChartReport,
  type Rendered,
} from './rendered-chart.js';

/** Values that are refused, and what the message says. */
const REFUSED: [string, object, RegExp][] = [
  ['no Secret', { existingSecret: '' }, /existingSecret/],
  ['no address', { config: { PUBLIC_URL: null } }, /PUBLIC_URL/],
  ['an unknown value', { replicaCount: 3 }, /replicaCount/],
  ['an unknown value below', { api: { autoscaling: { minReplica: 3 } } }, /minReplica/],
  ['an unknown setting', { config: { LOG_LEVLE: 'info' } }, /LOG_LEVLE/],
  ['a setting that is out of range', { config: { DATABASE_POOL_SIZE: 5000 } }, /DATABASE_POOL_SIZE/],
  ['a setting of the wrong kind', { worker: { config: { LOG_LEVEL: 'loud' } } }, /LOG_LEVEL/],
  ['a secret among the settings', { config: { DATABASE_URL: 'postgresql://canary@db/calendar' } }, /DATABASE_URL/],
  ['a port of the chart among the settings', { config: { PORT: 80 } }, /PORT/],
  ['an Ingress of operators that leads nowhere', { ingress: { operator: { enabled: true } } }, /OPERATOR_URL/],
  ['no limit of memory', { api: { resources: { limits: { memory: null } } } }, /memory/],
  ['KEDA without Prometheus', { worker: { autoscaling: { type: 'keda' } } }, /serverAddress/],
  [
    'a way to authenticate that KEDA has not',
    { worker: { autoscaling: { keda: { authModes: 'oauth' } } } },
    /authModes/,
  ],
  ['runbooks that are nowhere', { metrics: { rules: { runbooksUrl: 'docs/runbooks' } } }, /runbooksUrl/],
  ['runbooks with a query', { metrics: { rules: { runbooksUrl: 'https://a.example/?page=' } } }, /runbooksUrl/],
  ['runbooks with a break', { metrics: { rules: { runbooksUrl: 'https://a.example/a\nb: c' } } }, /runbooksUrl/],
  [
    'an Ingress of another host than the public one',
    { ingress: { enabled: true, host: 'a.example' } },
    /ingress\.host is a\.example, but PUBLIC_URL names calendar\.example\.com/,
  ],
  ['a route without a Gateway', { httpRoute: { enabled: true } }, /parentRefs/],
  [
    'a budget that keeps nodes from being emptied',
    { api: { podDisruptionBudget: { maxUnavailable: 0 } } },
    /maxUnavailable/,
  ],
  ['a name that no Service may have', { fullnameOverride: 'House_Calendar' }, /fullnameOverride/],
  ['a name of an account that is none', { serviceAccount: { name: 'Bad_Name' } }, /serviceAccount/],
  ['a ConfigMap that nobody can make', { caConfigMap: 'Bad_Name' }, /caConfigMap/],
  ['a Secret of images that nobody can make', { image: { pullSecrets: ['Bad_Name'] } }, /pullSecrets/],
  ['a registry with a scheme', { image: { registry: 'https://registry.example.com' } }, /registry/],
  ['a label that is none', { commonLabels: { a: 'b c' } }, /commonLabels/],
  ['a label of pods that is none', { api: { podLabels: { 'a b': 'c' } } }, /podLabels/],
  [
    'a label by which the chart knows its pods',
    { commonLabels: { 'app.kubernetes.io/name': 'x' } },
    /commonLabels\/app\.kubernetes\.io.{1,2}name/,
  ],
  [
    'fewer processes at most than at least',
    { api: { autoscaling: { enabled: true, minReplicas: 9, maxReplicas: 3 } } },
    /api\.autoscaling\.maxReplicas \(3\) must be at least/,
  ],
  [
    'fewer workers at most than at least',
    { worker: { autoscaling: { type: 'externalMetric', minReplicas: 11 } } },
    /worker\.autoscaling\.maxReplicas \(10\) must be at least/,
  ],
  ['an amount that is none', { api: { resources: { limits: { memory: '1x' } } } }, /memory/],
  ['an Ingress of a host that is none', { ingress: { enabled: true, host: 'a_b' } }, /host/],
  ['a class that is none', { ingress: { enabled: true, className: 'Bad_Name' } }, /className/],
  [
    'a route of a host that is none',
    { httpRoute: { enabled: true, parentRefs: [{ name: 'public' }], hostnames: ['a_b'] } },
    /hostnames/,
  ],
  [
    'a setting beside the settings',
    { config: { LOG_LEVEL: 'warn' }, api: { extraEnv: [{ name: 'LOG_LEVEL', value: 'info' }] } },
    /extraEnv.*LOG_LEVEL/,
  ],
  [
    'a secret beside the Secret',
    { worker: { extraEnv: [{ name: 'DATABASE_URL', value: 'postgresql://canary@db/calendar' }] } },
    /extraEnv.*DATABASE_URL/,
  ],
  ['a port of the chart beside the settings', { api: { extraEnv: [{ name: 'PORT', value: '80' }] } }, /extraEnv.*PORT/],
  [
    'the same twice',
    {
      api: {
        extraEnv: [
          { name: 'A', value: '1' },
          { name: 'A', value: '2' },
        ],
      },
    },
    /extraEnv.*A/,
  ],
  [
    'another database for migrations',
    { migrations: { extraEnv: [{ name: 'DATABASE_URL', value: 'postgresql://canary@db/calendar' }] } },
    /extraEnv.*DATABASE_URL/,
  ],
  [
    'an alert that there is not',
    { metrics: { rules: { enabled: true, disabledAlerts: ['CalendarApiUp'] } } },
    /disabledAlerts: there is no alert CalendarApiUp/,
  ],
  [
    'a threshold of an alert that has none',
    { metrics: { rules: { thresholds: { CalendarApiDown: 1 } } } },
    /thresholds.*CalendarApiDown/s,
  ],
  ['a promise without a budget', { metrics: { rules: { objectives: { api_latency: 100 } } } }, /api_latency/],
  ['a label of alerts that is none', { metrics: { rules: { alertLabels: { 'a-b': 'c' } } } }, /alertLabels/],
  ['a migration without time', { migrations: { activeDeadlineSeconds: 0 } }, /activeDeadlineSeconds/],
  ['a grace period that cuts off', { api: { terminationGracePeriodSeconds: 39 } }, /\(39\) must be at least 40/],
  [
    'requests that outlive the end',
    { config: { REQUEST_TIMEOUT_MS: 30001 } },
    /SHUTDOWN_TIMEOUT_MS \(35000\) must be at least/,
  ],
];

const CONTAINER = {
  image: 'registry.example.com/proxy:1',
  securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] } },
};

const INGRESS = { ingress: { enabled: true, host: 'calendar.example.com' } };

/** Values that say what is in front of the API, and how many proxies it then believes. */
const BEHIND_PROXIES: [string, object, string | undefined][] = [
  ['nothing of the chart', {}, undefined],
  ['an Ingress', INGRESS, '1'],
  ['a Gateway', { httpRoute: { enabled: true, parentRefs: [{ name: 'public' }] } }, '1'],
  ['an Ingress behind a load balancer', { ...INGRESS, config: { TRUST_PROXY: 2 } }, '2'],
  ['an Ingress that adds nothing', { ...INGRESS, api: { config: { TRUST_PROXY: 0 } } }, '0'],
];

const COMPONENT = {
  envFrom: [{ secretRef: { name: 'vault' } }],
  extraVolumes: [{ name: 'spool', emptyDir: {} }],
  extraVolumeMounts: [{ name: 'spool', mountPath: '/spool' }],
  initContainers: [{ ...CONTAINER, name: 'proxy', restartPolicy: 'Always' }],
};

/** A cluster that is not like ours: users of its own, sidecars, secrets from elsewhere, several hosts. */
const ELSEWHERE = {
  config: { OPERATOR_URL: 'https://operators.internal.example' },
  caConfigMap: 'ca',
  podSecurityContext: { runAsUser: null, runAsGroup: null },
  containerSecurityContext: { privileged: false, readOnlyRootFilesystem: null },
  api: {
    ...COMPONENT,
    extraContainers: [{ ...CONTAINER, name: 'beside' }],
    annotations: { 'reloader.example/auto': 'true' },
    autoscaling: { enabled: true, behavior: { scaleDown: { stabilizationWindowSeconds: 60 } } },
  },
  worker: { ...COMPONENT, extraContainers: [{ ...CONTAINER, name: 'beside' }], annotations: { team: 'calendars' } },
  migrations: {
    ...COMPONENT,
    serviceAccountName: 'migrator',
    podAnnotations: { 'sidecar.istio.io/inject': 'false' },
    podLabels: { mesh: 'none' },
    extraEnv: [{ name: 'PGAPPNAME', value: 'migration' }],
  },
  ingress: {
    ...{ enabled: true, extraHosts: ['calendar.internal.example'], tlsSecretName: 'tls' },
    operator: { enabled: true, className: 'internal', tlsSecretName: 'operators-tls', annotations: { a: 'b' } },
  },
  metrics: {
    rules: {
      enabled: true,
      disabledAlerts: ['CalendarApiDown', 'A'],
      alertLabels: { cluster: 'eu-1' },
      thresholds: { CalendarQueueStuck: 600, CalendarRequestBudget: { warning: 0.75 } },
      objectives: { api_availability: 99.5 },
    },
  },
  extraObjects: [
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: '{{ .Release.Name }}-more' }, data: { a: 'b' } },
  ],
};

/** What `helm install` waits for a hook unless it is told `--timeout`. */
const HELM_TIMEOUT_SECONDS = 300;

const RULE =
  'groups: [{ name: a, rules: [{ alert: A, expr: up == 0, annotations: { summary: "{{ $labels.pod }} {{ $value }}" } }] }]\n';
const DASHBOARD = '{ "title": "A", "legendFormat": "{{pod}}" }\n';

let report: ChartReport;
let directory: Awaited<ReturnType<typeof temporaryDirectory>>;

beforeAll(async () => {
  directory = await temporaryDirectory('chart');
  const chart = join(directory.path, 'unified-calendar');
  await cp(CHART, chart, { recursive: true });
  // What a dashboard and a rule look like must not decide about what the chart makes of them.
  await mkdir(join(chart, 'rules'), { recursive: true });
  await mkdir(join(chart, 'dashboards'), { recursive: true });
  await writeFile(join(chart, 'rules/one-more.yaml'), RULE);
  await writeFile(join(chart, 'dashboards/one-more.json'), DASHBOARD);
  report = await renderChart(chart, [
    ...filesOfValues(),
    ...pairsOfSwitches(),
    ...REFUSED.map(([name, values]) => ({ name: `refused: ${name}`, values: merged(MINIMAL, values) })),
    ...BEHIND_PROXIES.map(([name, values]) => ({ name: `proxies: ${name}`, values: merged(MINIMAL, values) })),
    { name: 'elsewhere', values: merged(MINIMAL, ELSEWHERE) },
    ...['9-lives', 'a.b', 'a'.repeat(53)].map((release) => ({ name: `release ${release}`, release, values: MINIMAL })),
    {
      name: 'a field that Kubernetes does not know',
      values: merged(MINIMAL, { api: { extraEnv: [{ name: 'A', valeu: 'b' }] } }),
    },
  ]);
}, GO_BUILD_TIMEOUT_MS);

afterAll(() => directory?.remove());

function rendered(name: string): Rendered {
  const found = report.cases.find((one) => one.name === name);
  if (found === undefined) throw new Error(`nobody rendered ${name}`);
  return found;
}

const good = (): Rendered[] =>
  report.cases.filter(({ name }) => !/^refused: |^release |does not know|^elsewhere$/.test(name));

function objectOf(name: string, kind: string, object?: string): any {
  return rendered(name).objects.find(
    (one) => one.kind === kind && (object === undefined || one.metadata.name === object),
  );
}

/** Of Deployments, Jobs and Pods. */
function podOf(object: any): any {
  return object.kind === 'Pod' ? object : object.spec.template;
}

const PODS = ['Deployment', 'Job', 'Pod'];

/** Every pod of every rendering, with where it is from. */
const pods = (): [string, any][] =>
  good().flatMap(({ name, objects }) =>
    objects
      .filter(({ kind }) => PODS.includes(kind))
      .map((object): [string, any] => [`${name}: ${object.metadata.name}`, podOf(object)]),
  );

function environmentOf(object: any): Record<string, any> {
  return Object.fromEntries(
    podOf(object).spec.containers[0].env.map(({ name, value, valueFrom }: any) => [
      name,
      value ?? valueFrom.secretKeyRef,
    ]),
  );
}

describe('the chart', () => {
  it('passes helm lint --strict with all the values that come with it', () => {
    expect(report.lint).toEqual([]);
  });

  it('N66 makes what Kubernetes and Pod Security "restricted" take, whatever two switches say', () => {
    expect(good().length).toBeGreaterThan(100);
    expect(
      good()
        .filter(({ error }) => error !== undefined)
        .map(({ name, error }) => [name, error]),
    ).toEqual([]);
    expect(good().flatMap(({ name, problems }) => problems.map((problem) => `${name}: ${problem}`))).toEqual([]);
  });

  it('would be found out by the same check', async () => {
    expect(rendered('a field that Kubernetes does not know').problems.join()).toMatch(/valeu/);
    const chart = join(directory.path, 'careless');
    await mkdir(join(chart, 'templates'), { recursive: true });
    await writeFile(join(chart, 'Chart.yaml'), 'apiVersion: v2\nname: careless\nversion: 1.0.0\n');
    const pod =
      '{ apiVersion: v1, kind: Pod, metadata: { name: a }, spec: { hostNetwork: true, containers: [{ name: a }] } }';
    const monitor =
      '{ apiVersion: monitoring.coreos.com/v1, kind: PodMonitor, metadata: { name: a }, spec: { selectr: {} } }';
    await writeFile(
      join(chart, 'templates/all.yaml'),
      `${pod}\n---\n${monitor}\n---\n{ apiVersion: v1, kind: Nothing }\n`,
    );
    const { cases } = await renderChart(chart, [{ name: 'careless' }]);
    const problems = cases[0]?.problems.join('\n');
    for (const text of [
      'host namespaces',
      'allowPrivilegeEscalation',
      'runAsNonRoot',
      'seccompProfile',
      'selectr',
      'Nothing',
    ]) {
      expect(problems).toContain(text);
    }
  });

  it('N66 gives every pod a read-only root, a user that is a number, limits, and no token', () => {
    expect(pods().length).toBeGreaterThan(100);
    for (const [, { spec }] of pods()) {
      expect(spec).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, runAsUser: 10001, seccompProfile: { type: 'RuntimeDefault' } },
      });
      for (const container of spec.containers) {
        expect(container).toMatchObject({
          securityContext: {
            readOnlyRootFilesystem: true,
            allowPrivilegeEscalation: false,
            capabilities: { drop: ['ALL'] },
          },
          resources: {
            requests: { cpu: expect.anything(), memory: expect.anything() },
            limits: { memory: expect.anything() },
          },
        });
      }
    }
    for (const { objects } of good()) {
      for (const account of objects.filter(({ kind }) => kind === 'ServiceAccount')) {
        expect(account.automountServiceAccountToken).toBe(false);
      }
    }
  });

  it.each(REFUSED)('refuses %s, and says so', (name, _, message) => {
    const { error, objects } = rendered(`refused: ${name}`);
    expect(error).toMatch(message);
    expect(error).not.toContain('canary');
    expect(objects).toEqual([]);
  });

  it('names Services by the release where that is possible, and asks for another name where it is not', () => {
    for (const name of ['9-lives', 'a.b']) expect(rendered(`release ${name}`).error).toMatch(/fullnameOverride/);
    const { objects, problems } = rendered(`release ${'a'.repeat(53)}`);
    expect([problems, Math.max(...objects.map(({ metadata }) => metadata.name.length))]).toEqual([[], 58]);
  });

  it('tells the first steps, and what is switched off', () => {
    expect(rendered('minimal-values.yaml').notes).toMatch(/https:\/\/calendar\.example\.com[^]*application create/);
    expect(rendered('minimal-values.yaml').notes).toContain('main.js operator create --email <address>');
    expect(rendered('minimal-values.yaml').notes).not.toMatch(/Migrations|NetworkPolicy/);
    expect(rendered('bare-values.yaml').notes).toMatch(/Migrations are switched off[^]*no NetworkPolicy/);
  });
});

describe('settings', () => {
  it('reach the processes as they are written, with those of one process above the common ones', () => {
    const [api, worker] = ['api', 'worker'].map((name) =>
      environmentOf(objectOf('everything-values.yaml', 'Deployment', `house-calendar-${name}`)),
    );
    expect(api).toMatchObject({
      NODE_ENV: 'production',
      PUBLIC_URL: 'https://calendar.example.com',
      BODY_LIMIT_BYTES: '104857600',
      SHUTDOWN_TIMEOUT_MS: '35000',
      DATABASE_POOL_SIZE: '30',
      NODE_EXTRA_CA_CERTS: '/etc/unified-calendar/ca.crt',
      NODE_OPTIONS: '--enable-source-maps',
    });
    expect(worker).toMatchObject({ LOG_LEVEL: 'warn', METRICS_PORT: '9464' });
    expect(worker).not.toHaveProperty('DATABASE_POOL_SIZE');
  });

  it.each(BEHIND_PROXIES)('trust as many proxies as there are: %s', (name, _, trusted) => {
    const { TRUST_PROXY } = environmentOf(objectOf(`proxies: ${name}`, 'Deployment', 'calendar-unified-calendar-api'));
    expect(TRUST_PROXY).toBe(trusted);
  });

  it('that are secret come from the Secret alone', () => {
    const environment = environmentOf(objectOf('minimal-values.yaml', 'Deployment', 'calendar-unified-calendar-api'));
    for (const name of ['DATABASE_URL', 'ENCRYPTION_KEYS'])
      expect(environment[name]).toEqual({ name: 'calendar', key: name });
    for (const name of [
      'REDIS_URL',
      'GOOGLE_CLIENT_SECRET',
      'MICROSOFT_CLIENT_SECRET',
      'OIDC_CLIENT_SECRET',
      'SVIX_TOKEN',
    ]) {
      expect(environment[name]).toEqual({ name: 'calendar', key: name, optional: true });
    }
    for (const { objects } of good()) {
      expect(objects.filter(({ kind }) => kind === 'Secret')).toEqual([]);
      for (const map of objects.filter(({ kind }) => kind === 'ConfigMap')) {
        expect(Object.keys(map.data).filter((key) => !key.endsWith('.json'))).toEqual([]);
      }
    }
  });

  it('that the chart writes down are the defaults of the service', () => {
    const environment = environmentOf(objectOf('minimal-values.yaml', 'Deployment', 'calendar-unified-calendar-api'));
    for (const { env, default: fallback } of [
      SETTINGS.shutdownDelayMs,
      SETTINGS.shutdownTimeoutMs,
      SETTINGS.requestTimeoutMs,
      SETTINGS.migrationWaitMs,
    ]) {
      expect([env, environment[env]]).toEqual([env, fallback]);
    }
  });
});

describe('pods', () => {
  it('come in a number that nobody else decides', () => {
    const replicas = (name: string) =>
      rendered(name)
        .objects.filter(({ kind }) => kind === 'Deployment')
        .map(({ spec }) => spec.replicas);
    expect(replicas('minimal-values.yaml')).toEqual([2, 2]);
    expect(replicas('everything-values.yaml')).toEqual([undefined, undefined]);
    expect(replicas('keda-values.yaml')).toEqual([2, undefined]);
  });

  it('are scaled by processor time, and by the messages and the syncs that are due', () => {
    expect([CATALOGUE.calendar_messages.labels, CATALOGUE.calendar_syncs_due.labels].map(Object.keys)).toEqual([
      ['state'],
      [],
    ]);
    expect(objectOf('everything-values.yaml', 'HorizontalPodAutoscaler', 'house-calendar-api').spec).toMatchObject({
      scaleTargetRef: { kind: 'Deployment', name: 'house-calendar-api' },
      minReplicas: 3,
      metrics: [{ resource: { name: 'cpu', target: { averageUtilization: 60 } } }],
    });
    expect(objectOf('everything-values.yaml', 'HorizontalPodAutoscaler', 'house-calendar-worker').spec.metrics).toEqual(
      [
        {
          type: 'External',
          external: {
            metric: { name: 'calendar_messages', selector: { matchLabels: { state: 'due' } } },
            target: { type: 'AverageValue', averageValue: '200' },
          },
        },
        {
          type: 'External',
          external: { metric: { name: 'calendar_syncs_due' }, target: { type: 'AverageValue', averageValue: '50' } },
        },
      ],
    );
    const trigger = (query: string, threshold: string) => ({
      type: 'prometheus',
      metricType: 'AverageValue',
      metadata: {
        ...{ serverAddress: 'http://prometheus.monitoring:9090', query, threshold },
        // A vanished gauge must not scale the workers down, and KEDA ignores the reference without a mode.
        ...{ ignoreNullValues: 'false', authModes: 'bearer' },
      },
      authenticationRef: { name: 'prometheus' },
    });
    expect(objectOf('keda-values.yaml', 'ScaledObject').spec).toMatchObject({
      scaleTargetRef: { kind: 'Deployment', name: 'calendar-unified-calendar-worker' },
      triggers: [
        trigger('max(calendar_messages{state="due",namespace="calendar"})', '500'),
        trigger('max(calendar_syncs_due{namespace="calendar"})', '200'),
      ],
    });
  });

  it('have time to drain before they are killed', () => {
    const grace = (name: string, object: string) => objectOf(name, 'Deployment', object).spec.template.spec;
    expect(grace('minimal-values.yaml', 'calendar-unified-calendar-api').terminationGracePeriodSeconds).toBe(40);
    expect(grace('minimal-values.yaml', 'calendar-unified-calendar-worker').containers[0].lifecycle).toBeUndefined();
    const api = grace('everything-values.yaml', 'house-calendar-api');
    expect(api.terminationGracePeriodSeconds).toBe(45);
    expect(api.containers[0].lifecycle).toEqual({ preStop: { sleep: { seconds: 5 } } });
    expect(grace('everything-values.yaml', 'house-calendar-worker').terminationGracePeriodSeconds).toBe(60);
  });

  it.each([
    ['api', Number(SETTINGS.port.default)],
    ['worker', Number(SETTINGS.workerHealthPort.default)],
  ])('of the %s are asked how they are where they answer', (component, port) => {
    const [container] = objectOf('minimal-values.yaml', 'Deployment', `calendar-unified-calendar-${component}`).spec
      .template.spec.containers;
    expect(container.ports).toContainEqual({ name: 'health', containerPort: port });
    for (const [probe, path] of [
      ['startupProbe', '/health/startup'],
      ['livenessProbe', '/health/live'],
      ['readinessProbe', '/health/ready'],
    ] as const) {
      expect(container[probe].httpGet).toEqual({ path, port: 'health' });
    }
    // A process waits for its schema, and must not be killed meanwhile.
    const { periodSeconds, failureThreshold } = container.startupProbe;
    expect(periodSeconds * failureThreshold).toBe(Number(SETTINGS.migrationWaitMs.default) / 1_000 + 60);
  });

  it('are those that Services, budgets, spreads, policies and monitors mean', () => {
    const { objects } = rendered('everything-values.yaml');
    const labels = (component: string) =>
      objectOf('everything-values.yaml', 'Deployment', `house-calendar-${component}`).spec.template.metadata.labels;
    const meant = (selector: object, component: string) => expect(labels(component)).toMatchObject(selector);
    for (const component of ['api', 'worker']) {
      const name = `house-calendar-${component}`;
      const deployment = objectOf('everything-values.yaml', 'Deployment', name);
      meant(deployment.spec.selector.matchLabels, component);
      meant(objectOf('everything-values.yaml', 'PodDisruptionBudget', name).spec.selector.matchLabels, component);
      meant(objectOf('everything-values.yaml', 'NetworkPolicy', name).spec.podSelector.matchLabels, component);
      for (const { labelSelector } of deployment.spec.template.spec.topologySpreadConstraints)
        meant(labelSelector.matchLabels, component);
    }
    for (const { spec } of objects.filter(({ kind }) => kind === 'Service')) meant(spec.selector, 'api');
    meant(objectOf('everything-values.yaml', 'PodMonitor').spec.selector.matchLabels, 'worker');
    const metrics = objectOf('everything-values.yaml', 'Service', 'house-calendar-api-metrics');
    expect(metrics.metadata.labels).toMatchObject(
      objectOf('everything-values.yaml', 'ServiceMonitor').spec.selector.matchLabels,
    );
  });
});

describe('a cluster that is not like ours', () => {
  const deployment = (component: string) =>
    objectOf('elsewhere', 'Deployment', `calendar-unified-calendar-${component}`);
  const job = () => objectOf('elsewhere', 'Job');

  it('takes what the chart makes', () => {
    expect([rendered('elsewhere').error, rendered('elsewhere').problems]).toEqual([undefined, []]);
  });

  it('gives users of its own', () => {
    for (const object of [deployment('api'), deployment('worker'), job()]) {
      expect(podOf(object).spec.securityContext).toEqual({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      });
      expect(podOf(object).spec.containers[0].securityContext).toEqual({
        privileged: false,
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
      });
    }
  });

  it('adds containers, volumes and environment to every pod', () => {
    for (const object of [deployment('api'), deployment('worker'), job()]) {
      const { spec } = podOf(object);
      expect(spec.initContainers).toMatchObject([{ name: 'proxy', restartPolicy: 'Always' }]);
      expect(spec.volumes).toMatchObject([{ name: 'ca' }, { name: 'spool', emptyDir: {} }]);
      expect(spec.containers[0].volumeMounts).toMatchObject([{ name: 'ca' }, { name: 'spool', mountPath: '/spool' }]);
      expect(spec.containers[0].envFrom).toEqual([{ secretRef: { name: 'vault' } }]);
    }
    for (const component of ['api', 'worker']) {
      const { containers } = podOf(deployment(component)).spec;
      expect(containers.map(({ name }: any) => name)).toEqual([component, 'beside']);
    }
    expect(deployment('api').metadata.annotations).toEqual({ 'reloader.example/auto': 'true' });
    expect(deployment('worker').metadata.annotations).toEqual({ team: 'calendars' });
  });

  it('keeps sidecars out of the migration, which has an account of its own', () => {
    const { metadata, spec } = podOf(job());
    expect(metadata.annotations).toEqual({ 'sidecar.istio.io/inject': 'false' });
    expect(metadata.labels).toMatchObject({ mesh: 'none', 'app.kubernetes.io/component': 'migrate' });
    expect(spec.serviceAccountName).toBe('migrator');
    expect(environmentOf(job())).toMatchObject({ PGAPPNAME: 'migration', DATABASE_URL: { name: 'calendar' } });
  });

  it('leads the host of PUBLIC_URL to the API, and further ones', () => {
    const { tls, rules } = objectOf('elsewhere', 'Ingress', 'calendar-unified-calendar').spec;
    const hosts = ['calendar.example.com', 'calendar.internal.example'];
    expect(rules.map(({ host }: any) => host)).toEqual(hosts);
    expect(tls).toEqual([{ secretName: 'tls', hosts }]);
  });

  it('leads the host of OPERATOR_URL to the API by an Ingress of its own', () => {
    const { metadata, spec } = objectOf('elsewhere', 'Ingress', 'calendar-unified-calendar-operator');
    const hosts = ['operators.internal.example'];
    expect(metadata.annotations).toEqual({ a: 'b' });
    expect(spec.ingressClassName).toBe('internal');
    expect(spec.tls).toEqual([{ secretName: 'operators-tls', hosts }]);
    expect(spec.rules.map(({ host }: any) => host)).toEqual(hosts);
    expect(spec.rules[0].http.paths[0].backend).toEqual(
      objectOf('elsewhere', 'Ingress', 'calendar-unified-calendar').spec.rules[0].http.paths[0].backend,
    );
  });

  it('has thresholds and promises of its own', () => {
    const rules = rendered('elsewhere')
      .objects.filter(({ kind }) => kind === 'PrometheusRule')
      .flatMap(({ spec }) => spec.groups.flatMap((group: any) => group.rules));
    const expressionsOf = (name: string): string[] =>
      rules.filter(({ alert }) => alert === name).map(({ expr }) => expr.trim());
    expect(expressionsOf('CalendarQueueStuck')).toEqual([
      'max by (cluster, namespace, queue) (calendar_queue_oldest_job_age_seconds) > 600 # threshold',
    ]);
    expect(expressionsOf('CalendarRequestBudget').map((expr) => expr.split(' > ')[1])).toEqual([
      '0.75 # threshold',
      '1 # threshold',
    ]);
    const budgets = (name: string) =>
      expressionsOf(name).flatMap((expr) =>
        [...expr.matchAll(/> ([\d.]+) \* ([\d.]+)(?: and|\))/g)].map(([, ...n]) => n),
      );
    expect(budgets('CalendarApiAvailability')).toEqual(
      ['14.4', '14.4', '6', '6', '3', '3', '1', '1'].map((speed) => [speed, '0.005']),
    );
    expect(budgets('CalendarApiLatency').every(([, budget]) => budget === '0.01')).toBe(true);
  });

  it('leaves alerts out, and labels the others', () => {
    const groups = rendered('elsewhere')
      .objects.filter(({ kind }) => kind === 'PrometheusRule')
      .flatMap(({ spec }) => spec.groups);
    expect(groups.every(({ rules }) => rules.length > 0)).toBe(true);
    const rules = groups.flatMap((group) => group.rules);
    const alerts = rules.filter(({ alert }) => alert !== undefined);
    const names = alerts.map(({ alert }) => alert);
    expect(names).toContain('CalendarWorkerDown');
    expect(names.filter((name) => ['CalendarApiDown', 'A'].includes(name))).toEqual([]);
    for (const { labels } of alerts) {
      expect(labels).toMatchObject({ cluster: 'eu-1', severity: expect.stringMatching(/^(critical|warning)$/) });
    }
    const recorded = rules.filter(({ record }) => record !== undefined);
    expect(recorded.length).toBeGreaterThan(5);
    expect(JSON.stringify(recorded)).not.toContain('eu-1');
  });

  it('scales as it is told, and has objects of its own in the release', () => {
    const { behavior } = objectOf('elsewhere', 'HorizontalPodAutoscaler').spec;
    expect(behavior.scaleDown).toMatchObject({
      stabilizationWindowSeconds: 60,
      policies: [{ type: 'Pods', value: 1 }],
    });
    expect(objectOf('elsewhere', 'ConfigMap', 'calendar-more').data).toEqual({ a: 'b' });
  });
});

describe('migrations', () => {
  const jobs = (): [string, any][] =>
    good().flatMap(({ name, objects }) =>
      objects.filter(({ kind }) => kind === 'Job').map((job): [string, any] => [name, job]),
    );

  it('run before everything else, with nothing but the Secret and the authorities that are there', () => {
    for (const [, job] of jobs()) {
      expect(job.metadata.annotations).toMatchObject({
        'helm.sh/hook': 'pre-install,pre-upgrade',
        'helm.sh/hook-delete-policy': 'before-hook-creation,hook-succeeded',
      });
      const { spec } = podOf(job);
      expect(spec.serviceAccountName).toBeUndefined();
      const { DATABASE_URL, NODE_EXTRA_CA_CERTS, ...others } = environmentOf(job);
      expect([DATABASE_URL, others]).toEqual([{ name: 'calendar', key: 'DATABASE_URL' }, {}]);
      expect(NODE_EXTRA_CA_CERTS === undefined).toBe(spec.volumes === undefined);
      expect(spec.containers[0].args).toEqual(['dist/apps/ops/src/main.js', 'migrate']);
    }
    expect(rendered('bare-values.yaml').objects.map(({ kind }) => kind)).not.toContain('Job');
  });

  it('believe the authorities that the processes believe', () => {
    const believed = (object: any) => {
      const { volumes, containers } = podOf(object).spec;
      return [environmentOf(object)['NODE_EXTRA_CA_CERTS'], containers[0].volumeMounts, volumes];
    };
    for (const [name, job] of jobs()) {
      const api = rendered(name).objects.find(
        ({ kind, metadata }) => kind === 'Deployment' && metadata.name.endsWith('-api'),
      );
      expect([name, believed(job)]).toEqual([name, believed(api)]);
    }
    expect(believed(objectOf('authorities 1 and migrations 2', 'Job'))).toEqual([
      '/etc/unified-calendar/ca.crt',
      [{ name: 'ca', mountPath: '/etc/unified-calendar', readOnly: true }],
      [{ name: 'ca', configMap: { name: 'ca', items: [{ key: 'ca.crt', path: 'ca.crt' }] } }],
    ]);
  });

  it('run on the nodes that are said', () => {
    const scheduled = (name: string, kind: string, object: string) => {
      const { nodeSelector, tolerations, affinity, priorityClassName } = podOf(objectOf(name, kind, object)).spec;
      return { nodeSelector, tolerations, affinity, priorityClassName };
    };
    const job = scheduled('everything-values.yaml', 'Job', 'house-calendar-migrate');
    expect(job).toEqual(scheduled('everything-values.yaml', 'Deployment', 'house-calendar-api'));
    expect(job).toMatchObject({ tolerations: [{ key: 'dedicated' }], priorityClassName: 'important' });
    expect(scheduled('minimal-values.yaml', 'Job', 'calendar-unified-calendar-migrate')).toEqual({});
  });

  it('are given up before helm gives up waiting, which then tells why', () => {
    const deadline = (name: string) => objectOf(name, 'Job').spec.activeDeadlineSeconds;
    expect(deadline('minimal-values.yaml')).toBeLessThan(HELM_TIMEOUT_SECONDS);
    expect(deadline('everything-values.yaml')).toBe(900);
  });

  it('can be looked at for a day when they failed: neither a repair nor the end of the release takes them away', () => {
    for (const [, job] of jobs()) expect(job.spec.ttlSecondsAfterFinished).toBe(86_400);
  });
});

describe('the network', () => {
  const PUBLIC = ['142.250.74.42', '17.248.1.1', '2a00:1450:4001:80b::200a', '2620:149:af0::10'];
  const OTHERS = [
    '10.1.2.3',
    '172.16.5.5',
    '192.168.1.1',
    '100.64.0.1',
    '127.0.0.1',
    '169.254.169.254',
    '169.254.170.2',
  ].concat(
    ['100.100.100.200', '168.63.129.16', '192.0.0.192', '0.0.0.0', '198.18.0.1', '224.0.0.1', '255.255.255.255'],
    [
      'fd00::1',
      'fd00:ec2::254',
      'fe80::1',
      '::1',
      '::ffff:10.1.2.3',
      '64:ff9b::a9fe:a9fe',
      '2002:a01:203::',
      '2001:db8::1',
    ],
  );
  /** Link-local, and where clouds hand out credentials. */
  const CLOUD = [
    '169.254.169.254',
    '169.254.170.2',
    '169.254.170.23',
    '169.254.0.1',
    '100.100.100.200',
    '192.0.0.192',
    '168.63.129.16',
  ].concat([
    'fd00:ec2::254',
    'fd00:ec2::23',
    'fd20:ce::254',
    'fe80::1',
    'febf::1',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b::6464:64c8',
    '64:ff9b::c000:c0',
    '64:ff9b::a83f:8110',
  ]);
  /** Where databases, stores and collectors stand, whose addresses nobody has told. */
  const OWN = ['10.1.2.3', '172.16.5.5', '192.168.1.1', '100.64.0.1', '192.0.0.191', 'fd00::1', '64:ff9b::a01:203'];
  const policy = (component: string, name = 'minimal-values.yaml') =>
    objectOf(name, 'NetworkPolicy', `calendar-unified-calendar-${component}`);

  it.each(['api', 'worker'])('lets the %s out to public addresses alone', (component) => {
    for (const port of [443, 8443, 80]) {
      expect(PUBLIC.filter((address) => !letsOut(policy(component), address, port))).toEqual([]);
      expect(OTHERS.filter((address) => letsOut(policy(component), address, port))).toEqual([]);
    }
    expect(policy(component).spec.policyTypes).toEqual(['Ingress', 'Egress']);
  });

  it('lets a migration reach the database, and nothing else', () => {
    expect(letsOut(policy('migrate'), '10.1.2.3', 5432)).toBe(true);
    expect([...PUBLIC, ...OTHERS].filter((address) => letsOut(policy('migrate'), address, 443))).toEqual([]);
    expect(policy('migrate').metadata.annotations).toMatchObject({ 'helm.sh/hook-weight': '-10' });
  });

  it.each([
    ['the database', 5432, 'minimal-values.yaml', ['api', 'worker', 'migrate']],
    ['Redis', 6379, 'network 2 and metrics 1', ['api', 'worker']],
    ['the collector', 4318, 'observed-values.yaml', ['api', 'worker']],
  ])(
    'has %s anywhere but at link-local and metadata addresses, unless it is told where',
    (_, port, name, components) => {
      for (const component of components) {
        const reached = (addresses: string[]) =>
          addresses.filter((address) => letsOut(policy(component, name), address, port));
        expect([component, reached([...OWN, ...PUBLIC])]).toEqual([component, [...OWN, ...PUBLIC]]);
        expect([component, reached(CLOUD)]).toEqual([component, []]);
        // Plugins that count no pods among the addresses of a block.
        const rule = policy(component, name).spec.egress.find(({ ports }: any) => ports[0].port === port);
        expect(rule.to).toContainEqual({ namespaceSelector: {} });
      }
    },
  );

  it('reaches what it is told of', () => {
    const api = objectOf('everything-values.yaml', 'NetworkPolicy', 'house-calendar-api');
    expect(letsOut(api, '10.20.0.7', 6432)).toBe(true);
    expect(letsOut(api, '10.21.0.7', 5432)).toBe(false);
    expect(letsOut(api, '10.30.0.5', 443)).toBe(true);
    expect(letsOut(api, '10.9.9.9', 4318)).toBe(true);
    expect(letsOut(policy('api'), '10.9.9.9', 4318)).toBe(false);
    expect(letsOut(policy('api'), '10.9.9.9', 6379)).toBe(false);
    const egressTo = (port: number) => api.spec.egress.find(({ ports }: any) => ports[0].port === port).to;
    expect(egressTo(5432)).toEqual([{ ipBlock: { cidr: '10.20.0.0/24' } }]);
    expect(egressTo(6379)).toEqual([{ podSelector: { matchLabels: { app: 'redis' } } }]);
  });

  it('lets in to the API whom it is told, and the test of the release; to metrics the monitoring; to nothing else', () => {
    const api = objectOf('everything-values.yaml', 'NetworkPolicy', 'house-calendar-api').spec.ingress;
    expect(api).toEqual([
      {
        from: [
          { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'ingress-nginx' } } },
          { podSelector: { matchLabels: expect.objectContaining({ 'app.kubernetes.io/component': 'test' }) } },
        ],
        ports: [{ protocol: 'TCP', port: 3000 }],
      },
      {
        from: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }],
        ports: [{ protocol: 'TCP', port: 9464 }],
      },
    ]);
    expect(policy('worker', 'keda-values.yaml').spec.ingress).toBeUndefined();
    expect(policy('migrate').spec.ingress).toBeUndefined();
  });

  it('lets load balancers in to the API unless it is told whom', () => {
    const [{ from }] = policy('api').spec.ingress;
    expect(from).toEqual(
      expect.arrayContaining([
        { namespaceSelector: {} },
        { ipBlock: { cidr: '0.0.0.0/0' } },
        { ipBlock: { cidr: '::/0' } },
      ]),
    );
  });

  it('N58 has the metrics on no port that leads to the public', () => {
    const service = objectOf('everything-values.yaml', 'Service', 'house-calendar-api');
    expect(service.spec.ports).toEqual([{ name: 'http', port: 8080, targetPort: 'health' }]);
    expect(objectOf('everything-values.yaml', 'Service', 'house-calendar-api-metrics').spec.clusterIP).toBe('None');
  });
});

describe('what watches', () => {
  it('knows processes by their component', () => {
    const relabelings = [
      { sourceLabels: ['__meta_kubernetes_pod_label_app_kubernetes_io_component'], targetLabel: 'component' },
    ];
    expect(objectOf('everything-values.yaml', 'ServiceMonitor').spec.endpoints).toEqual([
      { port: 'metrics', interval: '30s', relabelings },
    ]);
    expect(objectOf('everything-values.yaml', 'PodMonitor').spec.podMetricsEndpoints).toEqual([
      { port: 'metrics', interval: '30s', relabelings },
    ]);
  });

  it("gets rules and dashboards as they are written, with Prometheus's and Grafana's braces", () => {
    const rule = objectOf('everything-values.yaml', 'PrometheusRule', 'house-calendar-one-more');
    expect(rule.spec.groups[0].rules[0].annotations.summary).toBe('{{ $labels.pod }} {{ $value }}');
    expect(rule.metadata.labels).toMatchObject({ release: 'prometheus' });
    const dashboard = objectOf('everything-values.yaml', 'ConfigMap', 'house-calendar-dashboard-one-more');
    expect(dashboard.data['one-more.json']).toBe(DASHBOARD.trim());
    expect(dashboard.metadata).toMatchObject({
      labels: { grafana_dashboard: '1' },
      annotations: { grafana_folder: 'Calendars' },
    });
  });

  it('has Alertmanager keep alerts back that another one explains', () => {
    const { spec, metadata } = objectOf('everything-values.yaml', 'AlertmanagerConfig');
    expect(metadata.labels).toMatchObject({ release: 'prometheus' });
    const shipped = parse(readFileSync(join(CHART, 'alertmanager', 'inhibit-rules.yaml'), 'utf8'));
    const written = (matchers: Record<string, string>[]) =>
      matchers.map(({ name, matchType, value }) => `${name}${matchType}"${value}"`);
    expect(
      spec.inhibitRules.map(({ equal, sourceMatch, targetMatch }: any) => ({
        source_matchers: written(sourceMatch),
        target_matchers: written(targetMatch),
        equal,
      })),
    ).toEqual(shipped.inhibit_rules);
  });

  /** Annotations of all alerts of the chart. */
  const annotationsIn = (name: string): Record<string, string>[] =>
    rendered(name)
      .objects.filter(({ kind }) => kind === 'PrometheusRule')
      .flatMap(({ spec }) => spec.groups.flatMap(({ rules }: { rules: unknown[] }) => rules))
      .filter(({ alert }) => /^Calendar/.test(alert))
      .map(({ annotations }) => annotations);

  it('leads from every alert to its runbook, by an address that can be followed', () => {
    const annotations = annotationsIn('everything-values.yaml');
    expect(annotations.length).toBeGreaterThan(30);
    for (const { runbook = '', runbook_url: address = '' } of annotations) {
      const [page, ...rest] = address
        .split('https://git.example.com/calendars/unified-calendar/blob/main/')
        .toReversed();
      expect([page, rest]).toEqual([runbook, ['']]);
      expect([runbook, existsSync(join(CHART, '..', '..', runbook))]).toEqual([runbook, true]);
    }
  });

  it('names the runbook, and no address, where nobody has said where it can be read', () => {
    const annotations = annotationsIn('observed-values.yaml');
    expect(annotations.length).toBeGreaterThan(30);
    for (const one of annotations) {
      expect(Object.keys(one).sort()).toEqual(['description', 'runbook', 'summary']);
      expect(one['runbook']).toMatch(/^docs\/runbooks\/Calendar\w+\.md$/);
    }
  });

  it('is not there unless it is asked for', () => {
    const kinds = rendered('minimal-values.yaml').objects.map(({ kind }) => kind);
    for (const kind of ['ServiceMonitor', 'PodMonitor', 'PrometheusRule', 'ConfigMap', 'Ingress', 'HTTPRoute']) {
      expect(kinds).not.toContain(kind);
    }
  });
});

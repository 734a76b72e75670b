import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { goTool, runTool, schemaModule } from './go-tools.js';

export const CHART = join(import.meta.dirname, '../../../helm/unified-calendar');

/** Of every group whose objects the chart makes. */
const OPEN_API = ['api__v1', 'apis__apps__v1', 'apis__autoscaling__v2', 'apis__batch__v1'].concat([
  'apis__networking.k8s.io__v1',
  'apis__policy__v1',
]);

export interface RenderCase {
  name: string;
  values?: object;
  /** Of values, instead of them. */
  file?: string;
  isUpgrade?: boolean;
  /** Its name, other than `calendar`. */
  release?: string;
}

/** What became of one set of values. */
export interface Rendered {
  name: string;
  /** Why there is nothing. */
  error?: string;
  notes: string;
  objects: any[];
  /** What Kubernetes would refuse, by its schemas and by Pod Security "restricted". */
  problems: string[];
}

export interface ChartReport {
  /** Findings of `helm lint --strict`, of the values that are files. */
  lint: string[];
  cases: Rendered[];
}

/** Renders a chart with every set of values, as a release `calendar`, unless it has another name, in the namespace `calendar`. */
export async function renderChart(chart: string, cases: RenderCase[]): Promise<ChartReport> {
  const [kubernetes, prometheus, keda, gateway] = await Promise.all([
    schemaModule('k8s.io/kubernetes'),
    schemaModule('github.com/prometheus-operator/prometheus-operator'),
    schemaModule('github.com/kedacore/keda/v2'),
    schemaModule('sigs.k8s.io/gateway-api'),
  ]);
  const monitoring = join(prometheus, 'example/prometheus-operator-crd/monitoring.coreos.com_');
  const schemas = {
    openApi: OPEN_API.map((name) => join(kubernetes, `api/openapi-spec/v3/${name}_openapi.json`)),
    resources: [
      ...['alertmanagerconfigs', 'podmonitors', 'prometheusrules', 'servicemonitors'].map(
        (name) => `${monitoring}${name}.yaml`,
      ),
      join(keda, 'config/crd/bases/keda.sh_scaledobjects.yaml'),
      join(gateway, 'config/crd/standard/gateway.networking.k8s.io_httproutes.yaml'),
    ],
  };
  return runTool<ChartReport>(await goTool('chart'), [], { chart, schemas, cases });
}

/** The sets of values that come with the chart. */
export function filesOfValues(): RenderCase[] {
  const directory = join(CHART, 'ci');
  return readdirSync(directory).map((name) => ({ name, file: join(directory, name) }));
}

export const MINIMAL = { existingSecret: 'calendar', config: { PUBLIC_URL: 'https://calendar.example.com' } };

/** What can be switched, and to what. */
const SWITCHES: Record<string, object[]> = {
  names: [{ fullnameOverride: 'a'.repeat(50) }],
  images: [
    { image: { registry: 'registry.example.com', tag: '9' }, api: { image: { digest: `sha256:${'0'.repeat(64)}` } } },
  ],
  account: [{ serviceAccount: { create: false } }, { serviceAccount: { create: false, name: 'theirs' } }],
  authorities: [{ caConfigMap: 'ca' }],
  api: [{ api: { autoscaling: { enabled: true } } }, { api: { replicas: 0 } }],
  worker: [
    { worker: { autoscaling: { type: 'externalMetric' } } },
    { worker: { autoscaling: { type: 'keda', keda: { serverAddress: 'http://prometheus:9090' } } } },
  ],
  ends: [{ api: { preStopSeconds: 3 }, worker: { preStopSeconds: 3, terminationGracePeriodSeconds: 300 } }],
  budgets: [
    { api: { podDisruptionBudget: { enabled: false } }, worker: { podDisruptionBudget: { maxUnavailable: '50%' } } },
  ],
  spread: [{ api: { topologySpreadConstraints: [] }, worker: { podLabels: { a: 'b' }, podAnnotations: { a: 'b' } } }],
  migrations: [
    { migrations: { enabled: false } },
    {
      migrations: {
        nodeSelector: { pool: 'calendars' },
        tolerations: [{ operator: 'Exists' }],
        activeDeadlineSeconds: 1,
      },
    },
  ],
  ingress: [{ ingress: { enabled: true, extraHosts: ['a.example'] } }],
  route: [{ httpRoute: { enabled: true, parentRefs: [{ name: 'public' }] } }],
  network: [
    { networkPolicy: { enabled: false } },
    {
      networkPolicy: {
        apiFrom: [],
        metricsFrom: [],
        dnsTo: [],
        redis: { enabled: true },
        collector: { enabled: true },
      },
    },
  ],
  metrics: [
    { metrics: { monitors: { enabled: true }, rules: { enabled: true }, dashboards: { enabled: true } } },
    { metrics: { monitors: { enabled: true, labels: { release: 'prometheus' } } } },
  ],
};

/** Every two switches together, in every position. */
export function pairsOfSwitches(): RenderCase[] {
  const positions = Object.entries(SWITCHES).flatMap(([name, values]) =>
    values.map((value, index) => ({ switch: name, name: `${name} ${index + 1}`, value })),
  );
  return positions.flatMap((one, index) =>
    positions
      .slice(index + 1)
      .filter((other) => other.switch !== one.switch)
      .map((other, at) => ({
        name: `${one.name} and ${other.name}`,
        values: merged(merged(MINIMAL, one.value), other.value),
        isUpgrade: at % 2 === 0,
      })),
  );
}

/** Values over values, as Helm lays them. */
export function merged(below: object, above: object): object {
  const result: Record<string, any> = { ...below };
  for (const [key, value] of Object.entries(above)) {
    const isMap = (part: unknown): part is object => typeof part === 'object' && part !== null && !Array.isArray(part);
    result[key] = isMap(value) && isMap(result[key]) ? merged(result[key], value) : value;
  }
  return result;
}

import { instructionsOf, lastOf, type ImageSources } from '../images/built-image.js';

export type ProbeName = 'startup' | 'liveness' | 'readiness';

/** As Kubernetes writes it; `port` is a name. */
export interface Probe {
  httpGet: { path: string; port: string };
  periodSeconds: number;
  failureThreshold: number;
  timeoutSeconds: number;
}

/** What a kubelet knows of a pod with one container. */
export interface RenderedPod {
  /** Entry point and arguments. */
  command: string[];
  env: Record<string, string>;
  /** Numbers by name. */
  ports: Record<string, number>;
  probes: Partial<Record<ProbeName, Probe>>;
  preStopSeconds: number;
  graceSeconds: number;
  /** Directories of the container, and the ConfigMap that each of them holds. */
  mounts: { path: string; configMap: string }[];
}

/** Kubernetes' own, when a pod says nothing. */
const DEFAULT_GRACE_SECONDS = 30;

/**
 * Reads a Deployment or a Job.
 * @param target the stage of the Dockerfile whose image it names
 * @param secrets by name; a key that is not there must be optional
 */
export function renderedPod(
  object: any,
  sources: ImageSources,
  target: string,
  secrets: Record<string, Record<string, string>>,
): RenderedPod {
  const { spec } = object.spec.template;
  const [container] = spec.containers;
  const image = instructionsOf(sources, target);
  const words = (name: string): string[] => lastOf(image, name)?.arguments ?? [];
  const imageEnv = image.flatMap(({ name, values }) => (name === 'ENV' ? Object.entries(values ?? {}) : []));
  return {
    command: [...(container.command ?? words('ENTRYPOINT')), ...(container.args ?? words('CMD'))],
    env: { ...Object.fromEntries(imageEnv), ...resolved(container.env, secrets) },
    ports: Object.fromEntries((container.ports ?? []).map(({ name, containerPort }: any) => [name, containerPort])),
    probes: {
      startup: container.startupProbe,
      liveness: container.livenessProbe,
      readiness: container.readinessProbe,
    },
    preStopSeconds: container.lifecycle?.preStop?.sleep?.seconds ?? 0,
    graceSeconds: spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS,
    mounts: (container.volumeMounts ?? []).map(({ name, mountPath }: any) => ({
      path: mountPath,
      configMap: spec.volumes.find((volume: any) => volume.name === name).configMap.name,
    })),
  };
}

function resolved(env: any[], secrets: Record<string, Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    env.flatMap(({ name, value, valueFrom }) => {
      if (value !== undefined) return [[name, value]];
      const { name: secret, key, optional } = valueFrom.secretKeyRef;
      const found = secrets[secret]?.[key];
      if (found === undefined && optional !== true) throw new Error(`${name}: no ${key} in the Secret ${secret}`);
      return found === undefined ? [] : [[name, found]];
    }),
  );
}

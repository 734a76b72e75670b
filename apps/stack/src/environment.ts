import { freePort } from '#persistence';
import { isProduction, loadConfig, type ProviderConfigs } from '#platform';
import { PROVIDERS } from '#providers';
import { DEMO_CLIENTS, OPERATORS_CLIENT } from '../../sandbox/src/demo-clients.js';
import type { DataDirectory } from './data-directory.js';
import { wantedOrFreePort } from './port.js';

/** Where the stand-in for the providers listens: loopback alone. */
export interface SandboxSettings {
  googlePort: number;
  microsoftPort: number;
  controlPort: number;
  applicationPort: number;
  googleUrl: string;
  microsoftUrl: string;
  controlUrl: string;
  /** Where the demo application's users are sent back to. */
  applicationUrl: string;
}

/** What the stack itself needs to know; everything else is between the environment and the parts. */
export interface StackSettings {
  /** null: the stack runs a database of its own. */
  databaseUrl: string | null;
  encryptionKeys: string;
  port: number;
  host: string;
  /** Where this machine finds what listens on `host`, in a URL. */
  probeHost: string;
  /** Where a browser on this machine finds the API, without `/api`. */
  baseUrl: string;
  /** `METRICS_PORT` of both: neither is in the other's way, nor in that of another stack. */
  metricsPorts: Record<'api' | 'worker', string>;
  /** The OAuth clients of the installation. */
  sharedClients: ProviderConfigs;
  /** null: the environment names the real providers. */
  sandbox: SandboxSettings | null;
}

/** What runs on a person's machine is for that machine, unless `HOST` says otherwise. */
const OWN_HOST = '127.0.0.1';
const SANDBOX_GOOGLE_PORT = 4010;
const SANDBOX_MICROSOFT_PORT = 4011;
const SANDBOX_CONTROL_PORT = 4012;
const SANDBOX_APPLICATION_PORT = 4013;
/** Whoever sets one of these means the providers themselves. */
const MEANS_REAL_PROVIDERS = [
  ...(['GOOGLE_API_URL', 'GOOGLE_OAUTH_URL', 'GOOGLE_TOKEN_URL', 'GOOGLE_CLIENT_ID'] as const),
  ...(['MICROSOFT_GRAPH_URL', 'MICROSOFT_LOGIN_URL', 'MICROSOFT_CLIENT_ID'] as const),
];

/** A database URL that is only read for its form: the real one is known when the database runs. */
const TO_BE_STARTED = 'postgresql://127.0.0.1/to-be-started';

/**
 * Checks the whole environment before anything is started.
 * @throws ConfigError naming every problem
 */
export async function readSettings(env: NodeJS.ProcessEnv, data: DataDirectory): Promise<StackSettings> {
  const databaseUrl = given(env.DATABASE_URL);
  // Production is given its own: a database or keys that step in for a forgotten setting would be found out too late.
  const config = loadConfig(PROVIDERS, {
    ...env,
    HOST: given(env.HOST) ?? OWN_HOST,
    ...(!isProduction(env) && {
      DATABASE_URL: databaseUrl ?? TO_BE_STARTED,
      ENCRYPTION_KEYS: given(env.ENCRYPTION_KEYS) ?? data.ensureEncryptionKeys(),
    }),
  });
  const port = config.port === 0 ? await freePort() : config.port;
  const isAnyAddress = config.host === '0.0.0.0' || config.host === '::';
  const isSandboxed =
    config.nodeEnv !== 'production' && MEANS_REAL_PROVIDERS.every((name) => given(env[name]) === null);
  return {
    databaseUrl,
    encryptionKeys: config.encryptionKeys,
    metricsPorts: await metricsPorts(config.metricsPort),
    sharedClients: config.providers,
    sandbox: isSandboxed ? await sandboxSettings() : null,
    port,
    host: config.host,
    probeHost: isAnyAddress ? '127.0.0.1' : config.host.includes(':') ? `[${config.host}]` : config.host,
    baseUrl: given(env.PUBLIC_URL) === null ? `http://localhost:${port}` : config.publicUrl.replace(/\/$/, ''),
  };
}

/** @param first of two in a row; null: none are wanted */
async function metricsPorts(first: number | null): Promise<StackSettings['metricsPorts']> {
  if (first === null) return { api: 'off', worker: 'off' };
  if (first === 0) return { api: '0', worker: '0' };
  return { api: String(await wantedOrFreePort(first)), worker: String(await wantedOrFreePort(first + 1)) };
}

async function sandboxSettings(): Promise<SandboxSettings> {
  const googlePort = await wantedOrFreePort(SANDBOX_GOOGLE_PORT);
  const microsoftPort = await wantedOrFreePort(SANDBOX_MICROSOFT_PORT);
  const controlPort = await wantedOrFreePort(SANDBOX_CONTROL_PORT);
  const applicationPort = await wantedOrFreePort(SANDBOX_APPLICATION_PORT);
  return {
    googlePort,
    microsoftPort,
    controlPort,
    applicationPort,
    applicationUrl: `http://localhost:${applicationPort}/connected`,
    googleUrl: `http://localhost:${googlePort}`,
    // Links and id_tokens name it, so browsers and services use the same one: the address, which needs no look-up.
    microsoftUrl: `http://127.0.0.1:${microsoftPort}`,
    controlUrl: `http://localhost:${controlPort}`,
  };
}

/** Environment of the API and the worker. */
export function childEnvironment(
  env: NodeJS.ProcessEnv,
  settings: StackSettings,
  databaseUrl: string,
  workerHealthPort: number,
): NodeJS.ProcessEnv {
  return {
    ...env,
    NODE_ENV: given(env.NODE_ENV) ?? 'development',
    // What V8 keeps of modules on disk makes a start shorter by a fifth, and would stay in memory: 17 MiB of each process.
    NODE_COMPILE_CACHE: undefined,
    // As in docker/Dockerfile.
    MALLOC_ARENA_MAX: given(env.MALLOC_ARENA_MAX) ?? '2',
    // Of the API, its metrics, and the worker's health and metrics.
    HOST: settings.host,
    PUBLIC_URL: settings.baseUrl,
    DATABASE_URL: databaseUrl,
    ENCRYPTION_KEYS: settings.encryptionKeys,
    PORT: String(settings.port),
    WORKER_HEALTH_PORT: String(workerHealthPort),
    ...(settings.sandbox !== null && {
      GOOGLE_API_URL: `http://127.0.0.1:${settings.sandbox.googlePort}`,
      GOOGLE_TOKEN_URL: `http://127.0.0.1:${settings.sandbox.googlePort}`,
      // Only this one is opened by a browser.
      GOOGLE_OAUTH_URL: settings.sandbox.googleUrl,
      MICROSOFT_GRAPH_URL: settings.sandbox.microsoftUrl,
      MICROSOFT_LOGIN_URL: settings.sandbox.microsoftUrl,
    }),
    ...(settings.sandbox !== null && given(env.OIDC_ISSUER) === null && singleSignOn(settings.sandbox)),
    // No load balancer has to notice before this API stops.
    SHUTDOWN_DELAY_MS: given(env.SHUTDOWN_DELAY_MS) ?? '0',
  };
}

/** Operators can try the single sign-on, too. */
function singleSignOn({ googleUrl }: SandboxSettings): NodeJS.ProcessEnv {
  return {
    OIDC_ISSUER: `${googleUrl}/oidc`,
    OIDC_CLIENT_ID: OPERATORS_CLIENT.clientId,
    OIDC_CLIENT_SECRET: OPERATORS_CLIENT.clientSecret,
    OIDC_LABEL: 'Sign in with the sandbox',
  };
}

/** Environment of the sandbox. `stateFile` is what makes a second start find its users and events again. */
export function sandboxEnvironment(
  env: NodeJS.ProcessEnv,
  { baseUrl }: StackSettings,
  sandbox: SandboxSettings,
  stateFile: string,
): NodeJS.ProcessEnv {
  const { PATH, HOME, LANG, TZ } = env;
  return {
    ...{ PATH, HOME, LANG, TZ },
    SANDBOX_GOOGLE_PORT: String(sandbox.googlePort),
    SANDBOX_MICROSOFT_PORT: String(sandbox.microsoftPort),
    SANDBOX_CONTROL_PORT: String(sandbox.controlPort),
    SANDBOX_APPLICATION_PORT: String(sandbox.applicationPort),
    SANDBOX_SERVICE_URL: baseUrl,
    SANDBOX_GOOGLE_URL: sandbox.googleUrl,
    SANDBOX_MICROSOFT_URL: sandbox.microsoftUrl,
    SANDBOX_CONTROL_URL: sandbox.controlUrl,
    SANDBOX_SEED: 'demo',
    SANDBOX_REDIRECT_URIS: [
      ...Object.keys(DEMO_CLIENTS).map((slug) => `v1/oauth/callback/${slug}`),
      'operator/v1/sign-on/callback',
    ]
      .map((path) => `${baseUrl}/api/${path}`)
      .join(','),
    SANDBOX_STATE_FILE: stateFile,
  };
}

function given(value: string | undefined): string | null {
  return value === undefined || value.trim() === '' ? null : value.trim();
}

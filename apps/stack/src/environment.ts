import { KeyRing } from '#persistence';
import { freePort } from './postgres/free-port.js';
import { isProduction, loadConfig, type ProviderConfigs } from '#platform';
import { PROVIDERS } from '#providers';
import { DEMO_CLIENTS, OPERATORS_CLIENT } from './demo-clients.js';
import type { DataDirectory } from '#platform/local-stack';
import { wantedOrFreePort } from './port.js';

export interface SandboxAddresses {
  googlePort: number;
  microsoftPort: number;
  controlPort: number;
  applicationPort: number;
  googleUrl: string;
  microsoftUrl: string;
  controlUrl: string;
  applicationUrl: string;
}

export interface StackSettings {
  /** null when the stack runs its own database. */
  databaseUrl: string | null;
  encryptionKeys: string;
  port: number;
  host: string;
  /** Host part of a URL that reaches `host` from this machine. */
  probeHost: string;
  /** URL of the API for a browser on this machine, without `/api`. */
  baseUrl: string;
  metricsPorts: Record<'api' | 'worker', string>;
  sharedClients: ProviderConfigs;
  /** null when the environment names the real providers. */
  sandbox: SandboxAddresses | null;
}

const OWN_HOST = '127.0.0.1';
const SANDBOX_GOOGLE_PORT = 4010;
const SANDBOX_MICROSOFT_PORT = 4011;
const SANDBOX_CONTROL_PORT = 4012;
const SANDBOX_APPLICATION_PORT = 4013;
const MEANS_REAL_PROVIDERS = [
  ...(['GOOGLE_API_URL', 'GOOGLE_OAUTH_URL', 'GOOGLE_TOKEN_URL', 'GOOGLE_CLIENT_ID'] as const),
  ...(['MICROSOFT_GRAPH_URL', 'MICROSOFT_LOGIN_URL', 'MICROSOFT_CLIENT_ID'] as const),
];

/** Placeholder for validation: the real URL is known once the database runs. */
const TO_BE_STARTED = 'postgresql://127.0.0.1/to-be-started';

/** @throws ConfigError naming every problem */
export async function readSettings(env: NodeJS.ProcessEnv, data: DataDirectory): Promise<StackSettings> {
  const databaseUrl = given(env.DATABASE_URL);
  // Production gets no default database or keys: they would hide a forgotten setting.
  const config = loadConfig(PROVIDERS, {
    ...env,
    HOST: given(env.HOST) ?? OWN_HOST,
    ...(!isProduction(env) && {
      DATABASE_URL: databaseUrl ?? TO_BE_STARTED,
      ENCRYPTION_KEYS: given(env.ENCRYPTION_KEYS) ?? data.ensureEncryptionKeys(() => KeyRing.generateEntry('k1')),
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

/** @param first of two consecutive ports; null turns metrics off */
async function metricsPorts(first: number | null): Promise<StackSettings['metricsPorts']> {
  if (first === null) return { api: 'off', worker: 'off' };
  if (first === 0) return { api: '0', worker: '0' };
  return { api: String(await wantedOrFreePort(first)), worker: String(await wantedOrFreePort(first + 1)) };
}

async function sandboxSettings(): Promise<SandboxAddresses> {
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
    // Links and id_tokens contain this URL, so browsers and services share it. An IP address needs no DNS lookup.
    microsoftUrl: `http://127.0.0.1:${microsoftPort}`,
    controlUrl: `http://localhost:${controlPort}`,
  };
}

export function childEnvironment(
  env: NodeJS.ProcessEnv,
  settings: StackSettings,
  databaseUrl: string,
  workerHealthPort: number,
): NodeJS.ProcessEnv {
  return {
    ...env,
    NODE_ENV: given(env.NODE_ENV) ?? 'development',
    // The V8 compile cache shortens a start by a fifth but keeps 17 MiB in the memory of each process.
    NODE_COMPILE_CACHE: undefined,
    // As in docker/Dockerfile.
    MALLOC_ARENA_MAX: given(env.MALLOC_ARENA_MAX) ?? '2',
    // Also applies to the metrics servers and the health server of the worker.
    HOST: settings.host,
    PUBLIC_URL: settings.baseUrl,
    DATABASE_URL: databaseUrl,
    ENCRYPTION_KEYS: settings.encryptionKeys,
    PORT: String(settings.port),
    WORKER_HEALTH_PORT: String(workerHealthPort),
    ...(settings.sandbox !== null && sandboxUrls(settings.sandbox)),
    ...(settings.sandbox !== null && given(env.OIDC_ISSUER) === null && sso(settings.sandbox)),
    // No load balancer needs time to notice the stop.
    SHUTDOWN_DELAY_MS: given(env.SHUTDOWN_DELAY_MS) ?? '0',
  };
}

/** Settings that point a process of the service at the sandbox. */
export function sandboxUrls({ googlePort, googleUrl, microsoftUrl }: SandboxAddresses): Record<string, string> {
  return {
    GOOGLE_API_URL: `http://127.0.0.1:${googlePort}`,
    GOOGLE_TOKEN_URL: `http://127.0.0.1:${googlePort}`,
    // Browsers open only this URL.
    GOOGLE_OAUTH_URL: googleUrl,
    MICROSOFT_GRAPH_URL: microsoftUrl,
    MICROSOFT_LOGIN_URL: microsoftUrl,
  };
}

function sso({ googleUrl }: SandboxAddresses): NodeJS.ProcessEnv {
  return {
    OIDC_ISSUER: `${googleUrl}/oidc`,
    OIDC_CLIENT_ID: OPERATORS_CLIENT.clientId,
    OIDC_CLIENT_SECRET: OPERATORS_CLIENT.clientSecret,
    OIDC_LABEL: 'Sign in with the sandbox',
  };
}

export function sandboxEnvironment(
  env: NodeJS.ProcessEnv,
  { baseUrl }: StackSettings,
  sandbox: SandboxAddresses,
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
    ...Object.fromEntries(DEMO_CLIENTS.map((client) => [`SANDBOX_${client.type}_CLIENT`, clientSetting(client)])),
    SANDBOX_OPERATORS_CLIENT: clientSetting(OPERATORS_CLIENT),
    SANDBOX_SEED: 'demo',
    SANDBOX_REDIRECT_URIS: [
      ...DEMO_CLIENTS.map(({ slug }) => `v1/oauth/callback/${slug}`),
      'operator/v1/sign-on/callback',
    ]
      .map((path) => `${baseUrl}/api/${path}`)
      .join(','),
    SANDBOX_STATE_FILE: stateFile,
  };
}

function clientSetting({ clientId, clientSecret }: { clientId: string; clientSecret: string }): string {
  return `${clientId}:${clientSecret}`;
}

function given(value: string | undefined): string | null {
  return value === undefined || value.trim() === '' ? null : value.trim();
}

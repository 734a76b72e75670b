import { loadConfig } from '#platform';
import type { DataDirectory } from './data-directory.js';
import { freePort } from './port.js';

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
}

/** A database URL that is only read for its form: the real one is known when the database runs. */
const TO_BE_STARTED = 'postgresql://127.0.0.1/to-be-started';

/**
 * Checks the whole environment before anything is started.
 * @throws ConfigError naming every problem
 */
export async function readSettings(env: NodeJS.ProcessEnv, data: DataDirectory): Promise<StackSettings> {
  const databaseUrl = given(env.DATABASE_URL);
  const encryptionKeys = given(env.ENCRYPTION_KEYS) ?? data.ensureEncryptionKeys();
  const config = loadConfig({
    ...env,
    DATABASE_URL: databaseUrl ?? TO_BE_STARTED,
    ENCRYPTION_KEYS: encryptionKeys,
  });
  const port = config.port === 0 ? await freePort() : config.port;
  const isAnyAddress = config.host === '0.0.0.0' || config.host === '::';
  return {
    databaseUrl,
    encryptionKeys,
    port,
    host: config.host,
    probeHost: isAnyAddress ? '127.0.0.1' : config.host.includes(':') ? `[${config.host}]` : config.host,
    baseUrl: given(env.PUBLIC_URL) === null ? `http://localhost:${port}` : config.publicUrl.replace(/\/$/, ''),
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
    PUBLIC_URL: settings.baseUrl,
    DATABASE_URL: databaseUrl,
    ENCRYPTION_KEYS: settings.encryptionKeys,
    PORT: String(settings.port),
    WORKER_HEALTH_PORT: String(workerHealthPort),
    // No load balancer has to notice before this API stops.
    SHUTDOWN_DELAY_MS: given(env.SHUTDOWN_DELAY_MS) ?? '0',
  };
}

function given(value: string | undefined): string | null {
  return value === undefined || value.trim() === '' ? null : value.trim();
}

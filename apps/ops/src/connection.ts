import type { Settings } from '#platform/settings';
import { loadConfig, type Config } from '#platform';
import { OAUTH_PROVIDERS, PROVIDERS } from '#providers';
import { DataDirectory } from '#platform/local-stack';
import { withOperatorServices, type OperatorConnection, type OperatorServices } from './operator-services.js';
import { NotConfigured } from './output.js';

type Environment = Record<string, string | undefined>;

/**
 * Returns `DATABASE_URL`, or the URL of the local `npm start`.
 * @throws NotConfigured
 */
export function findDatabaseUrl(env: Environment): string {
  const url = given(env.DATABASE_URL) ?? DataDirectory.fromEnvironment(env).running()?.databaseUrl;
  if (url === undefined) {
    throw new NotConfigured('No database: set DATABASE_URL, or start `npm start` first.');
  }
  return url;
}

/**
 * Returns `ENCRYPTION_KEYS`, or the keys that `npm start` created.
 * @throws NotConfigured
 */
export function findEncryptionKeys(env: Environment): string {
  const keys = given(env.ENCRYPTION_KEYS) ?? DataDirectory.fromEnvironment(env).encryptionKeys();
  if (keys === null) throw new NotConfigured('No encryption keys: set ENCRYPTION_KEYS.');
  return keys;
}

/** @throws NotConfigured */
export function findConnection(env: Environment): OperatorConnection {
  const operatorUrl = given(env.OPERATOR_URL);
  return {
    databaseUrl: findDatabaseUrl(env),
    encryptionKeys: findEncryptionKeys(env),
    publicUrl: given(env.PUBLIC_URL) ?? DataDirectory.fromEnvironment(env).running()?.baseUrl,
    operatorUrl: operatorUrl === 'off' ? undefined : operatorUrl,
    sharedClients: Object.fromEntries(OAUTH_PROVIDERS.map(({ type, settings }) => [type, textsOf(env, settings)])),
  };
}

/**
 * Returns every setting of the installation: those of the local `npm start` where the environment has none.
 * @throws NotConfigured, ConfigError
 */
export function findConfig(env: Environment): Config {
  const running = DataDirectory.fromEnvironment(env).running();
  return loadConfig(PROVIDERS, {
    ...running?.sandbox,
    PUBLIC_URL: running?.baseUrl,
    ...env,
    DATABASE_URL: findDatabaseUrl(env),
    ENCRYPTION_KEYS: findEncryptionKeys(env),
  });
}

/**
 * Runs `work` on the installation that the environment or the local `npm start` names.
 * @throws NotConfigured
 */
export function operate<T>(work: (services: OperatorServices) => Promise<T>): Promise<T> {
  return withOperatorServices(findConnection(process.env), work);
}

/** @throws NotConfigured where a dashboard and the operator API are off, and a way into them would lead nowhere */
export function assertOperatorsServed(env: Environment): void {
  if (given(env.OPERATOR_URL) !== 'off') return;
  throw new NotConfigured('OPERATOR_URL is off: this installation serves no dashboard and no operator API.');
}

function textsOf(env: Environment, settings: Settings): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(settings).map(([name, setting]) => [name, given(env[setting.env])]));
}

function given(value: string | undefined): string | undefined {
  return value === undefined || value.trim() === '' ? undefined : value.trim();
}

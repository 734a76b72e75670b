import { SettingError, type Setting, type Settings, type ValuesOf } from './setting.js';
import { SETTINGS } from './settings.js';

export interface ConfiguredProvider {
  type: string;
  settings: Settings;
}

export type ProviderConfigs = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

export type Config = ValuesOf<typeof SETTINGS> & { readonly providers: ProviderConfigs };

export class ConfigError extends Error {
  override readonly name = 'ConfigError';

  constructor(readonly problems: string[]) {
    super(`The configuration is not usable:\n${problems.map((problem) => `  - ${problem}`).join('\n')}`);
  }
}

export function isProduction(env: NodeJS.ProcessEnv): boolean {
  return env['NODE_ENV']?.trim() === 'production';
}

/**
 * An empty variable counts as absent, as deployment tools leave one out.
 * @throws ConfigError with every problem, never a value
 */
export function loadConfig(providers: readonly ConfiguredProvider[], env: NodeJS.ProcessEnv = process.env): Config {
  const production = isProduction(env);
  // Providers may share a setting, whose problem is reported once.
  const problems = new Set<string>();
  const read = (settings: Settings): Record<string, unknown> => {
    const values: Record<string, unknown> = {};
    for (const [name, setting] of Object.entries(settings)) {
      try {
        values[name] = readSetting(setting, env[setting.env]?.trim(), production);
      } catch (error) {
        if (!(error instanceof SettingError)) throw error;
        problems.add(`${setting.env} ${error.message}`);
      }
    }
    return Object.freeze(values);
  };
  const own = read(SETTINGS);
  const configs = Object.fromEntries(providers.map(({ type, settings }) => [type, read(settings)]));
  for (const problem of contradictions(own)) problems.add(problem);
  for (const { type, settings } of providers) {
    const { clientId, clientSecret } = configs[type] ?? {};
    if ((clientId === undefined) === (clientSecret === undefined)) continue;
    problems.add(`${settings['clientId']?.env} and ${settings['clientSecret']?.env} must be given together`);
  }
  if (problems.size > 0) throw new ConfigError([...problems]);
  return Object.freeze({ ...own, providers: Object.freeze(configs) }) as Config;
}

/** Problems between settings. An unreadable setting is missing in `config`; an absent one is undefined. */
function contradictions(config: Partial<Record<string, unknown>>): string[] {
  const problems: string[] = [];
  const { nodeEnv, publicUrl, operatorUrl, shutdownDelayMs, shutdownTimeoutMs, webhookTransport, operatorPasswords } =
    config as Partial<Config>;
  // Clients send keys, tokens and sessions to this URL.
  if (nodeEnv === 'production' && publicUrl !== undefined && new URL(publicUrl).protocol !== 'https:') {
    problems.push('PUBLIC_URL must be https in production');
  }
  if (nodeEnv === 'production' && operatorUrl != null && new URL(operatorUrl).protocol !== 'https:') {
    problems.push('OPERATOR_URL must be https in production');
  }
  if (shutdownTimeoutMs !== undefined && shutdownDelayMs !== undefined && shutdownTimeoutMs <= shutdownDelayMs) {
    problems.push('SHUTDOWN_TIMEOUT_MS must be more than SHUTDOWN_DELAY_MS');
  }
  const openId = (['oidcIssuer', 'oidcClientId', 'oidcClientSecret'] as const).filter((name) => name in config);
  if (new Set(openId.map((name) => config[name] === undefined)).size > 1) {
    problems.push('OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET must be given together');
  }
  if (operatorPasswords === 'off' && 'oidcIssuer' in config && config['oidcIssuer'] === undefined) {
    problems.push('OPERATOR_PASSWORDS=off needs OIDC_ISSUER: nobody could sign in');
  }
  for (const name of webhookTransport === 'svix' ? (['svixServerUrl', 'svixToken'] as const) : []) {
    if (!(name in config) || config[name] !== undefined) continue;
    problems.push(`${SETTINGS[name].env} is required with WEBHOOK_TRANSPORT=svix`);
  }
  return problems;
}

function readSetting(setting: Setting<unknown>, given: string | undefined, production: boolean): unknown {
  if (given !== undefined && given !== '') return setting.read(given);
  if (setting.required === 'always' || (setting.required === 'production' && production)) {
    throw new SettingError(setting.required === 'always' ? 'is required' : 'is required in production');
  }
  return setting.default === undefined || setting.default === '' ? setting.default : setting.read(setting.default);
}

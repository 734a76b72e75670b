import { ControlFault, integer } from './control/input.js';
import { DEMO_CLIENTS, parseDemoClient, type DemoClient } from './demo-clients.js';

export type ProviderName = 'google' | 'microsoft';

export interface ProviderSettings {
  /** 0 selects a free port. */
  port: number;
  /** Public origin; undefined for the origin of the listener. */
  url: string | undefined;
  redirectUris: string[];
  demoClient: DemoClient;
}

export interface SandboxSettings {
  /** Address to listen on. */
  host: string;
  providers: Readonly<Record<ProviderName, ProviderSettings>>;
  /** Client of the OpenID provider, for operator sign-in. */
  operatorsClient: DemoClient;
  /** 0 selects a free port. */
  controlPort: number;
  /** Public origin; undefined for the origin of the listener. */
  controlUrl: string | undefined;
  /** Page in place of an application; undefined for none. */
  application?: { port: number; serviceUrl: string };
  seed: 'demo' | null;
  /** File for the state between starts; undefined keeps it in memory only. */
  stateFile?: string;
}

/** @throws Error that lists every problem */
export function readSettings(env: NodeJS.ProcessEnv): SandboxSettings {
  const problems: string[] = [];
  const given = (name: string): string | undefined => env[name]?.trim() || undefined;
  const port = (name: string, otherwise: number): number => {
    try {
      return integer(0, 65_535)(Number(given(name) ?? otherwise), name);
    } catch (error) {
      problems.push((error as ControlFault).message);
      return otherwise;
    }
  };
  const origin = (name: string): string | undefined => {
    const url = given(name);
    if (url === undefined) return undefined;
    if (!URL.canParse(url) || new URL(url).origin !== url) problems.push(`${name} must be an origin, without a path.`);
    return url;
  };
  const demoClient = (name: string, otherwise: DemoClient): DemoClient => {
    const text = given(name);
    const client = text === undefined ? otherwise : parseDemoClient(text);
    if (client === null) problems.push(`${name} must be <client id>:<client secret>.`);
    return client ?? otherwise;
  };
  const seed = given('SANDBOX_SEED');
  if (seed !== undefined && seed !== 'demo') problems.push('SANDBOX_SEED must be demo or empty.');
  const redirectUris = (given('SANDBOX_REDIRECT_URIS') ?? '')
    .split(',')
    .map((uri) => uri.trim())
    .filter((uri) => uri !== '');
  for (const uri of redirectUris) {
    if (!URL.canParse(uri)) problems.push(`SANDBOX_REDIRECT_URIS: ${uri} is no absolute URI.`);
  }
  const isMicrosofts = (uri: string): boolean => uri.endsWith('/microsoft');
  const settings: SandboxSettings = {
    host: given('SANDBOX_HOST') ?? '127.0.0.1',
    providers: {
      google: {
        port: port('SANDBOX_GOOGLE_PORT', 4010),
        url: origin('SANDBOX_GOOGLE_URL'),
        redirectUris: redirectUris.filter((uri) => !isMicrosofts(uri)),
        demoClient: demoClient('SANDBOX_GOOGLE_CLIENT', DEMO_CLIENTS.google),
      },
      microsoft: {
        port: port('SANDBOX_MICROSOFT_PORT', 4011),
        url: origin('SANDBOX_MICROSOFT_URL'),
        redirectUris: redirectUris.filter(isMicrosofts),
        demoClient: demoClient('SANDBOX_MICROSOFT_CLIENT', DEMO_CLIENTS.microsoft),
      },
    },
    operatorsClient: demoClient('SANDBOX_OPERATORS_CLIENT', DEMO_CLIENTS.operators),
    controlPort: port('SANDBOX_CONTROL_PORT', 4012),
    controlUrl: origin('SANDBOX_CONTROL_URL'),
    ...(given('SANDBOX_APPLICATION_PORT') !== undefined && {
      application: {
        port: port('SANDBOX_APPLICATION_PORT', 0),
        serviceUrl: given('SANDBOX_SERVICE_URL') ?? 'http://localhost:3000',
      },
    }),
    seed: seed === 'demo' ? 'demo' : null,
    stateFile: given('SANDBOX_STATE_FILE'),
  };
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return settings;
}

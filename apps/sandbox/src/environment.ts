import { ControlFault, integer } from './control/input.js';

/** How the sandbox is started. */
export interface SandboxSettings {
  /** Address to listen on. */
  host: string;
  /** 0: a port that is free. */
  googlePort: number;
  microsoftPort: number;
  controlPort: number;
  /** Origin that browsers know a provider's side by; undefined: the one that it listens on. */
  googleUrl: string | undefined;
  microsoftUrl: string | undefined;
  controlUrl: string | undefined;
  /** A page that stands for an application of the service; undefined: there is none. */
  application?: { port: number; serviceUrl: string };
  seed: 'demo' | null;
  /** Of the demo clients: Microsoft's has those that end in `/microsoft`, Google's the others. */
  redirectUris: string[];
  /** Where everything is kept from one start to the next; undefined: nowhere. */
  stateFile?: string;
}

/** @throws Error with every problem */
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
  const seed = given('SANDBOX_SEED');
  if (seed !== undefined && seed !== 'demo') problems.push('SANDBOX_SEED must be demo or empty.');
  const settings: SandboxSettings = {
    host: given('SANDBOX_HOST') ?? '127.0.0.1',
    googlePort: port('SANDBOX_GOOGLE_PORT', 4010),
    microsoftPort: port('SANDBOX_MICROSOFT_PORT', 4011),
    controlPort: port('SANDBOX_CONTROL_PORT', 4012),
    googleUrl: origin('SANDBOX_GOOGLE_URL'),
    microsoftUrl: origin('SANDBOX_MICROSOFT_URL'),
    controlUrl: origin('SANDBOX_CONTROL_URL'),
    ...(given('SANDBOX_APPLICATION_PORT') !== undefined && {
      application: {
        port: port('SANDBOX_APPLICATION_PORT', 0),
        serviceUrl: given('SANDBOX_SERVICE_URL') ?? 'http://localhost:3000',
      },
    }),
    seed: seed === 'demo' ? 'demo' : null,
    redirectUris: (given('SANDBOX_REDIRECT_URIS') ?? '')
      .split(',')
      .map((uri) => uri.trim())
      .filter((uri) => uri !== ''),
    stateFile: given('SANDBOX_STATE_FILE'),
  };
  for (const uri of settings.redirectUris) {
    if (!URL.canParse(uri)) problems.push(`SANDBOX_REDIRECT_URIS: ${uri} is no absolute URI.`);
  }
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return settings;
}

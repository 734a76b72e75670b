import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DEMO_CLIENTS } from './demo-clients.js';
import { PartFailed } from './supervisor.js';

export interface Demo {
  applicationId: string;
  name: string;
  /** Text of a key created just now, stored nowhere; null when an earlier start showed it. */
  apiKey: string | null;
}

const OPS = fileURLToPath(new URL('../../ops/src/main.js', import.meta.url));
const run = promisify(execFile);

/**
 * Fills an empty installation with `ops demo`. Returns null when an operator has created applications.
 * @param env with DATABASE_URL and ENCRYPTION_KEYS
 * @param redirectUrl of the demo application; null without a sandbox
 * @throws PartFailed with what the command wrote
 */
export async function ensureDemo(
  env: NodeJS.ProcessEnv,
  redirectUrl: string | null,
  signal: AbortSignal,
): Promise<Demo | null> {
  const clients = DEMO_CLIENTS.flatMap(({ type, clientId, clientSecret }) => [
    '--oauth-client',
    `${type}:${clientId}:${clientSecret}`,
  ]);
  const options = redirectUrl === null ? [] : ['--redirect-url', redirectUrl, ...clients];
  try {
    const { stdout } = await run(process.execPath, [OPS, 'demo', '--json', ...options], { env, signal });
    return (JSON.parse(stdout) as { demo: Demo | null }).demo;
  } catch (error) {
    signal.throwIfAborted();
    throw new PartFailed(`the demo application could not be created: ${(error as { stderr?: string }).stderr ?? ''}`);
  }
}

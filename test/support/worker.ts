import { join } from 'node:path';
import { KeyRing } from '../../libs/persistence/src/encryption/key-ring.js';
import { freePort, runProgram, type RunningProgram } from './processes.js';

const ROOT = join(import.meta.dirname, '..', '..');

export interface WorkerUnderTest extends RunningProgram {
  /** `http://127.0.0.1:<port>`, where its probes are. */
  readonly baseUrl: string;
  /** Status of `/health/<probe>`. */
  probe(name: 'live' | 'ready' | 'startup'): Promise<number>;
}

/**
 * The compiled worker, as it runs in production.
 * @param root where it was built
 */
export async function runWorker(
  databaseUrl: string,
  settings: NodeJS.ProcessEnv = {},
  root = ROOT,
): Promise<WorkerUnderTest> {
  const port = await freePort();
  const program = runProgram(join(ROOT, 'node_modules/node/bin/node'), [join(root, 'dist/apps/worker/src/main.js')], {
    env: {
      PATH: process.env.PATH,
      DATABASE_URL: databaseUrl,
      ENCRYPTION_KEYS: KeyRing.generateEntry('test'),
      WORKER_HEALTH_PORT: String(port),
      HOST: '127.0.0.1',
      METRICS_PORT: 'off',
      ...settings,
    },
  });
  const baseUrl = `http://127.0.0.1:${port}`;
  return {
    ...program,
    baseUrl,
    async probe(name) {
      const answer = await fetch(`${baseUrl}/health/${name}`);
      await answer.arrayBuffer();
      return answer.status;
    },
  };
}

import { KeyRing } from '../../libs/persistence/src/encryption/field-cipher.js';
import { entryPoint, NODE, ROOT } from './entry-points.js';
import { freePort, runProgram, type RunningProgram } from './processes.js';

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
  const program = runProgram(NODE, [entryPoint('worker', root)], {
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
      const response = await fetch(`${baseUrl}/health/${name}`).catch((cause: unknown) => {
        const said = `${program.stdout()}${program.stderr()}`.slice(-2_000);
        throw new Error(`the worker does not answer; the last it said:\n${said}`, { cause });
      });
      await response.arrayBuffer();
      return response.status;
    },
  };
}

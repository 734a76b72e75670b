import { eventually, freePort } from './processes.js';

/** Runs code within a process under test, by its inspector: how a computation goes wrong there. */
export interface Inside {
  /** Environment with which the process has to be started. */
  readonly env: NodeJS.ProcessEnv;
  /** Begins to run an expression; what comes of it is not waited for. */
  run(expression: string): Promise<void>;
}

/** @param nodeOptions others that the process shall have */
export async function inside(...nodeOptions: string[]): Promise<Inside> {
  const port = await freePort();
  return {
    env: { NODE_OPTIONS: [`--inspect=127.0.0.1:${port}`, ...nodeOptions].join(' ') },
    async run(expression) {
      const url = await eventually('an inspector', async () => {
        const targets = (await (await fetch(`http://127.0.0.1:${port}/json/list`)).json()) as {
          webSocketDebuggerUrl: string;
        }[];
        return targets[0]?.webSocketDebuggerUrl;
      });
      const socket = new WebSocket(url);
      await new Promise((open, failed) => {
        socket.addEventListener('open', open);
        socket.addEventListener('error', () => failed(new Error('the inspector does not answer')));
      });
      const answered = new Promise((done) => socket.addEventListener('message', done));
      // In a turn of its own: the answer to this message comes before.
      const later = `void setTimeout(() => { ${expression} })`;
      socket.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression: later } }));
      await answered;
      socket.close();
    },
  };
}

/** The event loop stands still. */
export function blockLoop(ms: number): string {
  return `const end = performance.now() + ${ms}; while (performance.now() < end);`;
}

/** More memory is taken than there is: the process ends by itself. */
export const EXHAUST_MEMORY = 'const all = []; for (;;) all.push(new Array(1e5).fill({}));';

import { connect } from 'node:net';
import { freePort, runProgram, startServer, temporaryDirectory } from './processes.js';

export interface RedisServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** A Redis as the queues need it: it never evicts, and writes to disk what it was told. */
export async function startRedis(): Promise<RedisServer> {
  const directory = await temporaryDirectory('redis');
  try {
    const port = await freePort();
    const program = await startServer(
      'redis-server',
      () =>
        runProgram('redis-server', [
          ...['--port', String(port), '--bind', '127.0.0.1', '--dir', directory.path],
          ...['--save', '', '--appendonly', 'yes', '--maxmemory-policy', 'noeviction'],
        ]),
      () => answersPing(port),
    );
    return {
      url: `redis://127.0.0.1:${port}`,
      async stop() {
        await program.stop(3_000);
        await directory.remove();
      },
    };
  } catch (error) {
    await directory.remove();
    throw error;
  }
}

function answersPing(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write('PING\r\n'));
    const finish = (answers: boolean): void => {
      socket.destroy();
      resolve(answers);
    };
    socket.setTimeout(1_000, () => finish(false));
    socket.on('error', () => finish(false));
    socket.once('data', (data) => finish(data.toString().startsWith('+PONG')));
  });
}

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { freePort, runProgram, startServer, temporaryDirectory, type RunningProgram } from './processes.js';

export interface RedisOptions {
  /** `maxmemory-policy`; the queues need `noeviction`. */
  evictionPolicy?: string;
  /** `maxmemory`, e.g. `1mb`; no limit when absent. */
  maxMemory?: string;
}

export interface RedisServer {
  readonly url: string;
  readonly port: number;
  /** One command, on a connection of its own. @throws ReplyError */
  command(...command: [name: string, ...arguments_: string[]]): Promise<unknown>;
  /** SIGKILL: connections are cut, new ones refused, until {@link start}. */
  kill(): Promise<void>;
  /** Again on the same port, with what it had written to disk or as empty as at first. */
  start(data: 'kept' | 'lost'): Promise<void>;
  /** The process stands still: connections stay, and new ones are even taken by the kernel. */
  pause(): void;
  continue(): void;
  stop(): Promise<void>;
}

/** A Redis as the queues need it, unless told otherwise: it never evicts, and writes to disk what it was told. */
export async function startRedis({
  evictionPolicy = 'noeviction',
  maxMemory = '0',
}: RedisOptions = {}): Promise<RedisServer> {
  const directory = await temporaryDirectory('redis');
  const port = await freePort();
  const run = () =>
    startServer(
      'redis-server',
      () =>
        runProgram('redis-server', [
          ...['--port', String(port), '--bind', '127.0.0.1', '--dir', directory.path],
          ...['--save', '', '--appendonly', 'yes'],
          ...['--maxmemory-policy', evictionPolicy, '--maxmemory', maxMemory],
        ]),
      async () => (await command(port, ['PING'])) === 'PONG',
    );
  let program: RunningProgram;
  try {
    program = await run();
  } catch (error) {
    await directory.remove();
    throw error;
  }
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    command: (...words) => command(port, words),
    async kill() {
      program.child.kill('SIGKILL');
      await program.exited;
    },
    async start(data) {
      if (data === 'lost') await rm(join(directory.path, 'appendonlydir'), { recursive: true, force: true });
      program = await run();
    },
    pause: () => void program.child.kill('SIGSTOP'),
    continue: () => void program.child.kill('SIGCONT'),
    async stop() {
      program.child.kill('SIGCONT');
      await program.stop(3_000);
      await directory.remove();
    },
  };
}

async function command(port: number, [name, ...words]: [string, ...string[]]): Promise<unknown> {
  const client = new Redis({
    ...{ port, host: '127.0.0.1', lazyConnect: true, enableReadyCheck: false },
    ...{ connectTimeout: 1_000, commandTimeout: 5_000, retryStrategy: () => null },
  });
  client.on('error', () => undefined); // the failure that counts is that of the command
  try {
    await client.connect();
    return await client.call(name, ...words);
  } finally {
    client.disconnect();
  }
}

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import autocannon, { type Options } from 'autocannon';
import { byTurns, compared } from './rounds.js';

const ROUNDS = 5;
const SECONDS = 4;
const CONNECTIONS = 20;

type Measured = Pick<Options, 'url' | 'headers' | 'requests'>;

/** Requests a second that 20 callers get through. @throws when one is not answered with success */
export async function requestRate(options: Measured): Promise<number> {
  const result = await autocannon({ ...options, connections: CONNECTIONS, duration: SECONDS });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} answers were no success`);
  return result.requests.average;
}

/** A row of docs/operations/benchmarks.md: `ours` by turns with the yardstick. */
export async function againstHello(
  name: string,
  hello: { url: string },
  ours: Measured,
  limit: number,
): Promise<object> {
  const rounds = await byTurns(
    ROUNDS,
    () => requestRate(ours),
    () => requestRate({ url: hello.url }),
  );
  const { ours: our, theirs: their, ratio } = compared(rounds, (rate) => rate);
  return {
    name: `${name} against a bare Nest + Express hello, requests/s`,
    ratio,
    limit,
    sense: 'at least',
    detail: `${Math.round(our)}/s against ${Math.round(their)}/s`,
  };
}

/** The yardstick: a bare Nest + Express hello, as a process of its own. */
export async function startHello(): Promise<{ url: string; stop(): void }> {
  const hello = spawn(process.execPath, [join(import.meta.dirname, 'hello.mjs')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [port] = (await once(hello.stdout, 'data')) as [Buffer];
  return { url: `http://127.0.0.1:${String(port).trim()}/hello`, stop: () => hello.kill() };
}

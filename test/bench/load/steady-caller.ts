/**
 * A process with nothing else to do, which asks a few times a second, on connections that it has, and tells how long the
 * answers took; and how long those of a server of its own took meanwhile: so much is the machine's. It says when it is
 * ready, is told by a message whom to ask, and by the next one that it is over.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import type { Call } from './open-load.js';

const EVERY_MS = 25;

export interface SteadyTask {
  origin: string;
  call: Call;
}

export interface SteadyResponse {
  tookMs: number;
  status: number;
  /** Of an answer that is no success: it has the envelope of errors, and says when to come again. */
  isExplained: boolean;
}

export interface SteadyReport {
  asked: SteadyResponse[];
  own: SteadyResponse[];
}

const own = createServer((_request, response) => void response.end('{}')).listen(0, '127.0.0.1');
await once(own, 'listening');
let isOver = false;
process.on('message', (task: SteadyTask | 'over') => {
  if (task === 'over') isOver = true;
  else void compare(task);
});
process.send!('ready');

async function compare(task: SteadyTask): Promise<void> {
  const ownOrigin = `http://127.0.0.1:${(own.address() as AddressInfo).port}`;
  const [asked, ours] = await Promise.all([ask(task), ask({ ...task, origin: ownOrigin })]);
  process.send!({ asked, own: ours } satisfies SteadyReport, () => process.exit());
}

async function ask({ origin, call }: SteadyTask): Promise<SteadyResponse[]> {
  const responses: SteadyResponse[] = [];
  const pool = new Pool(origin, { connections: 64, pipelining: 1 });
  const send = async () => {
    const startMs = performance.now();
    const { statusCode, headers, body } = await pool.request(call);
    const text = await body.text();
    const tookMs = performance.now() - startMs;
    const isExplained = statusCode === 200 || (/^\d+$/.test(String(headers['retry-after'])) && isEnvelope(text));
    responses.push({ tookMs, status: statusCode, isExplained });
  };
  const sent: Promise<void>[] = [];
  while (!isOver) {
    sent.push(send());
    await sleep(EVERY_MS);
  }
  await Promise.all(sent);
  await pool.close();
  return responses;
}

function isEnvelope(text: string): boolean {
  try {
    const error = JSON.parse(text) as Record<string, unknown>;
    return ['error', 'code', 'message', 'requestId'].every((name) => typeof error[name] === 'string');
  } catch {
    return false;
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'undici';

/** A GET that has to be answered with 200. */
export interface Call {
  origin: string;
  path: string;
  headers: Record<string, string>;
}

/** Milliseconds. */
export interface Latencies {
  p50: number;
  p99: number;
  requests: number;
}

export interface Flood extends Latencies {
  seconds: number;
}

/**
 * Callers that each have a connection of their own and send a request every `everyMs`, whether the answers keep up or
 * not; their turns are spread evenly. A request that has to wait for the one before counts from when it was due, the
 * first one of each, which connects, not at all.
 */
export async function pacedLatencies(
  calls: readonly Call[],
  { everyMs, forMs }: { everyMs: number; forMs: number },
): Promise<Latencies> {
  const startAt = performance.now() + everyMs;
  const takenMs: number[] = [];
  await withConnections(calls, async (send, index) => {
    const responses: Promise<void>[] = [];
    const first = startAt + (index * everyMs) / calls.length;
    for (let due = first; due < startAt + forMs; due += everyMs) {
      await sleep(Math.max(0, due - performance.now()));
      const response = send().then(() => {
        // The first one has to connect.
        if (due > first) takenMs.push(performance.now() - due);
      });
      response.catch(() => undefined); // told when all have been sent
      responses.push(response);
    }
    await Promise.all(responses);
  });
  return quantiles(takenMs);
}

/** Callers that each send the next request as soon as they have an answer, until there were `requests` of them. */
export async function saturated(calls: readonly Call[], requests: number): Promise<Flood> {
  const takenMs: number[] = [];
  const startedAt = performance.now();
  let left = requests;
  await withConnections(calls, async (send) => {
    while (left-- > 0) {
      const sentAt = performance.now();
      await send();
      takenMs.push(performance.now() - sentAt);
    }
  });
  return { ...quantiles(takenMs), seconds: (performance.now() - startedAt) / 1_000 };
}

async function withConnections(
  calls: readonly Call[],
  caller: (send: () => Promise<void>, index: number) => Promise<void>,
): Promise<void> {
  const connected = async ({ origin, path, headers }: Call, index: number) => {
    const client = new Client(origin, { pipelining: 1 });
    const send = async () => {
      const { statusCode, body } = await client.request({ method: 'GET', path, headers });
      await body.dump({ limit: Number.MAX_SAFE_INTEGER });
      if (statusCode !== 200) throw new Error(`${path} was answered with ${statusCode}`);
    };
    try {
      await caller(send, index);
    } finally {
      await client.close();
    }
  };
  await Promise.all(calls.map(connected));
}

function quantiles(takenMs: number[]): Latencies {
  takenMs.sort((one, other) => one - other);
  const at = (share: number) => takenMs[Math.floor(takenMs.length * share)]!;
  return { p50: at(0.5), p99: at(0.99), requests: takenMs.length };
}

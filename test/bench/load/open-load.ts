import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';

/** One request of a load. */
export interface Call {
  method: 'GET' | 'POST';
  path: string;
  headers: Record<string, string>;
  body?: string;
}

export interface Answered {
  /** Which request of the load. */
  index: number;
  /** Milliseconds since the epoch, when it was due. */
  dueAtMs: number;
  /** Milliseconds from the start of the load to when the request was due. */
  dueMs: number;
  /** From then to the end of the answer: a request that had to wait for a connection has waited. */
  tookMs: number;
  /** 0: there was no answer. */
  status: number;
}

export interface OpenLoad {
  /** An address of this machine. */
  origin: string;
  call: (index: number) => Call;
  perSecond: number;
  forMs: number;
  connections: number;
}

/** Nothing here holds more than that, however slow the answers are. */
const MAX_UNANSWERED = 20_000;

/**
 * Requests at a constant rate, whether the answers keep up or not, and each counted from when it was due: who asks only
 * when there is an answer never sees a queue.
 * @throws Error when the address is not of this machine, or too many requests have no answer
 */
export async function openLoad({ origin, call, perSecond, forMs, connections }: OpenLoad): Promise<Answered[]> {
  if (new URL(origin).hostname !== '127.0.0.1') throw new Error('a load is for this machine alone');
  const pool = new Pool(origin, { connections, pipelining: 1 });
  const answered: Answered[] = [];
  const count = Math.floor((perSecond * forMs) / 1_000);
  const startMs = performance.now();
  const startAtMs = Date.now();
  let openResponses = 0;
  const send = async (index: number): Promise<void> => {
    const dueMs = (index * 1_000) / perSecond;
    openResponses += 1;
    let status = 0;
    try {
      const { statusCode, body } = await pool.request(call(index));
      await body.dump({ limit: Number.MAX_SAFE_INTEGER });
      status = statusCode;
    } catch {
      // It counts as one without an answer.
    }
    openResponses -= 1;
    answered.push({ index, dueAtMs: startAtMs + dueMs, dueMs, tookMs: performance.now() - startMs - dueMs, status });
  };
  const sent: Promise<void>[] = [];
  try {
    while (sent.length < count) {
      const due = Math.min(count, Math.ceil(((performance.now() - startMs) * perSecond) / 1_000));
      while (sent.length < due) sent.push(send(sent.length));
      if (openResponses > MAX_UNANSWERED) throw new Error(`${openResponses} requests have no answer yet`);
      await sleep(1);
    }
    await Promise.all(sent);
  } finally {
    await pool.destroy();
  }
  return answered;
}

/** Callers that each ask again as soon as they have an answer. @returns answers with 200 a second */
export async function closedLoadRate(
  origin: string,
  call: Call,
  { callers, forMs }: { callers: number; forMs: number },
): Promise<number> {
  const pool = new Pool(origin, { connections: callers, pipelining: 1 });
  const startMs = performance.now();
  let done = 0;
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (performance.now() - startMs < forMs) {
        const { statusCode, body } = await pool.request(call);
        await body.dump({ limit: Number.MAX_SAFE_INTEGER });
        if (statusCode === 200) done += 1;
      }
    }),
  );
  await pool.close();
  return (done * 1_000) / (performance.now() - startMs);
}

/** @param share 0.5: the median @returns NaN of nothing */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

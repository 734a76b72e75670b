import { setTimeout as sleep } from 'node:timers/promises';
import { startProgram, printed } from '../programs.js';
import type { SteadyReport } from './steady-caller.js';
import { closedLoadRate, openLoad, quantile, type Call } from './open-load.js';

/** The queue of the first moments, while it is not yet known what the process can do. */
const ONSET_MS = 3_000;
/** Answers that are late by more than this, and many times what they were before, are not those of a calm service. */
const CALM_MS = 50;

export interface Overloaded {
  /** Answers with 200 a second: without overload, before and after it, and in it. */
  peaks: [number, number];
  goodput: number;
  /** How many requests were answered how. */
  statuses: Record<number, number>;
  /** Until a 429 or 503, milliseconds, for somebody who is not busy himself. `unexplained`: without the envelope of errors. */
  refusal: { count: number; unexplained: number; p50: number; p95: number };
  /** What the machine took of that: the same for an answer that costs nothing. */
  machine: { p50: number; p95: number };
  /** From the end of it to the first of ten answers in a row that are as good as before, milliseconds. */
  recoveryMs: number;
}

export interface Overload {
  /** A service of this machine, and what is asked of it. */
  origin: string;
  call: Call;
  times: number;
  forMs: number;
  /** How long the peak is measured, each time. */
  peakMs: number;
}

/** Asks for `times` what the service can do. */
export async function overload({ origin, call, times, forMs, peakMs }: Overload): Promise<Overloaded> {
  const peak = () => closedLoadRate(origin, call, { callers: 16, forMs: peakMs });
  await peak(); // what is warm does more
  const peakBefore = await peak();
  const before = await medianOf(10, () => tookMs(origin, call));

  const calm = startProgram('load/steady-caller.ts');
  await printed(calm);
  const perSecond = times * peakBefore;
  const load = openLoad({ origin, call: () => call, perSecond, forMs, connections: 256 });
  await sleep(ONSET_MS);
  calm.send({ origin, call });
  await sleep(forMs - ONSET_MS);
  calm.send('over');
  const { asked, own } = await printed<SteadyReport>(calm);
  const answered = await load;
  const recoveryMs = await recovered(origin, call, Math.max(CALM_MS, 3 * before));

  const inIt = answered.filter(({ dueMs, tookMs }) => dueMs + tookMs >= ONSET_MS && dueMs + tookMs < forMs);
  const rejected = asked.filter(({ status }) => status !== 200);
  const refusals = rejected.map(({ tookMs }) => tookMs);
  const idle = own.map(({ tookMs }) => tookMs);
  return {
    peaks: [peakBefore, await peak()],
    goodput: (inIt.filter(({ status }) => status === 200).length * 1_000) / (forMs - ONSET_MS),
    statuses: countBy(answered.map(({ status }) => status)),
    refusal: {
      count: refusals.length,
      unexplained: rejected.filter(({ isExplained }) => !isExplained).length,
      p50: quantile(refusals, 0.5),
      p95: quantile(refusals, 0.95),
    },
    machine: { p50: quantile(idle, 0.5), p95: quantile(idle, 0.95) },
    recoveryMs,
  };
}

async function recovered(origin: string, call: Call, goodMs: number): Promise<number> {
  const sinceMs = performance.now();
  let firstGoodMs: number | null = null;
  for (let good = 0; good < 10;) {
    const startMs = performance.now();
    if (startMs - sinceMs > 30_000) return Infinity;
    const isGood = (await tookMs(origin, call)) <= goodMs;
    firstGoodMs = isGood ? (firstGoodMs ?? startMs) : null;
    good = isGood ? good + 1 : 0;
  }
  return firstGoodMs! - sinceMs;
}

/** Infinity: it was not answered with 200. */
async function tookMs(origin: string, { path, headers }: Call): Promise<number> {
  const startMs = performance.now();
  const response = await fetch(origin + path, { headers });
  await response.arrayBuffer();
  return response.status === 200 ? performance.now() - startMs : Infinity;
}

async function medianOf(times: number, measure: () => Promise<number>): Promise<number> {
  const values: number[] = [];
  for (let time = 0; time < times; time += 1) values.push(await measure());
  return quantile(values, 0.5);
}

function countBy(values: readonly number[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

/** What is not as it has to be, in words; nothing where all is. `slack`: how many times slower a machine may be. */
import type { Backlogged } from './backlog.js';
import type { UnderLoad } from './constant-load.js';
import type { Overloaded } from './overload.js';

/** Below this a run says nothing about memory. */
const MEMORY_MINUTES = 5;
/** MiB a minute after the warm-up. */
const MAX_GROWTH = 2;

/**
 * Milliseconds, by docs/operations/benchmarks.md: of requests twice what this load was seen to take there; from a write to
 * the receiver the limits of the rows of changes.
 */
export const MAX_MS = { requests: { p50: 6, p99: 100 }, notified: { p50: 60, p99: 300 } };

export function wrongWithLoad(seen: UnderLoad, slack = 1): string[] {
  const tooSlow = (['requests', 'notified'] as const).flatMap((what) =>
    (['p50', 'p99'] as const)
      // NaN, of nothing that was measured, is too slow as well.
      .filter((share) => !(seen.ms[what][share] <= MAX_MS[what][share] * slack))
      .map((share) => `${what}: ${share} ${seen.ms[what][share]} ms, at most ${MAX_MS[what][share] * slack}`),
  );
  const growing = Object.entries(seen.memory)
    .filter(([, { growthMiBAMinute }]) => seen.minutes >= MEMORY_MINUTES && !(growthMiBAMinute <= MAX_GROWTH))
    .map(([who, { growthMiBAMinute }]) => `${who}: grows by ${growthMiBAMinute} MiB a minute, at most ${MAX_GROWTH}`);
  return [
    ...(seen.failures === 0 ? [] : [`${seen.failures} of ${seen.requests} requests failed`]),
    ...(seen.notNotified === 0 ? [] : [`${seen.notNotified} of ${seen.writes} writes did not reach the receiver`]),
    ...(seen.writes > 0 ? [] : ['nothing was written']),
    ...tooSlow,
    ...growing,
  ];
}

export function wrongWithOverload(seen: Overloaded, slack = 1): string[] {
  const { peaks, goodput, refusal, recoveryMs, statuses } = seen;
  const strange = Object.keys(statuses).filter((status) => !['200', '429', '503'].includes(status));
  const least = (0.8 * Math.min(...peaks)) / slack;
  return [
    ...(strange.length === 0 ? [] : [`answers with ${strange.join(', ')}`]),
    ...(refusal.count > 0 ? [] : ['nobody was turned away']),
    ...(refusal.unexplained === 0 ? [] : [`${refusal.unexplained} refusals that are no error of ours`]),
    ...(refusal.p95 < 50 * slack ? [] : [`refusals: p95 ${refusal.p95} ms, at most ${50 * slack}`]),
    ...(goodput >= least ? [] : [`${goodput} answers a second, at least ${least}`]),
    ...(recoveryMs < 10_000 * slack ? [] : [`good again after ${recoveryMs} ms, at most ${10_000 * slack}`]),
  ];
}

export function wrongWithBacklog({ readMs, residentMiB, perSecond }: Backlogged, slack = 1): string[] {
  const least = (0.8 * Math.min(...perSecond.plain)) / slack;
  const most = { readMs: 1.5 * readMs.empty * slack, residentMiB: 1.25 * residentMiB.plain };
  return [
    ...(readMs.backlogged < most.readMs ? [] : [`reads: ${readMs.backlogged} ms, at most ${most.readMs}`]),
    ...(residentMiB.backlogged < most.residentMiB
      ? []
      : [`the worker has ${residentMiB.backlogged} MiB, at most ${most.residentMiB}`]),
    ...(perSecond.backlogged >= least ? [] : [`${perSecond.backlogged} deliveries a second, at least ${least}`]),
  ];
}

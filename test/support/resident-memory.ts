import { readFileSync } from 'node:fs';

const EVERY_MS = 1_000;
const RELEASED_WITHIN_MS = 30_000;

export interface MemorySample {
  atMs: number;
  mib: number;
}

/** What a process of this machine (Linux) has in memory, MiB, by proc(5). */
export function residentMiB(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1_024;
}

/** Waits until the growth is below the limit: a process releases memory some time after the work that took it. */
export async function expectReleased(pid: number, beforeMiB: number, maxGrowthMiB: number): Promise<void> {
  const deadline = performance.now() + RELEASED_WITHIN_MS;
  while (residentMiB(pid) - beforeMiB >= maxGrowthMiB && performance.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  expect(residentMiB(pid) - beforeMiB).toBeLessThan(maxGrowthMiB);
}

/** Looks every second until it is stopped. */
export function sampleMemory(pid: number): { stop(): MemorySample[] } {
  const samples: MemorySample[] = [];
  const look = () => samples.push({ atMs: performance.now(), mib: residentMiB(pid) });
  look();
  const timer = setInterval(look, EVERY_MS);
  return {
    stop() {
      clearInterval(timer);
      look();
      return samples;
    },
  };
}

/** The slope of the line that fits best, MiB a minute: what is taken and given back in between does not count. */
export function growthAMinute(samples: readonly MemorySample[]): number {
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const atMs = mean(samples.map((sample) => sample.atMs));
  const mib = mean(samples.map((sample) => sample.mib));
  const products = samples.map((sample) => (sample.atMs - atMs) * (sample.mib - mib));
  const squares = samples.map((sample) => (sample.atMs - atMs) ** 2);
  return (mean(products) / mean(squares)) * 60_000;
}

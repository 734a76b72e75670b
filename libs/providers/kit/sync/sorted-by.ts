import { Pace } from '#platform/event-loop';

/** Items sorted in one step, which takes less than a millisecond. */
const RUN = 500;

export function sortedById<T extends { id: string }>(items: readonly T[], pace = new Pace()): Promise<T[]> {
  return sortedBy(items, ({ id }) => id, pace);
}

/** Sorts by key in bytewise order, and yields to the event loop between steps. */
export async function sortedBy<T>(items: readonly T[], keyOf: (item: T) => string, pace = new Pace()): Promise<T[]> {
  let runs: T[][] = [];
  for (let at = 0; at < items.length; at += RUN) {
    runs.push(items.slice(at, at + RUN).sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1)));
    await pace.step();
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let at = 0; at < runs.length; at += 2)
      merged.push(await mergedRuns(runs[at] ?? [], runs[at + 1] ?? [], keyOf, pace));
    runs = merged;
  }
  return runs[0] ?? [];
}

async function mergedRuns<T>(one: T[], other: T[], keyOf: (item: T) => string, pace: Pace): Promise<T[]> {
  const merged: T[] = [];
  let left = 0;
  let right = 0;
  while (merged.length < one.length + other.length) {
    const first = one[left];
    const second = other[right];
    if (second === undefined || (first !== undefined && keyOf(first) <= keyOf(second))) {
      merged.push(first as T);
      left += 1;
    } else {
      merged.push(second);
      right += 1;
    }
    if (merged.length % RUN === 0) await pace.step();
  }
  return merged;
}

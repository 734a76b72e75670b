/** Rounds by turns, after one of each that does not count. */
export async function byTurns<T>(rounds: number, ours: () => Promise<T>, theirs: () => Promise<T>): Promise<[T, T][]> {
  return (await byTurnsWarm(rounds + 1, ours, theirs)).slice(1);
}

/** The same with what is warm already. */
export async function byTurnsWarm<T>(
  rounds: number,
  ours: () => Promise<T>,
  theirs: () => Promise<T>,
): Promise<[T, T][]> {
  const measured: [T, T][] = [];
  for (let round = 0; round < rounds; round += 1) measured.push([await ours(), await theirs()]);
  return measured;
}

export interface Comparison {
  ours: number;
  theirs: number;
  ratio: number;
  difference: number;
}

/** Medians, also of what the rounds say each by itself: what slows both of a pair down is no part of that. */
export function compared<T>(rounds: readonly [T, T][], value: (round: T) => number): Comparison {
  const pairs = rounds.map(([our, their]) => [value(our), value(their)] as const);
  return {
    ours: median(pairs.map(([our]) => our)),
    theirs: median(pairs.map(([, their]) => their)),
    ratio: median(pairs.map(([our, their]) => our / their)),
    difference: median(pairs.map(([our, their]) => our - their)),
  };
}

function median(values: number[]): number {
  return [...values].sort((one, other) => one - other)[Math.floor(values.length / 2)]!;
}

/** @param share 0 to 1; NaN without values */
export function percentile(values: readonly number[], share: number): number {
  return values.toSorted((one, other) => one - other)[Math.ceil(values.length * share) - 1] ?? Number.NaN;
}

/** More than a second brings. */
const SKIPPED = 1_000_000;

/**
 * What one provider remembers from one start to the next: named collections of JSON values, in which maps and sets may
 * be, too. Whoever keeps something there has nothing else to save.
 */
export class Memory {
  readonly #collections = new Map<string, Map<string, unknown>>();
  readonly #counters = this.collection<number>('counters');

  /** The collection with this name, always the same object; empty at first. */
  collection<Value>(name: string): Map<string, Value> {
    const known = this.#collections.get(name);
    const collection = known ?? new Map<string, unknown>();
    this.#collections.set(name, collection);
    return collection as Map<string, Value>;
  }

  /** The last number of a counter. */
  last(counter: string): number {
    return this.#count('skipped') + this.#count(counter);
  }

  next(counter: string): number {
    this.#counters.set(counter, this.#count(counter) + 1);
    return this.last(counter);
  }

  /**
   * Leaves out a million numbers of every counter: a process that was killed may have given some out after its last
   * snapshot, and clients must not meet them again on something else.
   */
  skipAhead(): void {
    this.#counters.set('skipped', this.#count('skipped') + SKIPPED);
  }

  /** All of it as JSON: entries by the names of their collections. */
  snapshot(): unknown {
    const entries = [...this.#collections].map(([name, collection]) => [name, [...collection]] as const);
    return JSON.parse(JSON.stringify(Object.fromEntries(entries), toJson));
  }

  /** @param snapshot what {@link snapshot} gave, in this process or an earlier one: takes the place of what there is */
  restore(snapshot: unknown): void {
    this.clear();
    const collections = JSON.parse(JSON.stringify(snapshot), fromJson) as Record<string, [string, unknown][]>;
    for (const [name, entries] of Object.entries(collections)) {
      const collection = this.collection(name);
      for (const [key, value] of entries) collection.set(key, value);
    }
  }

  /** @param except names of collections that stay as they are */
  clear(...except: string[]): void {
    for (const [name, collection] of this.#collections) if (!except.includes(name)) collection.clear();
  }

  #count(name: string): number {
    return this.#counters.get(name) ?? 0;
  }
}

function toJson(_: string, value: unknown): unknown {
  if (value instanceof Map) return { $map: [...value] };
  return value instanceof Set ? { $set: [...value] } : value;
}

function fromJson(_: string, value: unknown): unknown {
  const { $map, $set } = (value ?? {}) as { $map?: unknown; $set?: unknown };
  if (Array.isArray($map)) return new Map($map as [unknown, unknown][]);
  return Array.isArray($set) ? new Set<unknown>($set) : value;
}

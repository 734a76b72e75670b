/** Exceeds the numbers that a process issues within a second. */
const SKIPPED = 1_000_000;

/** State of one provider that survives a restart: named collections of JSON values, maps and sets. */
export class Memory {
  readonly #collections = new Map<string, Map<string, unknown>>();
  readonly #counters = this.collection<number>('counters');

  /** Returns the collection with this name, always the same object. */
  collection<Value>(name: string): Map<string, Value> {
    const known = this.#collections.get(name);
    const collection = known ?? new Map<string, unknown>();
    this.#collections.set(name, collection);
    return collection as Map<string, Value>;
  }

  /** Returns the last number of a counter. */
  last(counter: string): number {
    return this.#count('skipped') + this.#count(counter);
  }

  next(counter: string): number {
    this.#counters.set(counter, this.#count(counter) + 1);
    return this.last(counter);
  }

  /**
   * Skips a million numbers of every counter: a killed process may have issued some after its last snapshot, and
   * clients must not see them again for other objects.
   */
  skipAhead(): void {
    this.#counters.set('skipped', this.#count('skipped') + SKIPPED);
  }

  /** Returns the entries by collection name, as JSON. */
  snapshot(): unknown {
    const entries = [...this.#collections].map(([name, collection]) => [name, [...collection]] as const);
    return JSON.parse(JSON.stringify(Object.fromEntries(entries), toJson));
  }

  /** Replaces the state. @param snapshot from {@link snapshot}, in this process or an earlier one */
  restore(snapshot: unknown): void {
    this.clear();
    const collections = JSON.parse(JSON.stringify(snapshot), fromJson) as Record<string, [string, unknown][]>;
    for (const [name, entries] of Object.entries(collections)) {
      const collection = this.collection(name);
      for (const [key, value] of entries) collection.set(key, value);
    }
  }

  /** @param except names of collections to keep */
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

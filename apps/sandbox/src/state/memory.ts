/** Something that outlives a restart. */
export interface Remembered {
  /** As JSON; shared with what it was made of. */
  snapshot(): unknown;
  /** @param snapshot what {@link snapshot} gave, in this process or an earlier one; nobody else holds it */
  restore(snapshot: unknown): void;
}

/** All that one part of the sandbox remembers, by name: what is made here is in the snapshot, and forgotten with it. */
export class Memory implements Remembered {
  readonly #parts = new Map<string, Remembered & { clear?(): void }>();

  map<Value>(name: string): Map<string, Value> {
    const map = new Map<string, Value>();
    this.#parts.set(name, {
      snapshot: () => [...map],
      restore(entries) {
        map.clear();
        for (const [key, value] of entries as [string, Value][]) map.set(key, value);
      },
      clear: () => map.clear(),
    });
    return map;
  }

  set(name: string): Set<string> {
    const set = new Set<string>();
    this.#parts.set(name, {
      snapshot: () => [...set],
      restore(values) {
        set.clear();
        for (const value of values as string[]) set.add(value);
      },
      clear: () => set.clear(),
    });
    return set;
  }

  counter(name: string): { value: number } {
    const counter = { value: 0 };
    this.#parts.set(name, {
      snapshot: () => counter.value,
      restore: (value) => void (counter.value = value as number),
      clear: () => void (counter.value = 0),
    });
    return counter;
  }

  /** What remembers by itself. Parts are restored in the order in which they were made. */
  part<Snapshot>(
    name: string,
    part: { snapshot(): Snapshot; restore(snapshot: Snapshot): void; clear?(): void },
  ): void {
    this.#parts.set(name, {
      snapshot: () => part.snapshot(),
      restore: (snapshot) => part.restore(snapshot as Snapshot),
      clear: () => part.clear?.(),
    });
  }

  snapshot(): Record<string, unknown> {
    return Object.fromEntries([...this.#parts].map(([name, part]) => [name, part.snapshot()]));
  }

  restore(snapshot: unknown): void {
    const own = JSON.parse(JSON.stringify(snapshot)) as Record<string, unknown>;
    for (const [name, part] of this.#parts) part.restore(own[name]);
  }

  clear(): void {
    for (const part of this.#parts.values()) part.clear?.();
  }
}

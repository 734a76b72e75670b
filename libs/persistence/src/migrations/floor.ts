/**
 * A contracting migration names the oldest migration that running code must know:
 * `Migration<time>_contract_since_<time>_<name>`. Only the name reaches older code, which lacks the migration itself.
 * Older code is compatible with all other migrations.
 */
const CONTRACT = /^Migration\d{14}_contract_since_(\d{14})(?:_|$)/;
const TIME = /^Migration(\d{14})/;

/** Time (`YYYYMMDDhhmmss`) of the oldest migration that code must know; null when the migration does not contract. */
export function floorOf(migration: string): string | null {
  return CONTRACT.exec(migration)?.[1] ?? null;
}

export function timeOf(migration: string): string | null {
  return TIME.exec(migration)?.[1] ?? null;
}

/** Whether code that knows the migrations `known` can run after a newer one. */
export function admits(migration: string, known: readonly string[]): boolean {
  const floor = floorOf(migration);
  return floor === null || known.some((name) => timeOf(name) === floor);
}

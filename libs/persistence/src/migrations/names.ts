/** In order. Separate from the migrations: serving needs only their names. */
export const MIGRATION_NAMES: readonly string[] = ['Migration20261125000000_initial'];

/**
 * `Migration<time>_contract_since_<time>_<name>`: older code can run only if it knows the migration of the second time.
 * In the name, because older code lacks the migration itself. All other migrations are compatible with older code.
 */
const CONTRACT = /^Migration\d{14}_contract_since_(\d{14})(?:_|$)/;
const TIME = /^Migration(\d{14})/;

/** Time (`YYYYMMDDhhmmss`) of the oldest migration that code must know; null for a compatible migration. */
export function minimumMigrationOf(migration: string): string | null {
  return CONTRACT.exec(migration)?.[1] ?? null;
}

export function timeOf(migration: string): string | null {
  return TIME.exec(migration)?.[1] ?? null;
}

export function admits(migration: string, known: readonly string[]): boolean {
  const floor = minimumMigrationOf(migration);
  return floor === null || known.some((name) => timeOf(name) === floor);
}

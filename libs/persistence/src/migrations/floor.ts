/**
 * A migration after which the code of before cannot go on says so in its name, for that is what reaches code which does
 * not know it: `Migration<time>_contract_since_<time>_<what>`, the second time being that of the oldest migration that
 * code has to know to go on. Every other migration lets the code of before go on.
 */
const CONTRACT = /^Migration\d{14}_contract_since_(\d{14})(?:_|$)/;
const TIME = /^Migration(\d{14})/;

/** Time of the oldest migration that code has to know after this one, `YYYYMMDDhhmmss`; null: this one asks nothing. */
export function floorOf(migration: string): string | null {
  return CONTRACT.exec(migration)?.[1] ?? null;
}

export function timeOf(migration: string): string | null {
  return TIME.exec(migration)?.[1] ?? null;
}

/** Whether code that knows `known` can go on after a migration that it does not know. */
export function admits(migration: string, known: readonly string[]): boolean {
  const floor = floorOf(migration);
  return floor === null || known.some((name) => timeOf(name) === floor);
}

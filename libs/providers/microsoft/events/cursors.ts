import type { JsonValue } from '#domain';
import { cursorFields, tokenForeign } from '#event-rules';

// Links of Graph are kept without their origin (`GraphConnection.stateOf`): no token holds a place that this service
// would send credentials to.

/** Where a page or the changes of a window go on. */
export interface WindowCursor {
  kind: 'window';
  /** Where Graph tells changes of each piece of the window from. */
  deltas: string[];
  /** Of the read that is compared. */
  at: JsonValue;
}

/** Where a page of a list without both bounds goes on. */
export interface PlainCursor {
  kind: 'plain';
  /** Events of Graph that are done with. */
  skip: number;
  /** How many items of the one after them were given out: a series is shown with its changed instances. */
  given: number;
}

export function readWindowCursor(value: JsonValue): WindowCursor {
  const { kind, deltas, at } = cursorFields(value);
  if (kind !== 'window' || !Array.isArray(deltas) || at === undefined) throw tokenForeign();
  return { kind, deltas: deltas.map((delta) => textOrForeign(delta)), at };
}

export function readPlainCursor(value: JsonValue): PlainCursor {
  const { kind, skip, given } = cursorFields(value);
  if (kind !== 'plain' || !isCount(skip) || !isCount(given)) throw tokenForeign();
  return { kind, skip, given };
}

function isCount(value: JsonValue | undefined): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function textOrForeign(value: JsonValue): string {
  if (typeof value !== 'string') throw tokenForeign();
  return value;
}

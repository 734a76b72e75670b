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
  /** Page of Graph; null for the first. */
  state: string | null;
  /** Of Graph's pages: all of them have to be asked for with the same. */
  size: number;
  /** How many items of that page were given out. */
  given: number;
}

export function readWindowCursor(value: JsonValue): WindowCursor {
  const { kind, deltas, at } = cursorFields(value);
  if (kind !== 'window' || !Array.isArray(deltas) || at === undefined) throw tokenForeign();
  return { kind, deltas: deltas.map((delta) => textOrForeign(delta)), at };
}

export function readPlainCursor(value: JsonValue): PlainCursor {
  const { kind, state, size, given } = cursorFields(value);
  const isRead = kind === 'plain' && (state === null || typeof state === 'string');
  if (!isRead || !Number.isSafeInteger(size) || !Number.isSafeInteger(given)) throw tokenForeign();
  return { kind, state, size: size as number, given: given as number };
}

function textOrForeign(value: JsonValue): string {
  if (typeof value !== 'string') throw tokenForeign();
  return value;
}

import type { JsonValue } from '#domain';
import { cursorFields, tokenForeign } from '#providers/kit/sync';

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
  /** The last of those, by short digests of their ids: where they are now, others have gone or come before them. */
  done: string[];
  /** A series after them that was shown in part, with its changed instances: the id of the last item that was given out. */
  open: { event: string; after: string } | null;
}

export function readWindowCursor(value: JsonValue): WindowCursor {
  const { kind, deltas, at } = cursorFields(value);
  if (kind !== 'window' || !Array.isArray(deltas) || at === undefined) throw tokenForeign();
  return { kind, deltas: deltas.map((delta) => textOrForeign(delta)), at };
}

export function readPlainCursor(value: JsonValue): PlainCursor {
  const { kind, skip, done, open } = cursorFields(value);
  if (kind !== 'plain' || !isCount(skip) || !Array.isArray(done) || open === undefined) throw tokenForeign();
  return { kind, skip, done: done.map((event) => textOrForeign(event)), open: readOpen(open) };
}

function readOpen(value: JsonValue): PlainCursor['open'] {
  if (value === null) return null;
  const { event, after } = cursorFields(value);
  if (typeof event !== 'string' || typeof after !== 'string') throw tokenForeign();
  return { event, after };
}

function isCount(value: JsonValue | undefined): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function textOrForeign(value: JsonValue): string {
  if (typeof value !== 'string') throw tokenForeign();
  return value;
}

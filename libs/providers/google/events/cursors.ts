import type { JsonValue } from '#domain';
import { cursorFields, tokenForeign } from '#providers/kit/sync';

// Cursors come out of sealed tokens of our own; their shape changes only with a release. A token that an older release
// sealed is refused, not misread.

/** From where changes of a whole calendar are told. */
export interface TokenBasis {
  kind: 'token';
  /** Google's own. */
  token: string;
  /** Snapshot of the changed instances that were given out, when there are any. */
  memory: string | null;
}

/** Where a page of a whole calendar goes on. */
export interface WholePage {
  kind: 'whole';
  /** Google's own; null for the first page. */
  pageToken: string | null;
  /** Of Google's pages: all of them have to be asked for with the same. */
  size: number;
  /** Id of the last event of that page that was given out; null when none was. */
  after: string | null;
  basis: TokenBasis;
}

export function readTokenBasis(value: JsonValue | undefined): TokenBasis {
  const { kind, token, memory } = cursorFields(value);
  if (kind !== 'token' || typeof token !== 'string' || !isTextOrNull(memory)) throw tokenForeign();
  return { kind, token, memory };
}

export function readWholePage(value: JsonValue): WholePage {
  const { kind, pageToken, size, after, basis } = cursorFields(value);
  if (kind !== 'whole' || !isTextOrNull(pageToken) || !isTextOrNull(after) || typeof size !== 'number')
    throw tokenForeign();
  return { kind, pageToken, size, after, basis: readTokenBasis(basis) };
}

/** Of which kind the read is that a cursor or basis belongs to. */
export function isOfSnapshot(value: JsonValue): boolean {
  const { kind, basis } = cursorFields(value);
  return kind === 'snapshot' || (kind === 'keyed' && cursorFields(basis)['kind'] === 'snapshot');
}

function isTextOrNull(value: JsonValue | undefined): value is string | null {
  return value === null || typeof value === 'string';
}

import type { JsonValue } from '#domain';
import { cursorFields, readKeyedPage, tokenForeign } from '#providers/kit/sync';

export interface SnapshotBasis {
  kind: 'snapshot';
  id: string;
}

/** Position of the next page: after the key of the last returned item. */
export interface FeedCursor {
  after: string;
  basis: SnapshotBasis;
}

/** @throws DomainError PageTokenInvalid */
export function readBasis(value: JsonValue | undefined): SnapshotBasis {
  const { kind, id } = cursorFields(value);
  if (kind !== 'snapshot' || typeof id !== 'string') throw tokenForeign();
  return { kind, id };
}

/** @throws DomainError PageTokenInvalid */
export function readCursor(page: JsonValue | null): FeedCursor | null {
  return page === null ? null : readKeyedPage(page, readBasis);
}

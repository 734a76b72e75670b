import { DomainError, type JsonValue } from '#domain';

// Cursors come out of sealed tokens of our own; their shape changes only with a release. A token that an older release
// sealed is refused, not misread.

/** From where changes of any other read are told. */
export interface SnapshotBasis {
  kind: 'snapshot';
  id: string;
}

/** Where a page goes on that is ordered by keys of ours: behind the last one given out. */
export interface KeyedPage<Basis> {
  kind: 'keyed';
  after: string;
  /** What the sync token at the end will stand for. */
  basis: Basis;
}

export function readSnapshotBasis(value: JsonValue | undefined): SnapshotBasis {
  const { kind, id } = cursorFields(value);
  if (kind !== 'snapshot' || typeof id !== 'string') throw tokenForeign();
  return { kind, id };
}

export function readKeyedPage<Basis>(
  value: JsonValue,
  readBasis: (value: JsonValue | undefined) => Basis,
): KeyedPage<Basis> {
  const { kind, after, basis } = cursorFields(value);
  if (kind !== 'keyed' || typeof after !== 'string') throw tokenForeign();
  return { kind, after, basis: readBasis(basis) };
}

/** A token whose inside is not what this service seals. */
export function tokenForeign(): DomainError {
  return new DomainError('PageTokenInvalid', 'The token is not one that this service can go on from.');
}

export function tokenExpired(): DomainError {
  return new DomainError('SyncTokenExpired', 'The sync token is no longer valid. Start again with a full read.');
}

/** The object that a cursor should be; an empty one for anything else. */
export function cursorFields(value: JsonValue | undefined): { [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

export function isTextOrNull(value: JsonValue | undefined): value is string | null {
  return value === null || typeof value === 'string';
}

export function areTexts(value: JsonValue | undefined): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

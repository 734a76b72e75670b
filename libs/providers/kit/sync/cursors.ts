import { DomainError, type JsonValue } from '#domain';

// Cursors come from sealed tokens. A token of an older release may have another shape and is rejected.

export interface SnapshotBasis {
  kind: 'snapshot';
  id: string;
}

export function readSnapshotBasis(value: JsonValue | undefined): SnapshotBasis {
  const { kind, id } = cursorFields(value);
  if (kind !== 'snapshot' || typeof id !== 'string') throw tokenForeign();
  return { kind, id };
}

export function readKeyedPage<Basis>(value: JsonValue, readBasis: (value: JsonValue | undefined) => Basis) {
  const { kind, after, basis } = cursorFields(value);
  if (kind !== 'keyed' || typeof after !== 'string') throw tokenForeign();
  return { after, basis: readBasis(basis) };
}

export function tokenForeign(): DomainError {
  return new DomainError('PageTokenInvalid', 'The token is not one that this service can go on from.');
}

export function tokenExpired(): DomainError {
  return new DomainError('SyncTokenExpired', 'The sync token is no longer valid. Start again with a full read.');
}

/** Returns an empty object for anything but an object. */
export function cursorFields(value: JsonValue | undefined): { [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : {};
}

export function isTextOrNull(value: JsonValue | undefined): value is string | null {
  return value === null || typeof value === 'string';
}

export function areTexts(value: JsonValue | undefined): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

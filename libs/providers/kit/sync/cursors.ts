import type { EventItem } from '#domain/events';
import type { Page } from '#domain/providers';
import { DomainError, type JsonObject, type JsonValue } from '#domain/system';

// Cursors come from sealed tokens. A token of an older release may have another shape and is rejected.

export type SnapshotBasis = ReturnType<typeof readSnapshotBasis>;

export function readSnapshotBasis(value: JsonValue | undefined) {
  const { kind, id } = cursorFields(value);
  if (kind !== 'snapshot' || typeof id !== 'string') throw tokenForeign();
  return { kind, id };
}

export function readKeyedPage<Basis>(value: JsonValue, readBasis: (value: JsonValue | undefined) => Basis) {
  const { kind, after, basis } = cursorFields(value);
  if (kind !== 'keyed' || typeof after !== 'string') throw tokenForeign();
  return { after, basis: readBasis(basis) };
}

/** Returns the items after a key, and the key of the last one; null when nothing follows it. */
export function sliceAfter<T>(items: readonly T[], keyOf: (item: T) => string, after: string | null, size: number) {
  const pending = after === null ? items : items.filter((item) => keyOf(item) > after);
  const given = pending.slice(0, size);
  const last = given.at(-1);
  return { given, last: last === undefined || pending.length === given.length ? null : keyOf(last) };
}

/** @param last key of the last item; null at the end */
export function keyedPage(items: EventItem[], last: string | null, basis: JsonObject): Page<EventItem> {
  return last === null
    ? { items, nextPage: null, nextSync: basis }
    : { items, nextPage: { kind: 'keyed', after: last, basis }, nextSync: null };
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

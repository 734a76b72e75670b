import { createHash } from 'node:crypto';
import type { EventItem } from '#domain/events';
import type { JsonObject, JsonValue } from '#domain/system';
import { DAY_MS } from '#providers/kit/series';
import { cursorFields, tokenForeign } from '#providers/kit/sync';

/**
 * Start of an incremental read: the server's token, or a snapshot of delivered items. A token knows no instances, so
 * `memory` is a snapshot of the resources with several delivered ids. `givenMs` is the day on which the server issued
 * the token or was last seen to know it.
 */
export type SyncBasis =
  { kind: 'token'; token: string; memory?: string; givenMs?: number } | { kind: 'snapshot'; id: string };

/** Rounds to the day, so that the sync token of an unchanged calendar stays the same all day. */
export function givenOn(nowMs: number): number {
  return Math.floor(nowMs / DAY_MS) * DAY_MS;
}

export interface PagePosition {
  /** Id of the last resource read. Pages before this position cover everything up to it, except as `skip` says. */
  after: string;
  /** Delivered items of resource `after`; null when all were delivered. */
  skip: number | null;
  /** {@link shortVersion} of resource `after`, of which some items were delivered. */
  version?: string;
}

/** Position in an incremental read; the next sync token will stand for `target`. */
export interface ChangesCursor extends PagePosition {
  target: SyncBasis;
}

export function readListCursor(value: JsonValue): PagePosition & { basis: SyncBasis } {
  return read(value, (fields) => isPosition(fields) && isBasis(fields['basis']));
}

export function readOrderedCursor(value: JsonValue): { afterKey: string; basis: SyncBasis } {
  return read(value, ({ afterKey, basis }) => typeof afterKey === 'string' && isBasis(basis));
}

export function readChangesCursor(value: JsonValue): ChangesCursor {
  return read(value, (fields) => isPosition(fields) && isBasis(fields['target']));
}

export function readBasis(value: JsonValue): SyncBasis {
  return read(value, isBasis);
}

/** @throws DomainError PageTokenInvalid */
function read<T>(value: JsonValue, isValid: (fields: JsonObject) => boolean): T {
  const fields = cursorFields(value);
  if (!isValid(fields)) throw tokenForeign();
  return fields as unknown as T;
}

/** @param version null for a deleted resource */
export function shortVersion(version: string | null): string {
  return createHash('sha256')
    .update(version ?? '')
    .digest('base64url')
    .slice(0, 16);
}

/** A position of an earlier release has no version. */
export function isVersionOf(position: PagePosition, version: string | null): boolean {
  return position.version === undefined || position.version === shortVersion(version);
}

export function isPending(id: string, { after, skip }: PagePosition): boolean {
  return skip === null ? id > after : id >= after;
}

function isPosition({ after, skip, version }: JsonObject): boolean {
  if (typeof after !== 'string' || !['string', 'undefined'].includes(typeof version)) return false;
  return skip === null || (typeof skip === 'number' && Number.isInteger(skip) && skip >= 0);
}

function isBasis(value: JsonValue | undefined): boolean {
  const { kind, id, token, memory, givenMs } = cursorFields(value);
  return kind === 'token'
    ? typeof token === 'string' &&
        ['string', 'undefined'].includes(typeof memory) &&
        ['number', 'undefined'].includes(typeof givenMs)
    : kind === 'snapshot' && typeof id === 'string';
}

/**
 * Version and delivered ids of a resource. As text: `<fingerprint> <suffix> <suffix>…`; a suffix follows the event id
 * (`.` for the event or series itself, `_20260101` for an instance).
 */
export interface SnapshotEntry {
  fingerprint: string;
  ids: string[];
}

const SELF = '.';
/**
 * Fingerprint of a resource whose items were not delivered from one version, or from one newer than the sync token. The
 * next sync reports it as a whole, or as gone.
 */
export const UNFINISHED = '';

export function encodeSnapshotEntry(
  resourceId: string,
  fingerprint: string,
  items: readonly Pick<EventItem, 'id' | 'isCancelled'>[],
): string {
  const suffixes = items.flatMap(({ id, isCancelled }) =>
    isCancelled ? [] : [id === resourceId ? SELF : id.slice(resourceId.length)],
  );
  return [encodeURIComponent(fingerprint), ...new Set(suffixes)].join(' ');
}

export function decodeSnapshotEntry(resourceId: string, entry: string): SnapshotEntry {
  const [fingerprint = '', ...suffixes] = entry.split(' ');
  return {
    fingerprint: decodeURIComponent(fingerprint),
    ids: suffixes.map((suffix) => (suffix === SELF ? resourceId : resourceId + suffix)),
  };
}

import { DomainError, type EventItem, type JsonValue } from '#domain';
import { DAY_MS } from '#providers/kit/series';

/**
 * From where changes are told: the server's own token, or a snapshot of what was given out. A token knows nothing of
 * instances: `memory` is the snapshot of those resources that more than one id was given out of, when there are any.
 * `givenMs`: the day on which the server gave the token, or was last seen to know it.
 */
export type SyncBasis =
  { kind: 'token'; token: string; memory?: string; givenMs?: number } | { kind: 'snapshot'; id: string };

/** The same all day long, so that the sync token of a calendar in which nothing happens stays the same, too. */
export function givenOn(nowMs: number): number {
  return Math.floor(nowMs / DAY_MS) * DAY_MS;
}

/** A place in a read that goes by resource id. */
export interface PagePosition {
  /** Id of the last resource looked at; everything up to it was given out, but for what `skip` says. */
  after: string;
  /** Items of resource `after` that were given out; null when all of it was. */
  skip: number | null;
}

/** Where a page of a plain or expanded list goes on. */
export interface ListCursor extends PagePosition {
  basis: SyncBasis;
}

/** Where a page of an ordered list goes on. */
export interface OrderedCursor {
  /** Sort key of the last item given out. */
  afterKey: string;
  basis: SyncBasis;
}

/** Where a page of an incremental read goes on; `target` is what the next sync token will stand for. */
export interface ChangesCursor extends PagePosition {
  target: SyncBasis;
}

// Cursors come out of sealed tokens of our own; their shape changes only with a release. A token that an older release
// sealed is refused, not misread.

export function readListCursor(value: JsonValue): ListCursor {
  if (isPosition(value) && isBasis(value['basis'])) return value as unknown as ListCursor;
  throw foreign();
}

export function readOrderedCursor(value: JsonValue): OrderedCursor {
  if (isRecord(value) && typeof value['afterKey'] === 'string' && isBasis(value['basis'])) {
    return value as unknown as OrderedCursor;
  }
  throw foreign();
}

export function readChangesCursor(value: JsonValue): ChangesCursor {
  if (isPosition(value) && isBasis(value['target'])) return value as unknown as ChangesCursor;
  throw foreign();
}

/** True for resources that a read has not given out completely. */
export function isPending(id: string, { after, skip }: PagePosition): boolean {
  return skip === null ? id > after : id >= after;
}

export function readBasis(value: JsonValue): SyncBasis {
  if (isBasis(value)) return value as unknown as SyncBasis;
  throw foreign();
}

function isPosition(value: JsonValue): value is { [key: string]: JsonValue } {
  if (!isRecord(value) || typeof value['after'] !== 'string') return false;
  const { skip } = value;
  return skip === null || (typeof skip === 'number' && Number.isInteger(skip) && skip >= 0);
}

function isBasis(value: JsonValue | undefined): boolean {
  if (!isRecord(value)) return false;
  return value['kind'] === 'token'
    ? typeof value['token'] === 'string' &&
        ['string', 'undefined'].includes(typeof value['memory']) &&
        ['number', 'undefined'].includes(typeof value['givenMs'])
    : value['kind'] === 'snapshot' && typeof value['id'] === 'string';
}

function isRecord(value: JsonValue | undefined): value is { [key: string]: JsonValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function foreign(): DomainError {
  return new DomainError('PageTokenInvalid', 'The token is not one that this service can go on from.');
}

/**
 * One entry of a sync snapshot: the version of a resource and the ids that were given out of it, so that an id that is
 * no longer part of a read can be told to be gone. `<fingerprint> <suffix> <suffix>…`, a suffix being what follows the
 * event id (`.` for the event or series itself, `_20260101` for an instance).
 */
export interface DeliveredResource {
  fingerprint: string;
  ids: string[];
}

const SELF = '.';

export function encodeDelivered(resourceId: string, fingerprint: string, items: readonly EventItem[]): string {
  const suffixes = items.flatMap(({ id, isCancelled }) =>
    isCancelled ? [] : [id === resourceId ? SELF : id.slice(resourceId.length)],
  );
  return [encodeURIComponent(fingerprint), ...suffixes].join(' ');
}

export function decodeDelivered(resourceId: string, entry: string): DeliveredResource {
  const [fingerprint = '', ...suffixes] = entry.split(' ');
  return {
    fingerprint: decodeURIComponent(fingerprint),
    ids: suffixes.map((suffix) => (suffix === SELF ? resourceId : resourceId + suffix)),
  };
}

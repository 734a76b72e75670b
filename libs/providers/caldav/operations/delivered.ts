import type { EventItem } from '#domain';

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

import type { JsonObject, JsonValue } from '#domain';
import type { CalDavAccount } from './dav/contract.js';
import { resolveHref } from './dav/hrefs.js';

/** What discovery learned, as it is stored. */
export function toProviderState(account: CalDavAccount): JsonObject {
  return { ...account };
}

/**
 * Reads it back. null for anything that this release did not write, and for origins that credentials may not go to
 * (any more): then discovery is repeated.
 */
export function readProviderState(state: JsonObject | null, mayUse: (origin: URL) => boolean): CalDavAccount | null {
  if (state === null || state['version'] !== 1) return null;
  const { origin, principalHref, homeHrefs, collectionHref, addresses, addressUris, dav, discoveredAt } = state;
  if (typeof origin !== 'string' || typeof discoveredAt !== 'string' || Number.isNaN(Date.parse(discoveredAt)))
    return null;
  if (!isStrings(homeHrefs) || !isStrings(addresses) || !isStrings(addressUris) || !isStrings(dav)) return null;
  if (!isStringOrNull(principalHref) || !isStringOrNull(collectionHref)) return null;
  if (homeHrefs.length === 0 && collectionHref === null) return null;
  const base = URL.parse(origin);
  if (base === null || base.origin !== origin || !mayUse(base)) return null;
  const hrefs = [...homeHrefs, ...(collectionHref === null ? [] : [collectionHref])];
  if (hrefs.some((href) => resolveHref(href, base)?.origin !== origin)) return null;
  const principal = principalHref === null ? null : resolveHref(principalHref, base);
  if (principalHref !== null && (principal === null || !mayUse(principal))) return null;
  return { version: 1, origin, principalHref, homeHrefs, collectionHref, addresses, addressUris, dav, discoveredAt };
}

function isStrings(value: JsonValue | undefined): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function isStringOrNull(value: JsonValue | undefined): value is string | null {
  return value === null || typeof value === 'string';
}

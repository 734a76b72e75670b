import type { JsonObject, JsonValue } from '#domain/system';
import type { Identity, UidSample } from './feed.js';

/** Holds hashes of the feed's content only. */
export interface FeedAccount {
  /** Given by the user; null for the feed's own name. */
  name: string | null;
  identity: Identity;
  sample: UidSample;
  /** When the shown content became stale, epoch milliseconds; null while it is current. */
  staleSinceMs: number | null;
}

export function toProviderState({ name, identity, sample, staleSinceMs }: FeedAccount): JsonObject {
  return {
    version: 1,
    name,
    identity,
    sample: { ...sample },
    staleSince: staleSinceMs === null ? null : new Date(staleSinceMs).toISOString(),
  };
}

/** Unreadable values read as those of a new account. */
export function readProviderState(state: JsonObject | null): FeedAccount {
  const { name, identity, sample, staleSince } = state ?? {};
  const staleSinceMs = typeof staleSince === 'string' ? Date.parse(staleSince) : Number.NaN;
  return {
    name: typeof name === 'string' ? name : null,
    identity: identity === 'content' ? 'content' : 'uid',
    sample: isSample(sample) ? sample : {},
    staleSinceMs: Number.isNaN(staleSinceMs) ? null : staleSinceMs,
  };
}

function isSample(value: JsonValue | undefined): value is { [likeness: string]: string } {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((uid) => typeof uid === 'string')
  );
}

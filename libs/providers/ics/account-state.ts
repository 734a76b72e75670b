import type { JsonObject, JsonValue } from '#domain';
import type { Identity, UidSample } from './feed.js';

/** What is stored of a feed's account: nothing of its content but hashes. */
export interface FeedAccount {
  /** Given by whoever connected it; null: as the feed calls itself. */
  name: string | null;
  identity: Identity;
  sample: UidSample;
  /** Since when what is shown is not what the server has, epoch milliseconds; null: it is. */
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

/** What cannot be read is as for an account that has just been connected. */
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

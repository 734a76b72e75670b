import { isDeepStrictEqual } from 'node:util';
import type { EventChangeBody } from './event-input.js';
import type { EventView } from './event-view.js';

/**
 * What is left of a body without the fields that say what the event shows: callers send back what they read, and that is
 * no change, whatever the rules for new values are.
 * @param views the event as it may have been shown
 */
export function withoutShown(body: EventChangeBody, views: readonly EventView[]): EventChangeBody {
  const isShown = ([field, value]: [string, unknown]) =>
    views.some((view) => isSameJson(value, (view as unknown as Record<string, unknown>)[field]));
  return Object.fromEntries(Object.entries(body).filter((entry) => entry[1] !== undefined && !isShown(entry)));
}

/** Neither classes nor members without a value count. */
function isSameJson(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(asJson(one), asJson(other));
}

function asJson(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

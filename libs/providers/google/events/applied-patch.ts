import type { calendar_v3 } from '@googleapis/calendar';
import { recordOf } from '#providers/kit/events';
import { instantOf } from '#providers/kit/series';
import type { GoogleEvent } from './google-event.js';
import { readGoogleTime } from './google-time.js';

/**
 * Whether an event already is what a PATCH asks for. False also where Google says the same in other words.
 * @param body of the PATCH: null takes a property away (RFC 7396)
 */
export function isApplied(body: calendar_v3.Schema$Event, { raw }: GoogleEvent, calendarZone: string): boolean {
  const { start, end, ...others } = body;
  return (
    [
      [start, raw.start],
      [end, raw.end],
    ].every(([wanted, actual]) => wanted === undefined || isSameTime(wanted, actual, calendarZone)) &&
    covers(raw, others)
  );
}

function isSameTime(wanted: unknown, actual: unknown, calendarZone: string): boolean {
  const [one, other] = [readGoogleTime(wanted, calendarZone), readGoogleTime(actual, calendarZone)];
  return (
    one !== null &&
    one.kind === other?.kind &&
    instantOf(one, calendarZone) === instantOf(other, calendarZone) &&
    (recordOf(wanted)['timeZone'] ?? null) === (recordOf(actual)['timeZone'] ?? null)
  );
}

function covers(actual: unknown, wanted: unknown): boolean {
  if (wanted === undefined) return true;
  if (wanted === null) return actual === undefined || actual === null;
  if (typeof wanted !== 'object') return actual === wanted;
  if (Array.isArray(wanted)) {
    return (
      Array.isArray(actual) &&
      actual.length === wanted.length &&
      wanted.every((item, index) => covers((actual as unknown[])[index], item))
    );
  }
  if (typeof actual !== 'object' || actual === null) return false;
  const found = recordOf(actual);
  return Object.entries(wanted).every(([key, value]) =>
    covers(Object.hasOwn(found, key) ? found[key] : undefined, value),
  );
}

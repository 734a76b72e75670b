import type { calendar_v3 } from '@googleapis/calendar';
import type { NotifyParticipants, WriteOptions } from '#domain/providers';
import { orNull } from '#providers/kit/calls';
import { listOf, readAfterWrite, recordOf, removeUnread } from '#providers/kit/events';
import { eventNotFound, instantOf } from '#providers/kit/series';
import { GoogleApiError } from '../errors.js';
import { type GoogleEvent, readGoogleTime } from './google-event.js';
import { fetchEvent, readEvent, type GoogleCalendarHandle } from './open-calendar.js';

const SEND_UPDATES: Readonly<Record<NotifyParticipants, string>> = {
  all: 'all',
  external: 'externalOnly',
  none: 'none',
};

export const ANY_VERSION: Condition = { etag: null };

/** A write with an etag succeeds only for the version that was read. */
type Condition = Pick<GoogleEvent, 'etag'>;

export function isVersionConflict(error: unknown): boolean {
  return error instanceof GoogleApiError && error.status === 412;
}

/** Creates an event under our id. When the id is taken, by a deleted event too, an earlier try has created it. */
export async function insertEvent(
  calendar: GoogleCalendarHandle,
  body: calendar_v3.Schema$Event & { id: string },
  options: WriteOptions,
): Promise<{ event: GoogleEvent; isNew: boolean }> {
  const { connection, id: calendarId } = calendar;
  let tries = 0;
  const send = () => {
    tries += 1;
    return connection.api.events.insert({
      calendarId,
      requestBody: body,
      conferenceDataVersion: 1,
      sendUpdates: sendUpdates(options),
      ...(body.attachments != null && { supportsAttachments: true }),
    });
  };
  try {
    return { event: readEvent(calendar, await connection.call('idempotent', send)), isNew: true };
  } catch (error) {
    if (!(error instanceof GoogleApiError) || error.status !== 409) throw error;
    const read = () => fetchEvent(calendar, body.id);
    // After a lost answer the event is as requested.
    const there = await (tries > 1
      ? readAfterWrite(connection.session.signal, read, () => readEvent(calendar, body))
      : read());
    if (there === null) throw error;
    return { event: there, isNew: false };
  }
}

/**
 * A repeat after a lost answer that finds its own change counts as done (RFC 9110 §13.1.1).
 * @throws DomainError NotFound; GoogleApiError 412 when the condition fails
 */
export async function patchEvent(
  calendar: GoogleCalendarHandle,
  eventId: string,
  body: calendar_v3.Schema$Event,
  { etag }: Condition,
  options: WriteOptions,
): Promise<GoogleEvent> {
  const { connection, id: calendarId } = calendar;
  let tries = 0;
  const send = () => {
    tries += 1;
    return connection.api.events.patch(
      { calendarId, eventId, requestBody: body, conferenceDataVersion: 1, sendUpdates: sendUpdates(options) },
      ifMatch(etag),
    );
  };
  try {
    const data = await orNull(connection.call('idempotent', send));
    if (data === null) throw eventNotFound();
    return readEvent(calendar, data);
  } catch (error) {
    const mayBeOurs = tries > 1 && isVersionConflict(error);
    const event = mayBeOurs ? await fetchEvent(calendar, eventId) : null;
    if (event !== null && isAlreadyApplied(body, event, calendar.facts.timeZone)) return event;
    throw error;
  }
}

/** Reads an event again after related writes; `answered` is the answer to its own. @throws DomainError NotFound */
export async function writtenEvent(calendar: GoogleCalendarHandle, returned: GoogleEvent): Promise<GoogleEvent> {
  const event = await readAfterWrite<GoogleEvent | null>(
    calendar.connection.session.signal,
    () => fetchEvent(calendar, returned.id),
    () => returned,
  );
  if (event === null || event.isCancelled) throw eventNotFound();
  return event;
}

/** Treats a missing event as deleted. @throws GoogleApiError 412 when the condition fails */
export async function deleteEvent(
  calendar: GoogleCalendarHandle,
  eventId: string,
  { etag }: Condition,
  options: WriteOptions,
) {
  const { connection, id: calendarId } = calendar;
  await orNull(
    connection.call('idempotent', () =>
      connection.api.events.delete({ calendarId, eventId, sendUpdates: sendUpdates(options) }, ifMatch(etag)),
    ),
  );
}

/**
 * Deletes an event that was not read before.
 * @param version plain tag; null for any
 * @throws DomainError NotFound, PreconditionFailed
 */
export async function deleteById(
  calendar: GoogleCalendarHandle,
  eventId: string,
  version: string | null,
  options: WriteOptions,
): Promise<void> {
  const { connection, id: calendarId } = calendar;
  const condition = ifMatch(version === null ? null : `"${version}"`);
  await removeUnread(version, isVersionConflict, (onTry) =>
    connection.call('idempotent', () => {
      onTry();
      return connection.api.events.delete({ calendarId, eventId, sendUpdates: sendUpdates(options) }, condition);
    }),
  );
}

const sendUpdates = ({ notifyParticipants }: WriteOptions) => SEND_UPDATES[notifyParticipants ?? 'all'];

/** A weak tag never matches If-Match (RFC 9110 §8.8.3.2). */
function ifMatch(etag: string | null): { headers?: Record<string, string> } {
  return etag === null || etag.startsWith('W/') ? {} : { headers: { 'If-Match': etag } };
}

/** Whether an event has all fields of a PATCH. False also when Google writes the same in another form. */
export function isAlreadyApplied(body: calendar_v3.Schema$Event, { raw }: GoogleEvent, calendarZone: string): boolean {
  const { start, end, ...others } = body;
  const isSame = (wanted: unknown, actual: unknown) => wanted === undefined || isSameTime(wanted, actual, calendarZone);
  return isSame(start, raw.start) && isSame(end, raw.end) && covers(raw, others);
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
    const list = listOf(actual);
    return Array.isArray(actual) && list.length === wanted.length && wanted.every((item, at) => covers(list[at], item));
  }
  if (typeof actual !== 'object' || actual === null) return false;
  const found = recordOf(actual);
  return Object.entries(wanted).every(([key, value]) =>
    covers(Object.hasOwn(found, key) ? found[key] : undefined, value),
  );
}

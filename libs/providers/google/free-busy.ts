import type { BoundedWindow, BusySlot } from '#domain/events';
import type { FreeBusyRequest } from '#domain/providers';
import { DomainError, invalid } from '#domain/system';
import { mergeBusy } from '#icalendar';
import { calendarNotFound, isSendable } from '#providers/kit/calls';
import { recordOf, textOf } from '#providers/kit/events';
import { piecesOf } from '#providers/kit/sync';
import type { GoogleAccountClient } from './account-client.js';
import { malformedResponse } from './errors.js';

/** Google's maximum per query. */
const MAX_CALENDARS = 50;
/** Google rejects ranges of about three months and publishes no figure. */
const MAX_RANGE_MS = 60 * 86_400_000;
/** Keeps one request from using up the account's budget. */
const MAX_CALLS = 100;

type Busy = BusySlot[] | DomainError;

/** Busy are opaque events, neither cancelled nor declined. @throws DomainError ValidationFailed beyond MAX_CALLS */
export async function queryFreeBusy(connection: GoogleAccountClient, { window, calendarIds }: FreeBusyRequest) {
  const outcomes = new Map<string, Busy>(
    calendarIds.map((calendarId) => [calendarId, isSendable(calendarId) ? [] : calendarNotFound()]),
  );
  const asked = [...outcomes.keys()].filter((calendarId) => Array.isArray(outcomes.get(calendarId)));
  const ranges = piecesOf(window, MAX_RANGE_MS);
  if (ranges.length * Math.ceil(asked.length / MAX_CALENDARS) > MAX_CALLS) {
    throw invalid('endDateTime', 'asks for too long a time for the free/busy query of Google');
  }
  for (let at = 0; at < asked.length; at += MAX_CALENDARS) {
    for (const range of ranges) {
      const open = asked.slice(at, at + MAX_CALENDARS).filter((calendarId) => Array.isArray(outcomes.get(calendarId)));
      if (open.length > 0) await queryRange(connection, range, open, outcomes);
    }
  }
  return calendarIds.map((calendarId) => {
    const busy = outcomes.get(calendarId) ?? [];
    return Array.isArray(busy) ? { calendarId, busySlots: mergeBusy(busy, window) } : { calendarId, error: busy };
  });
}

async function queryRange(
  connection: GoogleAccountClient,
  { startMs, endMs }: BoundedWindow,
  calendarIds: string[],
  outcomes: Map<string, Busy>,
): Promise<void> {
  const requestBody = {
    timeMin: new Date(startMs).toISOString(),
    timeMax: new Date(endMs).toISOString(),
    items: calendarIds.map((id) => ({ id })),
  };
  const { calendars } = await connection.call('read', () =>
    connection.api.freebusy.query({ requestBody, fields: 'calendars' }),
  );
  for (const calendarId of calendarIds) {
    const response = recordOf(recordOf(calendars)[calendarId]);
    const known = outcomes.get(calendarId);
    const busy = busyOf(response);
    outcomes.set(calendarId, Array.isArray(busy) && Array.isArray(known) ? [...known, ...busy] : busy);
  }
}

/** A calendar without an answer of its own must not count as free. */
function busyOf({ busy, errors }: Record<string, unknown>): Busy {
  if (Array.isArray(errors) && errors.length > 0) return failureOf(recordOf(errors[0])['reason']);
  if (!Array.isArray(busy)) return malformedResponse();
  const slots = busy.map(recordOf).map(({ start, end }) => ({
    startMs: Date.parse(textOf(start) ?? ''),
    endMs: Date.parse(textOf(end) ?? ''),
  }));
  // NaN fails the comparison, too.
  return slots.every(({ startMs, endMs }) => startMs <= endMs) ? slots : malformedResponse();
}

function failureOf(reason: unknown): DomainError {
  if (reason === 'notFound') return calendarNotFound();
  const message = 'Google could not tell when this calendar is busy.';
  return new DomainError('ProviderUnavailable', message, {
    provider: {
      status: 200,
      code: typeof reason === 'string' && /^\w{1,64}$/.test(reason) ? reason : null,
      message,
      retryable: reason === 'internalError',
    },
  });
}

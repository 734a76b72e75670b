import type { CalendarProvider } from '#domain';
import { bindProvider } from '#providers/kit/adapter';
import type { AccountLimits } from '#providers/kit/calls';
import { createCalendar, deleteCalendar, getCalendar, listCalendars, updateCalendar } from './calendars.js';
import { openConnection, type ConnectionDeps } from './connection.js';
import type { CalDavConnection } from './connection.js';
import { toDomainError } from './dav/dav-errors.js';
import { connectAccount, type CalDavFlavor } from './discovery.js';
import { EventChanges } from './operations/event-changes.js';
import { EventLists } from './operations/event-lists.js';
import { EventOccurrences } from './operations/event-occurrences.js';
import { EventOperations } from './operations/event-operations.js';
import type { EventOperationsDeps, OpenCalendar } from './operations/event-source.js';
import { FreeBusy } from './operations/free-busy.js';
import { ListingCache } from './operations/listing-cache.js';
import { RangeCandidates } from './operations/range-candidates.js';

export interface CalDavAdapterParts extends ConnectionDeps, EventOperationsDeps {
  limits: AccountLimits;
}

const DEFAULT_EVENT_PAGE_SIZE = 400;

/** A CalDAV server, or a service that speaks CalDAV with traps of its own (the flavor says which). */
export function calDavProvider(flavor: CalDavFlavor, parts: CalDavAdapterParts): CalendarProvider {
  const nowMs = () => parts.nowMs();
  const candidates = new RangeCandidates(parts.reader, nowMs);
  const lists = new EventLists(parts, candidates, new ListingCache(nowMs));
  const changes = new EventChanges(parts, candidates);
  const occurrences = new EventOccurrences(parts);
  const operations = new EventOperations(parts);
  const busy = new FreeBusy(parts, candidates);
  const capabilities = {
    authentication: 'password',
    needsServerUrl: flavor.fixedRoot === null,
    defaultEventPageSize: DEFAULT_EVENT_PAGE_SIZE,
    syncExtent: 'calendar',
    refusedTokenEndsGrant: false,
  } as const;
  return bindProvider<CalDavConnection>(
    { type: flavor.type, authorization: null, capabilities, limits: parts.limits },
    {
      open: (session, admission) => openConnection(flavor, parts, session, admission),
      connect: (request) => connectAccount(flavor, parts, request),
      verify: ({ client }) => client.verify(),
      calendars: {
        list: listCalendars,
        get: getCalendar,
        create: createCalendar,
        update: updateCalendar,
        delete: deleteCalendar,
      },
      events: {
        list: inCalendar((calendar, list) =>
          list.sync === null ? lists.page(calendar, list) : changes.page(calendar, { ...list, sync: list.sync }),
        ),
        occurrences: inCalendar((calendar, eventId, list) => occurrences.page(calendar, eventId, list)),
        get: inCalendar((calendar, eventId) => operations.get(calendar, eventId)),
        create: inCalendar((calendar, input, options) => operations.create(calendar, input, options)),
        update: inCalendar((calendar, eventId, input, options) => operations.update(calendar, eventId, input, options)),
        delete: inCalendar((calendar, eventId, options) => operations.delete(calendar, eventId, options)),
        respond: inCalendar((calendar, eventId, status, options) =>
          operations.respond(calendar, eventId, status, options),
        ),
      },
      freeBusy: (connection, request, translate) => busy.query(connection, request, translate),
      toDomainError: (error, { kind }) => toDomainError(error, kind),
    },
  );
}

/** Opens the calendar that an operation names. */
function inCalendar<Given extends unknown[], Result>(
  work: (calendar: OpenCalendar, ...given: Given) => Promise<Result>,
) {
  return async (connection: CalDavConnection, calendarId: string, ...given: Given): Promise<Result> =>
    work({ connection, collection: await connection.collection(calendarId) }, ...given);
}

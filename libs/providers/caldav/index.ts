import type { CalendarProvider, ProviderConcurrencyLimiter, ProviderRateLimiter } from '#domain/providers';
import { integer } from '#platform/settings';
import { bindProvider } from '#providers/kit/adapter';
import { KeptReads } from '#providers/kit/sync';
import { createCalendar, deleteCalendar, getCalendar, listCalendars, updateCalendar } from './calendars.js';
import {
  AccountClientCache,
  openConnection,
  type CalDavAccountClient,
  type CalDavClientDeps,
  type DavCalendarHandle,
} from './account-client.js';
import { toDomainError } from './dav/dav-errors.js';
import { connectAccount } from './discovery.js';
import { CALDAV_FLAVOR, type CalDavFlavor } from './flavor.js';
import { EventChanges } from './operations/event-changes.js';
import { EventLists } from './operations/event-lists.js';
import { EventOccurrences } from './operations/event-occurrences.js';
import { DavEvents } from './operations/event-operations.js';
import type { EventOperationsDeps } from './operations/event-source.js';
import { FreeBusy } from './operations/free-busy.js';
import { RangeCandidates } from './operations/range-candidates.js';
import { ServerFacts } from './server-facts.js';
import { Servers } from './servers.js';

export const REQUESTS_PER_MINUTE = integer('CALDAV_REQUESTS_PER_MINUTE', {
  description: 'Requests toward the server of one APPLE or CALDAV account; at most 4 (APPLE: 2) of them at a time.',
  fallback: 600,
  min: 1,
  max: 1_000_000,
});

interface CalDavOptions extends EventOperationsDeps, Pick<CalDavClientDeps, 'egress'> {
  budget: ProviderRateLimiter;
  slots: ProviderConcurrencyLimiter;
  /** As in `ProviderDeps`. */
  reads?: KeptReads;
  requestsPerMinute: number;
  /** Per server. */
  backgroundRequestsPerMinute?: number;
}

/** Creates the provider for any CalDAV server or, with another flavor, for a service with its own kind of CalDAV. */
export function createCalDavProvider(
  options: CalDavOptions,
  flavor: CalDavFlavor = CALDAV_FLAVOR,
  servers = new Servers(),
  facts = new ServerFacts(() => options.nowMs()),
): CalendarProvider {
  const { budget, requestsPerMinute, backgroundRequestsPerMinute } = options;
  const limits = { budget, requestsPerMinute, slots: { pool: options.slots, size: flavor.parallelRequests } };
  const nowMs = () => options.nowMs();
  const deps = { ...options, nowMs, servers, connections: new AccountClientCache(nowMs) };
  const candidates = new RangeCandidates(nowMs, facts);
  const lists = new EventLists(deps, candidates, facts, options.reads ?? new KeptReads());
  const changes = new EventChanges(deps, candidates);
  const occurrences = new EventOccurrences(deps);
  const operations = new DavEvents(deps, facts);
  const busy = new FreeBusy(deps, candidates);
  const capabilities = {
    authentication: 'password',
    needsServerUrl: flavor.fixedRoot === null,
    defaultEventPageSize: 400,
    syncExtent: 'calendar',
    rejectedTokenEndsGrant: false,
    ...(backgroundRequestsPerMinute !== undefined && { backgroundRequestsPerMinute }),
  } as const;

  return bindProvider<CalDavAccountClient>(
    { type: flavor.type, authorization: null, capabilities, limits },
    {
      open: (session, admission) => openConnection(flavor, deps, session, admission),
      connect: (request) => connectAccount(flavor, deps, request),
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

function inCalendar<Given extends unknown[], Result>(
  work: (calendar: DavCalendarHandle, ...given: Given) => Promise<Result>,
) {
  return async (connection: CalDavAccountClient, calendarId: string, ...given: Given): Promise<Result> =>
    work({ connection, collection: await connection.collection(calendarId) }, ...given);
}

export { CALDAV_FLAVOR, type CalDavFlavor } from './flavor.js';

export { Semaphore } from './dav/dav-transport.js';
export { hexColorOf, paletteColor } from './events/colors.js';
export type { EventContext } from './events/contract.js';
export { EventReader } from './events/event-reader.js';
export { decodeSnapshotEntry, encodeSnapshotEntry } from './operations/cursors.js';
export { isShown, toStub } from './operations/event-source.js';
export { OrderedPage, PageRoom } from './operations/page-room.js';

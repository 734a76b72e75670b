import type { AuthorizationServer } from '#domain/oauth';
import type { CalendarProvider } from '#domain/providers';
import { bindProvider, inCalendar, type ProviderAdapter } from '#providers/kit/adapter';
import type { ProviderDeps } from '#providers/kit/definition';
import { KeptReads } from '#providers/kit/sync';
import { CalendarCache, CallPolicy, type AccountLimits } from '#providers/kit/calls';
import { MicrosoftAuthorizationServer, type MicrosoftRoots } from './authorization-server.js';
import { isPrimary, isReadOnly } from './calendar-entry.js';
import { listCalendars, deleteCalendar, getCalendar, updateCalendar, createCalendar } from './calendars.js';
import { GraphChannels } from './channels.js';
import { connectAccount } from './connect-account.js';
import { GraphAccountClient, REQUESTS_AT_ONCE, type GraphClientDeps } from './account-client.js';
import { GraphApiError, graphFailure, isAccessDenied, readOnlyCalendar, REFUSALS } from './errors.js';
import { createEvent } from './events/create-event.js';
import { deleteByScope, updateEvent } from './events/edit-event.js';
import { readEvent, readEvents, readOccurrences } from './events/event-reads.js';
import { openCalendar, openForWriting } from './events/open-calendar.js';
import { WholeReads } from './events/whole-reads.js';
import { respondToEvent } from './events/respond-event.js';
import { queryFreeBusy } from './free-busy.js';
import { GraphLinks, graphRoot } from './graph-links.js';
import { GraphTransport } from './graph-transport.js';
import { MailboxZones } from './mailbox-zones.js';

export interface MicrosoftAdapterParts extends GraphClientDeps {
  authorization: AuthorizationServer;
  events: ProviderAdapter<GraphAccountClient>['events'];
  limits: AccountLimits;
}

type Shared = Pick<ProviderDeps, 'egress' | 'budget' | 'slots' | 'snapshots' | 'reads' | 'timeoutMs' | 'nowMs'>;

const opened = inCalendar(openCalendar);
const openedForWriting = inCalendar(openForWriting);

export const EVENTS: ProviderAdapter<GraphAccountClient>['events'] = {
  list: readEvents,
  occurrences: opened(readOccurrences),
  get: opened(readEvent),
  create: openedForWriting(createEvent),
  update: openedForWriting(updateEvent),
  delete: openedForWriting(deleteByScope),
  respond: openedForWriting(respondToEvent),
};

export function createMicrosoftProvider(
  deps: Shared & MicrosoftRoots & { requestsPerMinute: number },
): CalendarProvider {
  const {
    egress,
    budget,
    slots,
    snapshots,
    reads = new KeptReads(),
    requestsPerMinute,
    graphUrl,
    loginUrl,
    timeoutMs,
  } = deps;
  const root = graphRoot(graphUrl);
  const nowMs = () => deps.nowMs();
  return microsoftProvider({
    nowMs,
    snapshots,
    reads,
    limits: { budget, requestsPerMinute, slots: { pool: slots, size: REQUESTS_AT_ONCE } },
    root,
    transport: new GraphTransport({ egress, root, nowMs }),
    links: new GraphLinks(root),
    policy: new CallPolicy({ rules: REFUSALS, timeoutMs }),
    calendars: new CalendarCache({ isPrimary }),
    zones: new MailboxZones(nowMs),
    wholeReads: new WholeReads(),
    authorization: new MicrosoftAuthorizationServer({ egress, graphUrl, loginUrl, nowMs }),
    events: EVENTS,
  });
}

export function microsoftProvider({ authorization, events, limits, ...deps }: MicrosoftAdapterParts): CalendarProvider {
  const capabilities = {
    authentication: 'oauth',
    needsServerUrl: false,
    defaultEventPageSize: 100,
    syncExtent: 'window',
    rejectedTokenEndsGrant: false,
  } as const;
  return bindProvider<GraphAccountClient>(
    { type: 'MICROSOFT', authorization, capabilities, limits },
    {
      open: (session, admission) => new GraphAccountClient(deps, session, admission),
      connect: (request) => connectAccount(deps, request),
      async verify(connection) {
        await connection.call('read', { method: 'GET', path: '/me/calendars', query: { $top: '1', $select: 'id' } });
        return true;
      },
      calendars: {
        list: listCalendars,
        get: getCalendar,
        create: createCalendar,
        update: updateCalendar,
        delete: deleteCalendar,
      },
      events,
      freeBusy: queryFreeBusy,
      watch: new GraphChannels(() => deps.nowMs(), deps.root),
      toDomainError: (error, operation) => (error instanceof GraphApiError ? graphFailure(error, operation) : error),
      refineWriteError,
    },
  );
}

/** Graph denies access without naming the resource. A calendar that has become read-only is one cause. */
async function refineWriteError(error: unknown, connection: GraphAccountClient, calendarId: string): Promise<unknown> {
  if (!(error instanceof GraphApiError) || !isAccessDenied(error)) return error;
  return isReadOnly(await connection.freshCalendar(calendarId)) ? readOnlyCalendar(error) : error;
}

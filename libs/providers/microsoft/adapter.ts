import type { AuthorizationServer, CalendarProvider } from '#domain';
import { bindProvider, type ProviderAdapter } from '#providers/kit/adapter';
import type { AccountLimits } from '#providers/kit/calls';
import { isReadOnly } from './calendar-entry.js';
import { listCalendars } from './calendar-list.js';
import { deleteCalendar, getCalendar, updateCalendar } from './calendars.js';
import { GraphChannels } from './channels.js';
import { connectAccount } from './connect-account.js';
import { GraphConnection, type ConnectionDeps } from './connection.js';
import { GraphFault } from './contract.js';
import { createCalendar } from './create-calendar.js';
import { graphFailure, isAccessDenied, readOnlyCalendar } from './errors.js';
import { queryFreeBusy } from './free-busy.js';

export interface MicrosoftAdapterParts extends ConnectionDeps {
  authorization: AuthorizationServer;
  events: ProviderAdapter<GraphConnection>['events'];
  limits: AccountLimits;
}

const DEFAULT_EVENT_PAGE_SIZE = 100;

/** Microsoft 365 and Outlook.com, by Microsoft Graph v1.0. */
export function microsoftProvider({ authorization, events, limits, ...deps }: MicrosoftAdapterParts): CalendarProvider {
  const capabilities = {
    authentication: 'oauth',
    needsServerUrl: false,
    defaultEventPageSize: DEFAULT_EVENT_PAGE_SIZE,
    syncExtent: 'window',
    refusedTokenEndsGrant: false,
  } as const;
  return bindProvider<GraphConnection>(
    { type: 'MICROSOFT', authorization, capabilities, limits },
    {
      open: (session, admission) => new GraphConnection(deps, session, admission),
      connect: (request) => connectAccount(deps, request),
      async verify(connection) {
        await connection.call('read', { method: 'GET', path: '/me/calendars', query: { $top: '1', $select: 'id' } });
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
      toDomainError: (error, operation) => (error instanceof GraphFault ? graphFailure(error, operation) : error),
      explainRejectedWrite,
    },
  );
}

/** Graph denies access without naming the resource. A calendar that has become read-only may be the reason. */
async function explainRejectedWrite(error: unknown, connection: GraphConnection, calendarId: string): Promise<unknown> {
  if (!(error instanceof GraphFault) || !isAccessDenied(error)) return error;
  return isReadOnly(await connection.freshCalendar(calendarId)) ? readOnlyCalendar(error) : error;
}

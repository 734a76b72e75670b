import type { AuthorizationServer, CalendarProvider } from '#domain';
import { bindProvider, type ProviderAdapter } from '#providers/kit/adapter';
import type { AccountLimits } from '#providers/kit/calls';
import { isReadOnly } from './calendar-entry.js';
import { listCalendars } from './calendar-list.js';
import { deleteCalendar, getCalendar, updateCalendar } from './calendars.js';
import { GoogleChannels, verifyAccess } from './channels.js';
import { connectAccount } from './connect-account.js';
import { GoogleConnection, type ConnectionDeps } from './connection.js';
import { GoogleFault } from './contract.js';
import { createCalendar } from './create-calendar.js';
import { googleFailure, readOnlyCalendar } from './errors.js';
import { queryFreeBusy } from './free-busy.js';

export interface GoogleAdapterParts extends ConnectionDeps {
  authorization: AuthorizationServer;
  events: ProviderAdapter<GoogleConnection>['events'];
  limits: AccountLimits;
}

const DEFAULT_EVENT_PAGE_SIZE = 400;

/** Google Calendar API v3. */
export function googleProvider({ authorization, events, limits, ...deps }: GoogleAdapterParts): CalendarProvider {
  const capabilities = {
    authentication: 'oauth',
    needsServerUrl: false,
    defaultEventPageSize: DEFAULT_EVENT_PAGE_SIZE,
    syncExtent: 'calendar',
    refusedTokenEndsGrant: true,
  } as const;
  return bindProvider<GoogleConnection>(
    { type: 'GOOGLE', authorization, capabilities, limits },
    {
      open: (session, admission) => new GoogleConnection(deps, session, admission),
      connect: (request) => connectAccount(deps, request),
      verify: verifyAccess,
      calendars: {
        list: listCalendars,
        get: getCalendar,
        create: createCalendar,
        update: updateCalendar,
        delete: deleteCalendar,
      },
      events,
      freeBusy: queryFreeBusy,
      watch: new GoogleChannels(() => deps.nowMs(), deps.endpoints.calendar),
      toDomainError: (error, operation) => (error instanceof GoogleFault ? googleFailure(error, operation) : error),
      explainRejectedWrite,
    },
  );
}

/** Google answers `forbidden` for many reasons. The role of the account in the calendar may be the one. */
async function explainRejectedWrite(
  error: unknown,
  connection: GoogleConnection,
  calendarId: string,
): Promise<unknown> {
  if (!(error instanceof GoogleFault) || error.status !== 403 || error.code !== 'forbidden') return error;
  return isReadOnly(await connection.calendar(calendarId)) ? readOnlyCalendar(error) : error;
}

import { PRIMARY } from '#domain/calendars';
import type { AuthorizationServer } from '#domain/oauth';
import type { CalendarProvider, ConnectRequest } from '#domain/providers';
import { DomainError } from '#domain/system';
import { bindProvider, inCalendar, type ProviderAdapter } from '#providers/kit/adapter';
import type { ProviderDeps } from '#providers/kit/definition';
import { KeptReads } from '#providers/kit/sync';
import { Admission, CalendarCache, CallPolicy, connectingSession, type AccountLimits } from '#providers/kit/calls';
import { GoogleAuthorizationServer, googleEndpoints, type GoogleRoots } from './authorization-server.js';
import { isPrimary, isReadOnly, listEntry } from './calendar-entry.js';
import { listCalendars, deleteCalendar, getCalendar, updateCalendar } from './calendars.js';
import { GoogleChannels, verifyGrant } from './channels.js';
import { GoogleAccountClient, type GoogleClientDeps } from './account-client.js';
import { createCalendar } from './create-calendar.js';
import { GoogleApiError, googleFailure, readOnlyCalendar, REFUSALS } from './errors.js';
import { createEvent } from './events/create-event.js';
import { deleteByScope, respondToEvent, updateEvent } from './events/edit-event.js';
import { EventPalettes } from './events/event-colors.js';
import { readEvent, readEvents, readOccurrences } from './events/event-reads.js';
import { openCalendar, openForReading } from './events/open-calendar.js';
import { queryFreeBusy } from './free-busy.js';
import { areEnough } from './scopes.js';

export interface GoogleAdapterParts extends GoogleClientDeps {
  authorization: AuthorizationServer;
  events: ProviderAdapter<GoogleAccountClient>['events'];
  limits: AccountLimits;
  /** Per project. */
  requestsPerDay?: number | undefined;
}

type Shared = Pick<ProviderDeps, 'egress' | 'budget' | 'snapshots' | 'reads' | 'timeoutMs' | 'nowMs'>;

const opened = inCalendar(openCalendar);
const openedForReading = inCalendar(openForReading);

export const EVENTS: ProviderAdapter<GoogleAccountClient>['events'] = {
  list: openedForReading(readEvents),
  occurrences: openedForReading(readOccurrences),
  get: readEvent,
  create: opened(createEvent),
  update: opened(updateEvent),
  delete: opened(deleteByScope),
  respond: opened(respondToEvent),
};

export function createGoogleProvider(
  deps: Shared & GoogleRoots & { requestsPerMinute: number; requestsPerDay?: number },
): CalendarProvider {
  const { egress, budget, snapshots, reads = new KeptReads(), requestsPerMinute, requestsPerDay, timeoutMs } = deps;
  const endpoints = googleEndpoints(deps);
  const nowMs = () => deps.nowMs();
  return googleProvider({
    egress,
    nowMs,
    endpoints,
    snapshots,
    reads,
    limits: { budget, requestsPerMinute },
    requestsPerDay,
    policy: new CallPolicy({ rules: REFUSALS, timeoutMs }),
    calendars: new CalendarCache({ isPrimary }),
    palettes: new EventPalettes(nowMs),
    authorization: new GoogleAuthorizationServer({ egress, endpoints, nowMs }),
    events: EVENTS,
  });
}

export function googleProvider({
  authorization,
  events,
  limits,
  requestsPerDay,
  ...deps
}: GoogleAdapterParts): CalendarProvider {
  const capabilities = {
    authentication: 'oauth',
    needsServerUrl: false,
    defaultEventPageSize: 400,
    syncExtent: 'calendar',
    rejectedTokenEndsGrant: true,
    ...(requestsPerDay !== undefined && { requestsPerDay }),
  } as const;
  return bindProvider<GoogleAccountClient>(
    { type: 'GOOGLE', authorization, capabilities, limits },
    {
      open: (session, admission) => new GoogleAccountClient(deps, session, admission),
      connect: (request) => connectAccount(deps, request),
      verify: verifyGrant,
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
      toDomainError: (error, operation) => (error instanceof GoogleApiError ? googleFailure(error, operation) : error),
      refineWriteError,
    },
  );
}

/** Google answers `forbidden` for many reasons. The role of the account in the calendar is one of them. */
async function refineWriteError(error: unknown, connection: GoogleAccountClient, calendarId: string) {
  if (!(error instanceof GoogleApiError) || error.status !== 403 || error.code !== 'forbidden') return error;
  return isReadOnly(await connection.freshCalendar(calendarId)) ? readOnlyCalendar(error) : error;
}

/**
 * Reads the primary calendar to verify the access. Its address names an account without an identity.
 * @throws DomainError CredentialsRejected, also when the grant does not cover calendars and events
 */
async function connectAccount(deps: GoogleClientDeps, request: ConnectRequest) {
  const identity = request.grant?.identity ?? null;
  const scopes = request.grant?.scopes ?? [];
  if (scopes.length > 0 && !areEnough(scopes)) throw notEnough();
  const session = connectingSession(request);
  const primary = await readPrimary(new GoogleAccountClient(deps, session, new Admission(null, session)));
  return {
    email: identity?.email ?? primary,
    serverUrl: null,
    providerAccountId: identity?.subject ?? null,
    authorizedScopes: scopes,
    providerState: {},
  };
}

async function readPrimary(connection: GoogleAccountClient): Promise<string> {
  try {
    const entry = await connection.call('read', () =>
      connection.api.calendarList.get({ calendarId: PRIMARY, fields: 'id' }),
    );
    return listEntry(entry).id;
  } catch (error) {
    if (error instanceof GoogleApiError && error.status === 403 && error.code === 'insufficientPermissions') {
      throw notEnough();
    }
    throw error;
  }
}

function notEnough(): DomainError {
  return new DomainError(
    'CredentialsRejected',
    'The Google account has not granted the permission to see its calendars and their events.',
  );
}

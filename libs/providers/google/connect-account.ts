import { DomainError, PRIMARY, type ConnectedAccount, type ConnectRequest } from '#domain';
import { Admission, connectingSession } from '#providers/kit/calls';
import { listEntry } from './calendar-entry.js';
import { GoogleConnection, type ConnectionDeps } from './connection.js';
import { GoogleFault } from './errors.js';
import { areEnough } from './scopes.js';

/**
 * Reads the account's primary calendar: that proves the access, and its address names an account without an identity.
 * @throws DomainError CredentialsRejected, also when the grant does not cover calendars and events
 */
export async function connectAccount(deps: ConnectionDeps, request: ConnectRequest): Promise<ConnectedAccount> {
  const identity = request.grant?.identity ?? null;
  const scopes = request.grant?.scopes ?? [];
  if (scopes.length > 0 && !areEnough(scopes)) throw notEnough();
  const session = connectingSession(request);
  const primary = await readPrimary(new GoogleConnection(deps, session, new Admission(null, session)));
  return {
    email: identity?.email ?? primary,
    serverUrl: null,
    providerAccountId: identity?.subject ?? null,
    authorizedScopes: scopes,
    providerState: {},
  };
}

async function readPrimary(connection: GoogleConnection): Promise<string> {
  try {
    const entry = await connection.call('read', () =>
      connection.api.calendarList.get({ calendarId: PRIMARY, fields: 'id' }),
    );
    return listEntry(entry).id;
  } catch (error) {
    if (error instanceof GoogleFault && error.status === 403 && error.code === 'insufficientPermissions') {
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

import { PRIMARY } from '#domain/calendars';
import type { AccountIdentity } from '#domain/oauth';
import type { ConnectedAccount, ConnectRequest } from '#domain/providers';
import { DomainError } from '#domain/system';
import { Admission, connectingSession } from '#providers/kit/calls';
import { recordOf } from '#providers/kit/events';
import { calendarPath, GraphAccountClient, type GraphClientDeps } from './account-client.js';
import { GraphApiError, isAccessDenied } from './errors.js';
import { emailOf } from './id-token.js';
import { allowProfile, areEnough } from './scopes.js';

/**
 * Reads the default calendar to verify the access and the mailbox, and the account's address.
 * @throws DomainError CredentialsRejected, also without an identity, calendar scopes or a mailbox
 */
export async function connectAccount(deps: GraphClientDeps, request: ConnectRequest): Promise<ConnectedAccount> {
  const { identity, scopes } = request.grant ?? { identity: null, scopes: [] };
  // An address is no identity: administrators of a directory can write any.
  if (identity === null) {
    throw rejected('does not say whose it is: it has to be granted with the scopes openid and profile');
  }
  if (scopes.length > 0 && !areEnough(scopes)) throw notEnough();
  const session = connectingSession(request);
  const connection = new GraphAccountClient(deps, session, new Admission(null, session));
  await readDefaultCalendar(connection);
  const email = allowProfile(scopes) ? await readEmail(connection, identity) : null;
  return {
    email: email ?? identity.email,
    serverUrl: null,
    providerAccountId: identity.subject,
    authorizedScopes: scopes,
    providerState: {},
  };
}

async function readDefaultCalendar(connection: GraphAccountClient): Promise<void> {
  try {
    await connection.call('read', { method: 'GET', path: calendarPath(PRIMARY) });
  } catch (error) {
    if (!(error instanceof GraphApiError)) throw error;
    if (error.isGone) throw rejected('has no mailbox with calendars: guests and users without a license have none');
    throw isAccessDenied(error) ? notEnough() : error;
  }
}

/** Returns null without a trusted address, and when the grant does not cover the profile. */
async function readEmail(connection: GraphAccountClient, identity: AccountIdentity): Promise<string | null> {
  try {
    return emailOf(recordOf(await connection.call('read', { method: 'GET', path: '/me' })), identity);
  } catch (error) {
    if (error instanceof GraphApiError && isAccessDenied(error)) return null;
    throw error;
  }
}

function notEnough(): DomainError {
  return rejected('has not granted the permission to see its calendars and their events');
}

function rejected(why: string): DomainError {
  return new DomainError('CredentialsRejected', `The Microsoft account ${why}.`);
}

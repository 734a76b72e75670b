import { randomUUID } from 'node:crypto';
import { DomainError, PRIMARY, type AccountIdentity, type ConnectedAccount, type ConnectRequest } from '#domain';
import { accessTokenOf } from '#providers/kit/calls';
import { recordOf } from '#providers/kit/events';
import { calendarPath, type ConnectionDeps } from './connection.js';
import { GraphFault } from './contract.js';
import { isAccessDenied, isGone } from './errors.js';
import { GraphClient } from './graph-client.js';
import { emailOf } from './id-token.js';
import { allowProfile, areEnough } from './scopes.js';

/**
 * Reads the default calendar, which proves the access and that there is a mailbox; then the address of the account.
 * @throws DomainError CredentialsRejected, also for a grant that does not say whose it is or does not let calendars be
 *   read, and for somebody without a mailbox
 */
export async function connectAccount(
  { transport, policy, nowMs }: Pick<ConnectionDeps, 'transport' | 'policy' | 'nowMs'>,
  request: ConnectRequest,
): Promise<ConnectedAccount> {
  const { identity, scopes } = request.grant ?? { identity: null, scopes: [] };
  // An address would not do: whoever administers a directory can write any there.
  if (identity === null) {
    throw rejected('does not say whose it is: it has to be granted with the scopes openid and profile');
  }
  if (scopes.length > 0 && !areEnough(scopes)) throw notEnough();
  const client = new GraphClient({
    transport,
    policy,
    accessToken: accessTokenOf(request, 'Microsoft'),
    // Not an account yet: neither its budget, nor its slots, nor its connections.
    poolKey: randomUUID(),
    signal: request.signal,
    nowMs,
    admit: (_requests, attempt) => attempt(),
  });
  await readDefaultCalendar(client);
  const email = allowProfile(scopes) ? await readEmail(client, identity) : null;
  return {
    email: email ?? identity.email,
    serverUrl: null,
    providerAccountId: identity.subject,
    authorizedScopes: scopes,
    providerState: {},
  };
}

async function readDefaultCalendar(client: GraphClient): Promise<void> {
  try {
    await client.call('read', { method: 'GET', path: calendarPath(PRIMARY) });
  } catch (error) {
    if (!(error instanceof GraphFault)) throw error;
    if (isGone(error)) throw rejected('has no mailbox with calendars: guests and users without a license have none');
    throw isAccessDenied(error) ? notEnough() : error;
  }
}

/** null when the profile tells none that counts, or the grant does not let it be read. */
async function readEmail(client: GraphClient, identity: AccountIdentity): Promise<string | null> {
  try {
    return emailOf(recordOf(await client.call('read', { method: 'GET', path: '/me' })), identity);
  } catch (error) {
    if (error instanceof GraphFault && isAccessDenied(error)) return null;
    throw error;
  }
}

function notEnough(): DomainError {
  return rejected('has not granted the permission to see its calendars and their events');
}

function rejected(why: string): DomainError {
  return new DomainError('CredentialsRejected', `The Microsoft account ${why}.`);
}

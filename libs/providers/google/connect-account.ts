import { randomUUID } from 'node:crypto';
import { DomainError, PRIMARY, type ConnectedAccount, type ConnectRequest } from '#domain';
import { accessTokenOf } from '#providers/kit/calls';
import { listEntry } from './calendar-entry.js';
import { GoogleClient } from './client.js';
import type { ConnectionDeps } from './connection.js';
import { GoogleFault } from './contract.js';
import { areEnough } from './scopes.js';

/**
 * Reads the account's own entry on its calendar list: that proves the access, and names an account that did not say who
 * it is by the address of its primary calendar.
 * @throws DomainError CredentialsRejected, also for a grant that does not let calendars and events be read
 */
export async function connectAccount(
  { egress, endpoints, policy, nowMs }: ConnectionDeps,
  request: ConnectRequest,
): Promise<ConnectedAccount> {
  const identity = request.grant?.identity ?? null;
  const scopes = request.grant?.scopes ?? [];
  if (scopes.length > 0 && !areEnough(scopes)) throw notEnough();
  const client = new GoogleClient({
    egress,
    policy,
    root: endpoints.calendar,
    accessToken: accessTokenOf(request, 'Google'),
    // Not an account yet: neither its budget nor its connections.
    poolKey: randomUUID(),
    signal: request.signal,
    nowMs,
    takeBudget: () => Promise.resolve(),
  });
  const primary = await readPrimary(client);
  return {
    email: identity?.email ?? primary,
    serverUrl: null,
    providerAccountId: identity?.subject ?? null,
    authorizedScopes: scopes,
    providerState: {},
  };
}

async function readPrimary(client: GoogleClient): Promise<string> {
  try {
    const entry = await client.call('read', () => client.api.calendarList.get({ calendarId: PRIMARY, fields: 'id' }));
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

import { randomUUID } from 'node:crypto';
import { DomainError, invalid, type ConnectedAccount, type ConnectRequest, type Credentials } from '#domain';
import { EgressError, type Egress } from '#egress';
import type { CallPolicy } from '#providers/kit/calls';
import { toProviderState } from './account-state.js';
import { Authenticator } from './dav/http-authentication.js';
import { AccountDiscovery, type Discovered } from './discover-account.js';
import { DISCOVERY_MS, DiscoveryProbe } from './discovery-probe.js';
import { trustIn, type CalDavFlavor } from './flavor.js';
import { normalizeServerUrl } from './server-address.js';
import { serverPolicy } from './servers.js';

export { CALDAV_FLAVOR, type CalDavFlavor } from './flavor.js';

export interface DiscoveryDeps {
  egress: Egress;
  nowMs(): number;
}

/**
 * Connects an account: judges the address, proves the credentials, finds the calendars.
 * @throws DomainError ServerNotAllowed, CredentialsRejected, ValidationFailed; ProviderUnavailable with one text for
 *   everything that is not a CalDAV server, within 10 s unless something did speak DAV, within 30 s in any case;
 *   ProviderRateLimited when the server says so
 */
export async function connectAccount(
  flavor: CalDavFlavor,
  deps: DiscoveryDeps,
  request: ConnectRequest,
): Promise<ConnectedAccount> {
  const given = rootOf(flavor, request.serverUrl);
  const { account } = await discoverFrom(flavor, deps, {
    given,
    authenticator: authenticatorOf(flavor, request.email, request.credentials),
    poolKey: `connect:${randomUUID()}`,
    signal: request.signal,
    takeBudget: () => Promise.resolve(), // no account yet; connecting is limited per application and target elsewhere
    policyOf: () => serverPolicy({ maxTries: 1 }), // an address that somebody tries out says nothing about the accounts that are there
  });
  return {
    email: request.email,
    serverUrl: flavor.fixedRoot === null ? given.href : null,
    providerAccountId: null,
    authorizedScopes: [],
    providerState: toProviderState(account),
  };
}

/** The address that an account's credentials were given for. @throws DomainError ServerNotAllowed, ValidationFailed */
export function rootOf(flavor: CalDavFlavor, serverUrl: string | null): URL {
  if (flavor.fixedRoot !== null) return new URL(flavor.fixedRoot);
  if (serverUrl === null) throw invalid('serverUrl', 'is required');
  return normalizeServerUrl(serverUrl);
}

/** @throws DomainError ValidationFailed for a login that Basic cannot carry (RFC 7617 §2) */
export function authenticatorOf(flavor: CalDavFlavor, login: string, credentials: Credentials): Authenticator {
  if (credentials.kind !== 'password') throw new DomainError('CredentialsRejected', flavor.messages.rejected);
  if (login.includes(':')) throw invalid('email', 'a login with a colon cannot be used with a password');
  return new Authenticator(login, flavor.preparePassword(credentials.password));
}

export interface DiscoveryStart {
  given: URL;
  authenticator: Authenticator;
  poolKey: string;
  signal: AbortSignal;
  takeBudget: () => Promise<void>;
  policyOf: (url: URL) => CallPolicy;
}

/** Discovery from the address given, at connect time and whenever the homes have moved. @throws DomainError */
export async function discoverFrom(
  flavor: CalDavFlavor,
  deps: DiscoveryDeps,
  { given, authenticator, poolKey, signal, takeBudget, policyOf }: DiscoveryStart,
): Promise<Discovered> {
  const bounded = AbortSignal.any([signal, AbortSignal.timeout(DISCOVERY_MS)]);
  try {
    const { egress } = deps;
    const nowMs = (): number => deps.nowMs();
    await egress.check(given.href, trustIn(given, flavor));
    const options = {
      egress,
      authenticator,
      flavor,
      given,
      poolKey,
      signal: bounded,
      takeBudget,
      policyOf,
      nowMs: () => nowMs(),
    };
    const probe = new DiscoveryProbe(options);
    return await new AccountDiscovery(probe, flavor, nowMs).discover(given);
  } catch (error) {
    throw told(error, flavor);
  }
}

/** Refused, silent, unresolvable, TLS failure, not HTTP, not DAV, failing: one text for all of it (N27). */
function told(error: unknown, flavor: CalDavFlavor): unknown {
  const failure = error instanceof EgressError ? error : error instanceof DomainError ? error.cause : undefined;
  if (failure instanceof EgressError && (failure.failure === 'address-blocked' || failure.failure === 'bad-url')) {
    if (error instanceof DomainError && error.code === 'ServerNotAllowed') return error;
    return new DomainError('ServerNotAllowed', 'serverUrl is not allowed: it must use https and be a public address.', {
      cause: error,
    });
  }
  if (error instanceof EgressError) return unreachable(flavor, error);
  if (!(error instanceof DomainError)) return error;
  return error.code === 'ProviderUnavailable' || error.code === 'ProviderTimeout' ? unreachable(flavor, error) : error;
}

function unreachable(flavor: CalDavFlavor, cause: Error): DomainError {
  return new DomainError('ProviderUnavailable', flavor.messages.unreachable, { cause });
}

import { randomUUID } from 'node:crypto';
import type { Credentials } from '#domain/accounts';
import type { ConnectedAccount, ConnectRequest } from '#domain/providers';
import { DomainError, invalid, type JsonObject, type JsonValue } from '#domain/system';
import { EgressError } from '#egress';
import type { CalDavClientDeps } from './account-client.js';
import type { CalDavAccount } from './dav/contract.js';
import { resolveHref } from './dav/hrefs.js';
import { Authenticator } from './dav/http-authentication.js';
import { AccountDiscovery, type Discovered } from './discover-account.js';
import { DISCOVERY_MS, DiscoveryProbe, type DiscoveryStart } from './discovery-probe.js';
import { trustIn, type CalDavFlavor } from './flavor.js';
import { normalizeServerUrl } from './server-address.js';
import { serverPolicy } from './servers.js';

type DiscoveryDeps = Pick<CalDavClientDeps, 'egress' | 'nowMs'>;

/**
 * @throws DomainError ServerNotAllowed, CredentialsRejected, ValidationFailed, ProviderRateLimited; ProviderUnavailable
 * when no CalDAV server responds: within 10 s if nothing spoke DAV, within 30 s in any case
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
    admit: (attempt) => attempt(), // no account yet; other limits apply to connecting, per application and target
    // A tried address says nothing about existing accounts, so this policy is not shared.
    policyOf: () => serverPolicy({ maxTries: 1 }),
  });
  return {
    email: request.email,
    serverUrl: flavor.fixedRoot === null ? given.href : null,
    providerAccountId: null,
    authorizedScopes: [],
    providerState: { ...account },
  };
}

/** @throws DomainError ServerNotAllowed, ValidationFailed */
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

/** Runs at connect time and when the homes have moved. @throws DomainError */
export async function discoverFrom(
  flavor: CalDavFlavor,
  deps: DiscoveryDeps,
  start: DiscoveryStart,
): Promise<Discovered> {
  const signal = AbortSignal.any([start.signal, AbortSignal.timeout(DISCOVERY_MS)]);
  const nowMs = (): number => deps.nowMs();
  try {
    await deps.egress.check(start.given.href, trustIn(start.given, flavor));
    const probe = new DiscoveryProbe({ ...start, egress: deps.egress, flavor, signal, nowMs });
    return await new AccountDiscovery(probe, flavor, nowMs).discover(start.given);
  } catch (error) {
    throw toConnectError(error, flavor);
  }
}

/** Returns one message for every unreachable server, so that callers cannot scan ports (N27). */
function toConnectError(error: unknown, flavor: CalDavFlavor): unknown {
  const failure = error instanceof EgressError ? error : error instanceof DomainError ? error.cause : undefined;
  if (failure instanceof EgressError && (failure.failure === 'address-blocked' || failure.failure === 'bad-url')) {
    if (error instanceof DomainError && error.code === 'ServerNotAllowed') return error;
    const message = 'serverUrl is not allowed: it must use https and be a public address.';
    return new DomainError('ServerNotAllowed', message, { cause: error });
  }
  const code = error instanceof DomainError ? error.code : null;
  const isUnreachable = error instanceof EgressError || code === 'ProviderUnavailable' || code === 'ProviderTimeout';
  return isUnreachable ? new DomainError('ProviderUnavailable', flavor.messages.unreachable, { cause: error }) : error;
}

/** Returns null for an unknown version or shape, and for an origin to which credentials may no longer go. */
export function readProviderState(state: JsonObject | null, mayUse: (origin: URL) => boolean): CalDavAccount | null {
  if (state === null || state['version'] !== 1) return null;
  const { origin, principalHref, homeHrefs, collectionHref, addresses, addressUris, dav, discoveredAt } = state;
  if (typeof origin !== 'string' || typeof discoveredAt !== 'string') return null;
  if (Number.isNaN(Date.parse(discoveredAt))) return null;
  if (!isStrings(homeHrefs) || !isStrings(addresses) || !isStrings(addressUris) || !isStrings(dav)) return null;
  if (!isStringOrNull(principalHref) || !isStringOrNull(collectionHref)) return null;
  if (homeHrefs.length === 0 && collectionHref === null) return null;
  const base = URL.parse(origin);
  if (base === null || base.origin !== origin || !mayUse(base)) return null;
  const isForeign = (href: string) => resolveHref(href, base)?.origin !== origin;
  if (homeHrefs.some(isForeign) || (collectionHref !== null && isForeign(collectionHref))) return null;
  const principal = principalHref === null ? base : resolveHref(principalHref, base);
  if (principal === null || !mayUse(principal)) return null;
  return { version: 1, origin, principalHref, homeHrefs, collectionHref, addresses, addressUris, dav, discoveredAt };
}

function isStrings(value: JsonValue | undefined): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function isStringOrNull(value: JsonValue | undefined): value is string | null {
  return value === null || typeof value === 'string';
}

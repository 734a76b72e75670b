import { hash } from 'node:crypto';
import type { Credentials } from '#domain/accounts';
import { DomainError, invalid } from '#domain/system';

/** `webcal` marks an address for calendar programs, which fetch it by https. */
const SCHEMES: Readonly<Record<string, string>> = { webcal: 'https', webcals: 'https' };

/**
 * Normalizes a pasted address: https for `webcal`, `webcals` or no scheme, host in lower case, no default port or
 * fragment. The egress decides whether it may be reached. Messages never repeat the address.
 * @throws DomainError ValidationFailed, ServerNotAllowed
 */
export function normalizeFeedUrl(typed: string): URL {
  const text = typed.trim();
  // A URL parser takes `host:8443/path` for a scheme.
  const [, scheme, rest] = /^([a-z][a-z0-9+.-]*):(?!\d+(?:[/?#]|$))(.*)$/is.exec(text) ?? [];
  const url = URL.parse(
    scheme === undefined || rest === undefined
      ? `https://${text.replace(/^\/\//, '')}`
      : `${SCHEMES[scheme.toLowerCase()] ?? scheme}:${rest}`,
  );
  if (url === null) throw invalid('url', 'must be the address of a calendar feed');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new DomainError('ServerNotAllowed', 'url must be an https or webcal address.');
  }
  if (url.username !== '' || url.password !== '') {
    throw new DomainError('ServerNotAllowed', 'url must not hold a login.');
  }
  url.hash = '';
  return url;
}

/** Id of an application's feed: 32 characters without `_`. A hash, because the address is a secret. */
export function feedIdOf(applicationId: string, url: URL): string {
  return shortHash(JSON.stringify([applicationId, url.href]), 32);
}

/** @throws DomainError CredentialsRejected for credentials of another kind */
export function feedUrlOf(credentials: Credentials): URL {
  if (credentials.kind !== 'url') {
    throw new DomainError('CredentialsRejected', 'A calendar feed is connected with its address.');
  }
  return normalizeFeedUrl(credentials.url);
}

/** Returns base64url with `~` for `_`, which separates the date of an instance id. */
export function shortHash(text: string, length: number): string {
  return hash('sha256', text, 'base64url').slice(0, length).replaceAll('_', '~');
}

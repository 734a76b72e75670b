import { hash } from 'node:crypto';
import { DomainError, invalid, type Credentials } from '#domain';

/** `webcal` is no protocol: it marks an address for calendar programs. All of them ask for it by https today. */
const SCHEMES: Readonly<Record<string, string>> = { webcal: 'https', webcals: 'https' };

/**
 * The address as a user pastes it: `webcal://` and `webcals://` become https, a missing scheme too, the host is lower-cased,
 * default port and fragment are dropped. Whether it may be connected to is the egress' decision. Messages never repeat it.
 * @throws DomainError ValidationFailed, ServerNotAllowed
 */
export function normalizeFeedUrl(typed: string): URL {
  const text = typed.trim();
  // `host:8443/path` looks like a scheme to a URL parser.
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

/**
 * What an application's feed is known by: a hash, since the address is a secret. Two applications that connect one feed have
 * nothing in common to be recognised by. 32 characters, none of them `_`.
 */
export function feedIdOf(applicationId: string, url: URL): string {
  return shortHash(JSON.stringify([applicationId, url.href]), 32);
}

/** @throws DomainError CredentialsRejected, for credentials that no feed was connected with */
export function feedUrlOf(credentials: Credentials): URL {
  if (credentials.kind !== 'url') {
    throw new DomainError('CredentialsRejected', 'A calendar feed is connected with its address.');
  }
  return normalizeFeedUrl(credentials.url);
}

/** So many characters of base64url, with `~` for `_`: `_` separates the date of an instance id. */
export function shortHash(text: string, length: number): string {
  return hash('sha256', text, 'base64url').slice(0, length).replaceAll('_', '~');
}

import type { Environment } from '#domain/applications';
import { invalid } from '#domain/system';

const MAX_LENGTH = 2_000;
/** Hosts with http: the developer's own machine (RFC 8252 §7.3). */
const HTTP_HOSTS = new Set(['localhost', '127.0.0.1', '[::1]']);
/** Loopback hosts: RFC 6761 §6.3, RFC 1122 §3.2.1.3, RFC 4291 §2.5.3 and §2.5.5.2. */
const LOOPBACK = /^(?:(?:.+\.)?localhost\.?|127\.\d+\.\d+\.\d+|\[::1\]|\[::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4}\])$/;

/** RFC 9700 §2.1: requests are compared character by character. @throws DomainError ValidationFailed */
export function requireRedirectUrl(text: string): void {
  if (text.length > MAX_LENGTH) throw invalid('url', `must have at most ${MAX_LENGTH} characters`);
  if (!URL.canParse(text)) throw invalid('url', 'must be an absolute URL');
  const url = new URL(text);
  const isLocal = url.protocol === 'http:' && HTTP_HOSTS.has(url.hostname);
  if (url.protocol !== 'https:' && !isLocal) {
    throw invalid('url', 'must begin with https:// (http:// is for localhost, 127.0.0.1 and [::1] alone)');
  }
  if (url.username !== '' || url.password !== '') throw invalid('url', 'must have no user name or password');
  if (text.includes('#')) throw invalid('url', 'must have no fragment');
  // A bare origin may omit the slash.
  if (url.href !== text && url.href !== `${text}/`) throw invalid('url', `must be written as ${url.href}`);
}

export function allowsRedirectUrl(environment: Environment, url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return environment === 'development' || (protocol === 'https:' && !LOOPBACK.test(hostname));
}

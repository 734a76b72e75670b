import { getDomain } from 'tldts';

/**
 * The rule for every service but those with a list of their own: same registrable domain (public
 * suffix list, private part included: two customers of one hoster are strangers), never from https down to http.
 */
export function mayAdoptByDomain(candidate: URL, given: URL): boolean {
  if (candidate.protocol !== 'https:' && candidate.protocol !== given.protocol) return false;
  return registrableDomain(candidate.hostname) === registrableDomain(given.hostname);
}

/** IP addresses and names without a registrable domain stand for themselves. */
function registrableDomain(hostname: string): string {
  return getDomain(hostname, { allowPrivateDomains: true }) ?? hostname;
}

import { getDomain } from 'tldts';
import type { ProviderType } from '#domain';
import type { Trust } from '#egress';

/** What makes one service of the CalDAV family differ from another. Everything else is the same code. */
export interface CalDavFlavor {
  type: ProviderType;
  /** Where every account of this service is found; null: at the address the user gives. */
  fixedRoot: string | null;
  parallelRequests: number;
  preparePassword(password: string): string;
  /** Whether credentials may go to another address that the server names. The egress judges the address besides. */
  mayAdopt(candidate: URL, given: URL): boolean;
  messages: {
    rejected: string;
    /** Nothing that speaks CalDAV answered: one text for every reason, so that nobody learns which ports are open. */
    unreachable: string;
  };
}

/** The operator's word counts for the root that he configured, and for no address that a user or a server names. */
export function trustIn(url: URL, { fixedRoot }: CalDavFlavor): Trust | undefined {
  return fixedRoot !== null && url.origin === new URL(fixedRoot).origin ? 'configured' : undefined;
}

export const CALDAV_FLAVOR: CalDavFlavor = {
  type: 'CALDAV',
  fixedRoot: null,
  parallelRequests: 4,
  preparePassword: (password) => password,
  mayAdopt: mayAdoptByDomain,
  messages: {
    rejected:
      'The CalDAV server did not accept the login. Check email (the login of the server) and password; most providers ask for an app-specific password instead of the usual one.',
    unreachable:
      'No CalDAV server was found at serverUrl. Check that the address is right and can be reached from the internet, that its TLS certificate is valid, and that it is the address of the CalDAV server rather than of a web page.',
  },
};

/**
 * Same registrable domain (public suffix list, private part included: two customers of one hoster are strangers), never
 * from https down to http.
 */
export function mayAdoptByDomain(candidate: URL, given: URL): boolean {
  if (candidate.protocol !== 'https:' && candidate.protocol !== given.protocol) return false;
  return registrableDomain(candidate.hostname) === registrableDomain(given.hostname);
}

/** IP addresses and names without a registrable domain stand for themselves. */
function registrableDomain(hostname: string): string {
  return getDomain(hostname, { allowPrivateDomains: true }) ?? hostname;
}

import { getDomain } from 'tldts';
import type { ProviderType } from '#domain/accounts';
import type { Trust } from '#egress';

/** Differences between services of the CalDAV family. */
export interface CalDavFlavor {
  type: ProviderType;
  /** Root of every account of this service; null when the user gives the address. */
  fixedRoot: string | null;
  parallelRequests: number;
  preparePassword(password: string): string;
  /** Returns true when credentials may go to another address that the server names. The egress checks it as well. */
  mayAdopt(candidate: URL, given: URL): boolean;
  messages: {
    rejected: string;
    /** One message for every reason, so that callers cannot scan for open ports. */
    unreachable: string;
  };
}

/** Trusts only the root that the operator configured, never an address from a user or a server. */
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

/** Same registrable domain (private suffixes separate customers of one hoster), and never from https down to http. */
export function mayAdoptByDomain(candidate: URL, given: URL): boolean {
  if (candidate.protocol !== 'https:' && candidate.protocol !== given.protocol) return false;
  return registrableDomain(candidate.hostname) === registrableDomain(given.hostname);
}

/** An IP address or a name without a registrable domain stands for itself. */
function registrableDomain(hostname: string): string {
  return getDomain(hostname, { allowPrivateDomains: true }) ?? hostname;
}

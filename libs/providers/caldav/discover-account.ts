import { DomainError } from '#domain/system';
import type { CalDavAccount, CalendarCollection, DavElement } from './dav/contract.js';
import {
  COLLECTION_PROPERTIES,
  childNames,
  collectionsOf,
  RESOURCE_TYPE,
  toCollection,
} from './collection-properties.js';
import { DavStatusError } from './dav/dav-errors.js';
import { comparablePath, pathAndQuery, resolveHref, withTrailingSlash } from './dav/hrefs.js';
import type { DiscoveryProbe, ProbeResult } from './discovery-probe.js';
import type { CalDavFlavor } from './flavor.js';

const CALDAV = '{urn:ietf:params:xml:ns:caldav}';
const CURRENT_USER_PRINCIPAL = '{DAV:}current-user-principal';
const HOME_SET = `${CALDAV}calendar-home-set`;
const ADDRESS_SET = `${CALDAV}calendar-user-address-set`;
const OWNER = '{DAV:}owner';
const PROBED_PROPERTIES = [CURRENT_USER_PRINCIPAL, HOME_SET, ADDRESS_SET, RESOURCE_TYPE, OWNER];

/** Usual entry points of servers, for when `/.well-known/caldav` gives none. */
const USUAL_PATHS = [
  '/',
  '/remote.php/dav/', // Nextcloud
  '/dav.php/', // Baikal
  '/caldav.php/', // DAViCal, Synology
  '/dav/', // Fastmail, Zimbra
  '/SOGo/dav/',
  '/caldav/',
  '/principals/',
];

/** Maximum number of attempts with a rejected password: servers lock accounts and slow down after failures. */
const MAX_UNAUTHORIZED = 2;

type Dav = Extract<ProbeResult, { kind: 'dav' }>;

export interface Discovered {
  account: CalDavAccount;
  collections: CalendarCollection[];
}

/** Finds principal, homes and calendars from one address (RFC 6764 §6, RFC 5397, RFC 4791 §6.2.1). */
export class AccountDiscovery {
  #unauthorized = 0;
  #isForbidden = false;

  constructor(
    private readonly probe: DiscoveryProbe,
    private readonly flavor: CalDavFlavor,
    private readonly nowMs: () => number,
  ) {}

  /** @throws DomainError; any error of the probe when no server responds */
  async discover(start: URL): Promise<Discovered> {
    let plainCollection: Dav | null = null;
    let principalWithoutHome: Dav | null = null;
    for (const candidate of this.#candidates(start)) {
      if (this.#unauthorized >= MAX_UNAUTHORIZED) break;
      const probe = await this.#look(candidate);
      if (probe === null) continue;
      const isCalendar = childNames(probe.self.properties.get(RESOURCE_TYPE)).includes(`${CALDAV}calendar`);
      const principal = await this.#principalOf(probe, isCalendar);
      // The principal of a pasted calendar may be that of its owner.
      const isOwn = hasHome(probe) || hrefsOf(probe.self.properties.get(CURRENT_USER_PRINCIPAL)).length > 0;
      const found = principal === null ? null : await this.#homesOf(principal, isOwn);
      if (found !== null) return found;
      if (isCalendar) return this.#singleCalendar(probe, principal);
      principalWithoutHome ??= principal;
      plainCollection ??= probe;
    }
    // DAViCal's principal is its home. Older Synology and mail.ru know no principal: the given address is the home.
    for (const probe of [principalWithoutHome, plainCollection]) {
      const found = probe && (await this.#list([probe.url], principalWithoutHome, true));
      if (found !== null && found.collections.length > 0) return found;
    }
    throw this.#nothingFound();
  }

  #candidates(start: URL): URL[] {
    if (this.flavor.fixedRoot !== null) return [start];
    const given = start.pathname === '/' && start.search === '' ? [] : [start];
    const guesses = ['/.well-known/caldav', ...USUAL_PATHS].map((path) => new URL(path, start.origin));
    const all = [...given, ...guesses];
    return [...new Map(all.map((url) => [url.href, url])).values()];
  }

  /** Returns null for an address without DAV. Counts rejections where an account may exist. */
  async #look(url: URL): Promise<Dav | null> {
    const probe = await this.probe.probe(url, PROBED_PROPERTIES);
    if (probe.kind === 'dav') return probe;
    if (probe.kind === 'rejected' && probe.status === 401) this.#unauthorized += 1;
    // Some front ends forbid PROPFIND on unknown paths, so a 403 on a guessed path decides nothing.
    if (probe.kind === 'rejected' && probe.status === 403 && !USUAL_PATHS.slice(1).includes(url.pathname)) {
      this.#isForbidden = true;
    }
    return null;
  }

  /**
   * Returns null when the server names no principal or treats us as unauthenticated. A home on another resource counts
   * only without an owner: DAViCal reports the home of its owner with every resource.
   */
  async #principalOf(probe: Dav, isCalendar: boolean): Promise<Dav | null> {
    const withHome = hasHome(probe) ? probe : null;
    const named = hrefsOf(probe.self.properties.get(CURRENT_USER_PRINCIPAL))[0];
    const owner = isCalendar && withHome === null ? hrefsOf(probe.self.properties.get(OWNER))[0] : undefined;
    const href = named ?? owner;
    const url = href === undefined ? null : resolveHref(href, probe.url);
    if (url === null || !(await this.probe.mayUse(url))) return withHome;
    if (url.href === probe.url.href) return probe;
    const principal = await this.probe.probe(url, PROBED_PROPERTIES);
    if (principal.kind === 'dav' && (hasHome(principal) || isCalendar)) return principal;
    if (withHome !== null && !isCalendar) return withHome;
    if (principal.kind === 'rejected' && named !== undefined) throw this.#rejected();
    return principal.kind === 'dav' ? principal : null;
  }

  async #homesOf(principal: Dav, isOwnPrincipal: boolean): Promise<Discovered | null> {
    const urls: URL[] = [];
    for (const href of hrefsOf(principal.self.properties.get(HOME_SET))) {
      const url = resolveHref(href, principal.url);
      // Ids omit the host, so all homes must share the origin of the first one.
      if (url === null || (urls[0] !== undefined && urls[0].origin !== url.origin)) continue;
      if (await this.probe.mayUse(url)) urls.push(url);
    }
    return urls.length === 0 ? null : this.#list(urls, principal, isOwnPrincipal);
  }

  /** Lists the homes, which verifies that the credentials open them. Skips closed or missing homes of other users. */
  async #list(urls: URL[], principal: Dav | null, isOwnPrincipal: boolean): Promise<Discovered | null> {
    const [first] = urls;
    if (first === undefined) return null;
    const homes: URL[] = [];
    const account = this.#account(first.origin, principal, urls);
    const collections: [string, CalendarCollection][] = [];
    let rejection: DavStatusError | null = null;
    for (const url of urls) {
      try {
        const { responses } = await this.probe.find(url, '1', COLLECTION_PROPERTIES);
        homes.push(url);
        collections.push(...(await collectionsOf(responses, withTrailingSlash(comparablePath(url.pathname)), account)));
      } catch (error) {
        if (!(error instanceof DavStatusError)) throw error;
        rejection ??= error;
      }
    }
    if (homes.length === 0) {
      if (isOwnPrincipal && (rejection?.status === 401 || rejection?.status === 403)) throw this.#rejected();
      return null;
    }
    return {
      account: { ...account, homeHrefs: homes.map(pathAndQuery), dav: await this.probe.davOf(first) },
      collections: [...new Map(collections).values()],
    };
  }

  /** Handles the pasted address of one calendar from which the server leads nowhere. */
  async #singleCalendar(probe: Dav, principal: Dav | null): Promise<Discovered> {
    const href = pathAndQuery(probe.url);
    const account = { ...this.#account(probe.url.origin, principal, []), collectionHref: href };
    const again = await this.probe.probe(probe.url, COLLECTION_PROPERTIES);
    const collection = again.kind === 'dav' ? toCollection(again.self, account) : null;
    if (collection === null) throw this.#nothingFound();
    return { account: { ...account, dav: await this.probe.davOf(probe.url) }, collections: [collection] };
  }

  #account(origin: string, principal: Dav | null, homes: URL[]): CalDavAccount {
    const addresses = preferredFirst(principal?.self.properties.get(ADDRESS_SET));
    const own = principal?.url.origin === origin ? pathAndQuery(principal.url) : principal?.url.href;
    return {
      version: 1,
      origin,
      principalHref: own ?? null,
      homeHrefs: homes.map(pathAndQuery),
      collectionHref: null,
      addresses: emailsOf(addresses),
      addressUris: addresses.flatMap((text) => text.trim() || []),
      dav: [],
      discoveredAt: new Date(this.nowMs()).toISOString(),
    };
  }

  #nothingFound(): DomainError {
    if (this.#unauthorized > 0 || this.#isForbidden) return this.#rejected();
    return this.probe.notFollowed ?? new DomainError('ProviderUnavailable', this.flavor.messages.unreachable);
  }

  #rejected(): DomainError {
    return new DomainError('CredentialsRejected', this.flavor.messages.rejected);
  }
}

function hasHome({ self }: Dav): boolean {
  return self.properties.has(HOME_SET);
}

function hrefElements(element: DavElement | undefined): DavElement[] {
  return element?.children.filter(({ name }) => name === '{DAV:}href') ?? [];
}

function hrefsOf(element: DavElement | undefined): string[] {
  return hrefElements(element).flatMap(({ text }) => text.trim() || []);
}

function emailsOf(uris: readonly string[]): string[] {
  // Xandikos 0.2.8 also escapes the colon.
  const mailto = uris.flatMap((uri) => /^\s*mailto(?::|%3a)(.*)$/is.exec(uri)?.[1] ?? []);
  const emails = mailto.map((text) => {
    const address = text.trim().replace(/\?.*$/s, '');
    try {
      return decodeURIComponent(address).toLowerCase();
    } catch {
      return address.toLowerCase(); // a stray percent sign belongs to the address
    }
  });
  return [...new Set(emails.filter((email) => email.includes('@')))];
}

function preferredFirst(element: DavElement | undefined): string[] {
  const isPreferred = ({ attributes }: DavElement) => ['1', 'true'].includes(attributes['preferred'] ?? '');
  return hrefElements(element)
    .sort((one, other) => Number(isPreferred(other)) - Number(isPreferred(one)))
    .map(({ text }) => text);
}

import { createHmac, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { AccountSession } from '#domain/providers';
import { DomainError } from '#domain/system';
import type { Egress } from '#egress';
import { calendarNotFound, type Admission } from '#providers/kit/calls';
import { COLLECTION_PROPERTIES, collectionsOf, toCollection } from './collection-properties.js';
import type { CalDavAccount, CalendarCollection } from './dav/contract.js';
import { DavClient } from './dav/dav-client.js';
import { davFailure, DavStatusError, orIfRejected } from './dav/dav-errors.js';
import { DavTransport, Semaphore } from './dav/dav-transport.js';
import { withTrailingSlash } from './dav/hrefs.js';
import type { Authenticator } from './dav/http-authentication.js';
import { authenticatorOf, discoverFrom, readProviderState, rootOf } from './discovery.js';
import { trustIn, type CalDavFlavor } from './flavor.js';
import { pathOfCalendarId } from './ids.js';
import type { Servers } from './servers.js';

export interface CalDavClientDeps {
  egress: Egress;
  connections: AccountClientCache;
  servers: Servers;
  nowMs(): number;
}

/** A new time zone or right counts that much later at most. */
const COLLECTIONS_MS = 10 * 60_000;
/** Lifetime of cached time zones that take one request per calendar. */
const ZONES_MS = 10 * 60_000;
/** A provider may move homes without a redirect from the old place. */
const REDISCOVER_AFTER_MS = 24 * 3_600_000;
const EXCHANGE_MS = 60_000;
/** Statuses of a home that has moved or is gone; discovery then runs again, once. */
const MOVED: ReadonlySet<number> = new Set([301, 302, 303, 307, 308, 404, 410, 421]);

/** @throws DomainError as discovery does, when the stored state of the account is unusable */
export async function openConnection(
  flavor: CalDavFlavor,
  deps: CalDavClientDeps,
  session: AccountSession,
  admission: Admission,
): Promise<CalDavAccountClient> {
  const given = rootOf(flavor, session.serverUrl);
  const stored = readProviderState(
    session.providerState,
    (origin) => origin.origin === given.origin || flavor.mayAdopt(origin, given),
  );
  const connection = new CalDavAccountClient(flavor, deps, session, admission, given, stored);
  if (stored === null) await connection.rediscover();
  return connection;
}

export interface DavCalendarHandle {
  connection: CalDavAccountClient;
  collection: CalendarCollection;
}

export class CalDavAccountClient {
  readonly #shared: SharedClient;
  #account: CalDavAccount | null;
  #client: DavClient | null = null;
  #hasRediscovered = false;

  constructor(
    private readonly flavor: CalDavFlavor,
    private readonly deps: CalDavClientDeps,
    readonly session: AccountSession,
    private readonly admission: Admission,
    private readonly given: URL,
    account: CalDavAccount | null,
  ) {
    this.#account = account;
    this.#shared = deps.connections.shared(session, () => ({
      authenticator: authenticatorOf(flavor, session.email, session.credentials),
      semaphore: new Semaphore(flavor.parallelRequests),
      collections: null,
      zones: new Map(),
    }));
  }

  get account(): CalDavAccount {
    if (this.#account === null) throw new TypeError('The account has not been discovered');
    return this.#account;
  }

  get client(): DavClient {
    if (this.#client !== null) return this.#client;
    const { origin, principalHref, collectionHref, homeHrefs } = this.account;
    const root = this.flavor.fixedRoot ?? principalHref ?? collectionHref ?? homeHrefs[0] ?? '/';
    this.#client = new DavClient({
      transport: new DavTransport({
        egress: this.deps.egress,
        authenticator: this.#shared.authenticator,
        trust: (url) => trustIn(url, this.flavor),
        mayFollow: async () => false,
        admit: (attempt) => this.admission.run(1, attempt),
        onAccepted: () => this.session.observer?.accepted(),
        policyOf: (url) => this.deps.servers.of(this.session, url),
        semaphore: this.#shared.semaphore,
        poolKey: this.session.accountId,
        signal: this.session.signal,
        nowMs: () => this.deps.nowMs(),
        timeoutMs: () => EXCHANGE_MS,
      }),
      origin,
      confirmUrl: new URL(root, origin),
      rejectedMessage: this.flavor.messages.rejected,
    });
    return this.#client;
  }

  /** Reads from a list that is up to ten minutes old, and refreshes it before throwing. @throws DomainError NotFound */
  async collection(calendarId: string): Promise<CalendarCollection> {
    if (pathOfCalendarId(calendarId) === null) throw calendarNotFound();
    const known = this.#cached()?.find(({ id }) => id === calendarId);
    // Another client may have created it after the list was read.
    return known ?? this.#listedNow(calendarId);
  }

  /** Reads the calendar from the server with one request. @throws DomainError NotFound */
  async freshCollection(calendarId: string): Promise<CalendarCollection> {
    const known = await this.collection(calendarId);
    const found = await this.#read(known.href);
    if (found === null) return this.#listedNow(calendarId);
    const { collections } = this.#shared;
    if (collections !== null) {
      collections.list = collections.list.map((each) => (each.id === found.id ? found : each));
    }
    return found;
  }

  async #listedNow(calendarId: string): Promise<CalendarCollection> {
    const found = (await this.freshCollections()).find(({ id }) => id === calendarId);
    if (found === undefined) throw calendarNotFound();
    return found;
  }

  async collections(): Promise<CalendarCollection[]> {
    return this.#cached() ?? (await this.freshCollections());
  }

  async freshCollections(): Promise<CalendarCollection[]> {
    await this.#rediscoverDaily();
    const readAtMs = this.deps.nowMs();
    let list: CalendarCollection[];
    try {
      list = await this.#withZones(await this.#list());
    } catch (error) {
      if (!(error instanceof DavStatusError) || !MOVED.has(error.status)) throw error;
      if (this.#hasRediscovered) {
        const { message } = davFailure({ status: 503 }, 'read');
        const provider = { status: error.status, code: null, message, retryable: true };
        throw new DomainError('ProviderUnavailable', message, { provider, cause: error });
      }
      await this.rediscover();
      return this.#shared.collections?.list ?? [];
    }
    this.#shared.collections = { list, readAtMs };
    return list;
  }

  clearCollections(): void {
    this.#shared.collections = null;
    this.#shared.zones.clear();
  }

  /** Discovers principal and homes again and stores the result. @throws DomainError */
  async rediscover(): Promise<void> {
    this.#hasRediscovered = true;
    const readAtMs = this.deps.nowMs();
    const { account, collections } = await discoverFrom(this.flavor, this.deps, {
      given: this.given,
      authenticator: this.#shared.authenticator,
      poolKey: this.session.accountId,
      signal: this.session.signal,
      admit: (attempt) => this.admission.run(1, attempt),
      policyOf: (url) => this.deps.servers.of(this.session, url),
    });
    this.#account = account;
    this.#client = null;
    this.#shared.collections = { list: await this.#withZones(collections), readAtMs };
    await this.session.saveProviderState({ ...account });
  }

  #cached(): CalendarCollection[] | null {
    const { collections } = this.#shared;
    return collections !== null && this.#isYounger(COLLECTIONS_MS, collections.readAtMs) ? collections.list : null;
  }

  /** False as well for a time in the future: a clock that was set back must not keep what is out of date. */
  #isYounger(maxAgeMs: number, readAtMs: number): boolean {
    const ageMs = this.deps.nowMs() - readAtMs;
    return ageMs >= 0 && ageMs < maxAgeMs;
  }

  /** DAViCal reports calendar-timezone only for a calendar that is requested by itself, never in a listing. */
  async #withZones(list: CalendarCollection[]): Promise<CalendarCollection[]> {
    // RFC 5842 (`bind`) identifies DAViCal; hardly any other calendar server supports it.
    if (!this.account.dav.includes('bind')) return list;
    return Promise.all(
      list.map(async (each) => (each.timeZone === null ? { ...each, timeZone: await this.#zoneOf(each) } : each)),
    );
  }

  async #zoneOf({ id, href }: CalendarCollection): Promise<string | null> {
    const { zones } = this.#shared;
    const known = zones.get(id);
    if (known !== undefined && this.#isYounger(ZONES_MS, known.readAtMs)) return known.timeZone;
    const readAtMs = this.deps.nowMs();
    // A calendar that rejects this request stays in the list, without a zone.
    const own = await orIfRejected(this.#read(href), null);
    const timeZone = own?.timeZone ?? null;
    zones.set(id, { timeZone, readAtMs });
    return timeZone;
  }

  /** @throws DavStatusError for the first home; skips other homes that the server does not open */
  async #list(): Promise<CalendarCollection[]> {
    const { homeHrefs, collectionHref } = this.account;
    if (collectionHref !== null) {
      const found = await this.#read(collectionHref);
      if (found === null) throw new DavStatusError('PROPFIND', 404, null);
      return [found];
    }
    const found: [string, CalendarCollection][] = [];
    for (const [index, home] of homeHrefs.entries()) {
      const homePath = withTrailingSlash(this.client.pathOf(home) ?? '');
      const response = this.client.propfind(home, '1', COLLECTION_PROPERTIES);
      const listed = index === 0 ? await response : await orIfRejected(response, null);
      found.push(...(await collectionsOf(listed?.responses ?? [], homePath, this.account)));
    }
    return [...new Map(found).values()];
  }

  /** Returns null when the calendar is gone or no longer a calendar. */
  async #read(href: string): Promise<CalendarCollection | null> {
    const response = await orIfRejected(this.client.propfind(href, '0', COLLECTION_PROPERTIES), null, MOVED);
    const self = response?.responses[0];
    return self === undefined ? null : toCollection(self, this.account);
  }

  /** A failure keeps the known homes in use; the next list shows whether they still work. */
  async #rediscoverDaily(): Promise<void> {
    const isDue = this.deps.nowMs() - Date.parse(this.account.discoveredAt) > REDISCOVER_AFTER_MS;
    if (!isDue || this.#hasRediscovered) return;
    try {
      await this.rediscover();
    } catch (error) {
      if (!(error instanceof DomainError) || !MAY_FAIL.has(error.code)) throw error;
    }
  }
}

/** Failures that say nothing about the account, unlike CredentialsRejected and ServerNotAllowed. */
const MAY_FAIL: ReadonlySet<string> = new Set(['ProviderUnavailable', 'ProviderRateLimited', 'ProviderTimeout']);

/** State that calls of one account share in this process. Losing it only costs requests. */
interface SharedClient {
  authenticator: Authenticator;
  semaphore: Semaphore;
  /** null before the first read and after a change. */
  collections: { list: CalendarCollection[]; readAtMs: number } | null;
  zones: Map<string, { timeZone: string | null; readAtMs: number }>;
}

const MAX_ACCOUNTS = 2_000;
const KEPT_FOR_MS = 10 * 60_000;

/** Keyed by account and credentials, so a new password or address starts with an empty entry. */
export class AccountClientCache {
  readonly #entries: LRUCache<string, SharedClient>;
  /** Keyed hash: a memory dump holds no plain hash of a password to guess against. */
  readonly #key = randomBytes(32);

  constructor(nowMs: () => number = () => performance.now()) {
    this.#entries = new LRUCache({ max: MAX_ACCOUNTS, ttl: KEPT_FOR_MS, updateAgeOnGet: true, perf: { now: nowMs } });
  }

  shared(session: AccountSession, make: () => SharedClient): SharedClient {
    const { applicationId, accountId, email, serverUrl, credentials } = session;
    const parts = JSON.stringify([applicationId, accountId, email, serverUrl ?? '', credentials]);
    const key = createHmac('sha256', this.#key).update(parts).digest('base64');
    const found = this.#entries.get(key);
    if (found !== undefined) return found;
    const made = make();
    this.#entries.set(key, made);
    return made;
  }
}

import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { PRIMARY } from '#domain/calendars';
import type {
  AccountSession,
  ConnectRequest,
  ProviderRateLimiter,
  ProviderConcurrencyLimiter,
} from '#domain/providers';
import type { SyncSnapshotStore } from '#domain/sync';
import { DomainError } from '#domain/system';
import type { KeptReads } from '../sync/kept-reads.js';
import type { Try, CallPolicy, RetrySafety } from './call-policy.js';
import { calendarNotFound, isSendable } from './http.js';

export interface AccountClientDeps<Entry extends { id: string }> {
  policy: CallPolicy;
  calendars: CalendarCache<Entry>;
  snapshots: SyncSnapshotStore;
  reads: KeptReads;
  nowMs: () => number;
}

export abstract class AccountClient<Entry extends { id: string }, Deps extends AccountClientDeps<Entry>> {
  protected readonly accessToken: string;

  /** @throws DomainError CredentialsRejected, for anything but an OAuth grant */
  constructor(
    protected readonly deps: Deps,
    readonly session: AccountSession,
    private readonly admission: Admission,
  ) {
    const { credentials } = session;
    if (credentials.kind !== 'oauth') {
      const message = `${deps.policy.provider} accounts are connected by OAuth, not by a password.`;
      throw new DomainError('CredentialsRejected', message);
    }
    this.accessToken = credentials.accessToken;
  }

  get snapshots(): SyncSnapshotStore {
    return this.deps.snapshots;
  }

  get reads(): KeptReads {
    return this.deps.reads;
  }

  /** Returns a calendar from the cache or the provider. Resolves `primary`. @throws DomainError NotFound */
  async calendar(calendarId: string): Promise<Entry> {
    return this.cachedCalendar(calendarId) ?? (await this.freshCalendar(calendarId));
  }

  cachedCalendar(calendarId: string): Entry | undefined {
    return this.deps.calendars.find(this.session, calendarId);
  }

  /** @throws DomainError NotFound */
  async freshCalendar(calendarId: string): Promise<Entry> {
    const entry = isSendable(calendarId) ? await this.readCalendar(calendarId) : null;
    if (entry === null) throw calendarNotFound();
    this.rememberCalendar(entry, calendarId);
    return entry;
  }

  rememberCalendar(entry: Entry, calendarId = entry.id): void {
    this.deps.calendars.remember(this.session, calendarId, entry);
  }

  clearCalendar(entry: Entry): void {
    this.deps.calendars.clear(this.session, entry);
  }

  /** @throws DomainError ProviderTimeout when the caller aborts */
  pause(ms: number): Promise<void> {
    return this.deps.policy.rest(ms, this.session.signal);
  }

  protected abstract readCalendar(calendarId: string): Promise<Entry | null>;

  /** Runs a call within the account's limits and the call policy. @param requests that one try counts as */
  protected async run<T>(repeat: RetrySafety, send: (attempt: Try) => Promise<T>, requests = () => 1): Promise<T> {
    const { signal } = this.session;
    const admit = <R>(attempt: () => Promise<R>) => this.admission.run(requests(), attempt);
    const result = await this.deps.policy.run({ repeat, signal, admit, send });
    this.session.observer?.accepted();
    return result;
  }
}

const MAX_CALENDARS = 5_000;
/** A new time zone or role counts that much later at most. */
const KEPT_FOR_MS = 600_000;

type Account = Pick<AccountSession, 'applicationId' | 'accountId'>;

/** Caches calendars per account. A lost entry costs requests only. */
export class CalendarCache<Entry extends { id: string }> {
  readonly #entries: LRUCache<string, Entry>;
  readonly #isPrimary: (entry: Entry) => boolean;

  /** @param options.isPrimary whether a calendar is the one behind the alias {@link PRIMARY} */
  constructor(options: { isPrimary: (entry: Entry) => boolean; monotonicMs?: () => number }) {
    this.#isPrimary = options.isPrimary;
    const perf = { now: options.monotonicMs ?? (() => performance.now()) };
    this.#entries = new LRUCache({ max: MAX_CALENDARS, ttl: KEPT_FOR_MS, ttlResolution: 0, perf });
  }

  find(account: Account, calendarId: string): Entry | undefined {
    return this.#entries.get(keyOf(account, calendarId));
  }

  /** @param calendarId the requested id: the calendar's own or {@link PRIMARY} */
  remember(account: Account, calendarId: string, entry: Entry): void {
    this.#entries.set(keyOf(account, calendarId), entry);
    if (entry.id !== calendarId) this.#entries.set(keyOf(account, entry.id), entry);
  }

  clear(account: Account, entry: Entry): void {
    this.#entries.delete(keyOf(account, entry.id));
    if (this.#isPrimary(entry)) this.#entries.delete(keyOf(account, PRIMARY));
  }
}

function keyOf({ applicationId, accountId }: Account, calendarId: string): string {
  return `${applicationId} ${accountId} ${calendarId}`;
}

/** For one account, over all processes. */
export interface AccountLimits {
  budget: ProviderRateLimiter;
  requestsPerMinute: number;
  /** Each request queues by itself, because most operations send none. */
  perRequest?: true;
  /** Set where the provider limits concurrent requests of one account. */
  slots?: { pool: ProviderConcurrencyLimiter; size: number };
}

/** Requests beyond its reservation that an operation sends without waiting: it is under way. */
const MAX_BEYOND = 30;

/** Admission of one operation. Without {@link enter}, each request queues by itself. */
export class Admission {
  /** Reserved and not yet sent; null without a reservation. */
  #left: number | null = null;
  #sent = 0;
  #beyond = 0;

  constructor(
    private readonly limits: AccountLimits | null,
    private readonly session: Pick<
      AccountSession,
      'applicationId' | 'accountId' | 'signal' | 'isBackground' | 'observer'
    >,
  ) {}

  /** Requests that the operation has sent. */
  get sent(): number {
    return this.#sent;
  }

  /** Waits for the turn of the operation. @param requests that it probably takes @throws DomainError RateLimited */
  async enter(requests: number): Promise<void> {
    if (this.limits === null || this.limits.perRequest === true) return;
    const { applicationId, accountId, signal, isBackground = false } = this.session;
    const { budget, requestsPerMinute } = this.limits;
    const operation = { requests, isBackground };
    this.#left = await budget.admit({ applicationId, accountId }, requestsPerMinute, operation, signal);
  }

  /** Gives back what the operation did not need. */
  async leave(): Promise<void> {
    if (this.limits === null || this.#left === null || this.#left === 0) return;
    const { budget, requestsPerMinute } = this.limits;
    const unused = this.#left;
    this.#left = 0;
    await budget.correct(this.session, requestsPerMinute, -unused);
  }

  /** @throws DomainError RateLimited */
  async take(requests = 1): Promise<void> {
    this.#sent += requests;
    await this.reserve(requests);
    this.session.observer?.sent(requests);
  }

  /** Runs one try in a slot of the account. @param requests that it counts as @throws DomainError RateLimited */
  async run<T>(requests: number, attempt: () => Promise<T>): Promise<T> {
    // Requests that wait for the budget hold no slot.
    await this.take(requests);
    const slots = this.limits?.slots;
    const { applicationId, accountId, signal } = this.session;
    return slots === undefined
      ? attempt()
      : slots.pool.withPermit({ applicationId, accountId }, slots.size, signal, attempt);
  }

  private async reserve(requests: number): Promise<void> {
    if (this.limits === null) return;
    const { applicationId, accountId, signal } = this.session;
    const scope = { applicationId, accountId };
    const { budget, requestsPerMinute } = this.limits;
    const reserved = Math.min(requests, this.#left ?? 0);
    if (this.#left !== null) this.#left -= reserved;
    let rest = requests - reserved;
    if (this.#left !== null && rest > 0 && this.#beyond + rest <= MAX_BEYOND) {
      this.#beyond += rest;
      await budget.correct(scope, requestsPerMinute, rest);
      return;
    }
    for (; rest > 0; rest -= 1) await budget.take(scope, requestsPerMinute, signal);
  }
}

/** Returns a session for an account that does not exist yet. Its random id keeps its connections separate. */
export function connectingSession(request: ConnectRequest): AccountSession {
  return { ...request, accountId: randomUUID(), providerState: null, saveProviderState: () => Promise.resolve() };
}

/** Returns the root of a configured URL, which may end with slashes or with the path of the service. */
export function serviceRoot(url: string, path: string): string {
  const trimmed = url.replace(/\/+$/, '');
  return trimmed.endsWith(path) ? trimmed.slice(0, -path.length).replace(/\/+$/, '') : trimmed;
}

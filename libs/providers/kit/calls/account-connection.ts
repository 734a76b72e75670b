import { DomainError, type AccountSession, type SyncSnapshotStore } from '#domain';
import type { Admission } from './admission.js';
import type { CalendarCache } from './calendar-cache.js';
import type { Attempt, CallPolicy, Repeat } from './call-policy.js';
import { calendarNotFound, isSendable } from './resource-id.js';

/** What connections are made with. */
export interface AccountConnectionDeps<Entry extends { id: string }> {
  policy: CallPolicy;
  calendars: CalendarCache<Entry>;
  /** What reads had given out when their sync tokens were issued. */
  snapshots: SyncSnapshotStore;
  nowMs: () => number;
}

/** One account of a provider with OAuth in use, for one operation. */
export abstract class AccountConnection<Entry extends { id: string }, Deps extends AccountConnectionDeps<Entry>> {
  protected readonly accessToken: string;

  constructor(
    protected readonly deps: Deps,
    readonly session: AccountSession,
    private readonly admission: Admission,
  ) {
    this.accessToken = accessTokenOf(session, deps.policy.provider);
  }

  get snapshots(): SyncSnapshotStore {
    return this.deps.snapshots;
  }

  /** The calendar as the account sees it; `primary` is resolved. Kept for some seconds. @throws DomainError NotFound */
  async calendar(calendarId: string): Promise<Entry> {
    return this.deps.calendars.find(this.session, calendarId) ?? (await this.freshCalendar(calendarId));
  }

  /** As the provider has it now. @throws DomainError NotFound */
  async freshCalendar(calendarId: string): Promise<Entry> {
    const entry = isSendable(calendarId) ? await this.readCalendar(calendarId) : null;
    if (entry === null) throw calendarNotFound();
    this.rememberCalendar(entry, calendarId);
    return entry;
  }

  rememberCalendar(entry: Entry, calendarId = entry.id): void {
    this.deps.calendars.remember(this.session, calendarId, entry);
  }

  /** After a change of it. */
  forgetCalendar(entry: Entry): void {
    this.deps.calendars.forget(this.session, entry);
  }

  /** @throws DomainError ProviderTimeout when the caller goes */
  pause(ms: number): Promise<void> {
    return this.deps.policy.rest(ms, this.session.signal);
  }

  /** @returns null when there is none */
  protected abstract readCalendar(calendarId: string): Promise<Entry | null>;

  /** Runs a call within the account's limits, the deadline and the retry policy. @param requests that a try counts for */
  protected run<T>(repeat: Repeat, send: (attempt: Attempt) => Promise<T>, requests = () => 1): Promise<T> {
    const { signal } = this.session;
    return this.deps.policy.run({ repeat, signal, admit: (attempt) => this.admission.run(requests(), attempt), send });
  }
}

/**
 * @param provider as it is called in messages
 * @throws DomainError CredentialsRejected, for anything but an OAuth grant
 */
function accessTokenOf({ credentials }: Pick<AccountSession, 'credentials'>, provider: string): string {
  if (credentials.kind === 'oauth') return credentials.accessToken;
  throw new DomainError('CredentialsRejected', `${provider} accounts are connected by OAuth, not by a password.`);
}

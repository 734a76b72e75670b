import type { GoogleUser } from '../contract.js';
import { EventShelf } from './event-shelf.js';
import { Ids } from './ids.js';
import type { Account, AclRule, CalendarRecord, EventRecord, ListEntry } from './model.js';
import { notFound } from './refusals.js';

export interface StoreSnapshot {
  revision: number;
  ids: number;
  accounts: { user: GoogleUser; list: ListEntry[] }[];
  calendars: (Omit<CalendarRecord, 'acl' | 'events'> & { acl: AclRule[]; events: EventRecord[] })[];
}

/** More than a second brings. */
const SKIPPED = 1_000_000;

/** Everything that the calendars of all users hold. Each change gets a revision of its own, ascending. */
export class Store {
  readonly ids = new Ids();
  private readonly accounts = new Map<string, Account>();
  private readonly calendarsById = new Map<string, CalendarRecord>();
  private changed = new Set<string>();
  private lastRevision = 0;

  get revision(): number {
    return this.lastRevision;
  }

  nextRevision(): number {
    this.lastRevision += 1;
    return this.lastRevision;
  }

  allAccounts(): Iterable<Account> {
    return this.accounts.values();
  }

  account(email: string): Account | undefined {
    return this.accounts.get(email.toLowerCase());
  }

  addAccount(user: GoogleUser): Account {
    const account: Account = { user, list: new Map() };
    this.accounts.set(user.email.toLowerCase(), account);
    return account;
  }

  allCalendars(): Iterable<CalendarRecord> {
    return this.calendarsById.values();
  }

  calendar(id: string): CalendarRecord | undefined {
    return this.calendarsById.get(id.toLowerCase());
  }

  /** As users name it: `primary` is their own. @throws GoogleRefusal 404 */
  calendarFor(user: GoogleUser, id: string): CalendarRecord {
    const calendar = this.calendar(id === 'primary' ? user.email : id);
    if (calendar === undefined) throw notFound();
    return calendar;
  }

  addCalendar(calendar: Omit<CalendarRecord, 'revision' | 'acl' | 'events'>): CalendarRecord {
    const record: CalendarRecord = {
      ...calendar,
      revision: this.nextRevision(),
      acl: new Map(),
      events: new EventShelf(),
    };
    this.calendarsById.set(record.id.toLowerCase(), record);
    return record;
  }

  removeCalendar({ id }: CalendarRecord): void {
    this.calendarsById.delete(id.toLowerCase());
    for (const account of this.accounts.values()) {
      const entry = account.list.get(id.toLowerCase());
      if (entry !== undefined && !entry.isDeleted) this.putEntry(account, { ...entry, isDeleted: true });
    }
  }

  putEvent(calendar: CalendarRecord, record: Omit<EventRecord, 'revision'>): EventRecord {
    const written: EventRecord = { ...record, revision: this.nextRevision() };
    calendar.events.put(written);
    calendar.updatedMs = Math.max(calendar.updatedMs, written.updatedMs);
    this.changed.add(calendar.id);
    return written;
  }

  putEntry(account: Account, entry: Omit<ListEntry, 'revision'>): ListEntry {
    const written: ListEntry = { ...entry, revision: this.nextRevision() };
    account.list.set(entry.calendarId.toLowerCase(), written);
    return written;
  }

  /** Ids of the calendars whose events changed since this was last asked. */
  takeChanged(): ReadonlySet<string> {
    const { changed } = this;
    this.changed = new Set();
    return changed;
  }

  snapshot(): StoreSnapshot {
    return {
      revision: this.lastRevision,
      ids: this.ids.snapshot(),
      accounts: [...this.accounts.values()].map(({ user, list }) => ({ user, list: [...list.values()] })),
      calendars: [...this.calendarsById.values()].map(({ acl, events, ...calendar }) => ({
        ...calendar,
        acl: [...acl.values()],
        events: [...events.all()],
      })),
    };
  }

  restore({ revision, ids, accounts, calendars }: StoreSnapshot): void {
    this.lastRevision = revision;
    this.ids.restore(ids);
    for (const { user, list } of accounts) {
      const account = this.addAccount(user);
      for (const entry of list) account.list.set(entry.calendarId.toLowerCase(), entry);
    }
    for (const { acl, events, ...calendar } of calendars) {
      const shelf = new EventShelf();
      for (const event of events) shelf.put(event);
      const record = { ...calendar, acl: new Map(acl.map((rule) => [rule.id, rule])), events: shelf };
      this.calendarsById.set(record.id.toLowerCase(), record);
    }
  }

  skipAhead(): void {
    this.lastRevision += SKIPPED;
    this.ids.skip(SKIPPED);
  }
}

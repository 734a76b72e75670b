import type { Memory } from '../../state/memory.js';
import type { GoogleUser } from '../contract.js';
import { emptyShelf, putOnShelf } from './event-shelf.js';
import { Ids } from './ids.js';
import type { Account, CalendarRecord, EventRecord, ListEntry } from './model.js';
import { notFound } from './errors.js';

/** Calendars of all users. Each change gets its own revision, ascending. */
export class Store {
  readonly ids: Ids;
  /** By e-mail, lower case. */
  readonly accounts: Map<string, Account>;
  private readonly calendarsById: Map<string, CalendarRecord>;
  private changed = new Set<string>();

  constructor(private readonly memory: Memory) {
    this.ids = new Ids(memory);
    this.accounts = memory.collection('accounts');
    this.calendarsById = memory.collection('calendars');
  }

  get revision(): number {
    return this.memory.last('revision');
  }

  nextRevision(): number {
    return this.memory.next('revision');
  }

  account(email: string): Account | undefined {
    return this.accounts.get(email.toLowerCase());
  }

  addAccount(user: GoogleUser): Account {
    const account: Account = { user, list: new Map() };
    this.accounts.set(user.email.toLowerCase(), account);
    return account;
  }

  calendar(id: string): CalendarRecord | undefined {
    return this.calendarsById.get(id.toLowerCase());
  }

  /** Resolves an id as users write it, with `primary`. @throws GoogleErrorResponse 404 */
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
      events: emptyShelf(),
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
    putOnShelf(calendar.events, written);
    calendar.updatedMs = Math.max(calendar.updatedMs, written.updatedMs);
    this.changed.add(calendar.id);
    return written;
  }

  putEntry(account: Account, entry: Omit<ListEntry, 'revision'>): ListEntry {
    const written: ListEntry = { ...entry, revision: this.nextRevision() };
    account.list.set(entry.calendarId.toLowerCase(), written);
    return written;
  }

  /** Returns the ids of calendars whose events have changed since the last call. */
  takeChanged(): ReadonlySet<string> {
    const { changed } = this;
    this.changed = new Set();
    return changed;
  }
}

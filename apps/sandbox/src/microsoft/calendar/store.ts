import type { MicrosoftUser } from '../contract.js';
import { Keys, mailboxKeyOf } from './ids.js';
import type { CalendarRecord, EventRecord, SharedCalendar } from './model.js';
import { folderExists, itemNotFound, noMailbox } from './refusals.js';

/** What happened to an event, for those who watch its calendar. */
export interface Change {
  changeType: 'created' | 'updated' | 'deleted';
  calendarKey: string;
  key: string;
  revision: number;
}

export interface Tombstone {
  key: string;
  calendarKey: string;
  revision: number;
}

/** A request that made an event. */
export interface Transaction {
  mailboxKey: string;
  id: string;
  eventKey: string;
  /** Digest of its body. */
  fingerprint: string;
}

export interface StoreSnapshot {
  revision: number;
  keys: number;
  users: MicrosoftUser[];
  calendars: CalendarRecord[];
  shared: SharedCalendar[];
  events: EventRecord[];
  tombstones: Tombstone[];
  transactions: Transaction[];
}

/** More than a second brings. */
const SKIPPED = 1_000_000;

/** Everything that the mailboxes hold. Each change gets a revision of its own, ascending. */
export class Store {
  readonly keys = new Keys();
  private lastRevision = 0;
  private readonly users = new Map<string, MicrosoftUser>();
  private readonly calendars = new Map<string, CalendarRecord>();
  private readonly shared = new Map<string, SharedCalendar>();
  private readonly events = new Map<string, EventRecord>();
  private readonly tombstones = new Map<string, Tombstone>();
  private readonly transactions = new Map<string, Transaction>();
  private changes: Change[] = [];

  get revision(): number {
    return this.lastRevision;
  }

  nextRevision(): number {
    this.lastRevision += 1;
    return this.lastRevision;
  }

  /** Whose mailbox it is. */
  mailbox(key: string): MicrosoftUser | undefined {
    return this.users.get(key);
  }

  addMailbox(user: MicrosoftUser): void {
    const mailboxKey = mailboxKeyOf(user);
    this.users.set(mailboxKey, user);
    this.addCalendar({ mailboxKey, name: 'Calendar', color: 'auto', isDefault: true });
  }

  calendar(key: string): CalendarRecord | undefined {
    return this.calendars.get(key);
  }

  calendarsOf(mailboxKey: string): CalendarRecord[] {
    return [...this.calendars.values()].filter((calendar) => calendar.mailboxKey === mailboxKey);
  }

  /** @throws GraphRefusal 404 without a mailbox */
  defaultCalendar(mailboxKey: string): CalendarRecord {
    const calendar = this.calendarsOf(mailboxKey).find(({ isDefault }) => isDefault);
    if (calendar === undefined) throw noMailbox();
    return calendar;
  }

  addCalendar(calendar: Omit<CalendarRecord, 'key' | 'revision' | 'properties'>): CalendarRecord {
    return this.putCalendar({ ...calendar, key: this.keys.next('calendar'), properties: {} });
  }

  /** @throws GraphRefusal 409 when another calendar of the mailbox has the name */
  putCalendar(calendar: Omit<CalendarRecord, 'revision'>): CalendarRecord {
    const name = calendar.name.toLowerCase();
    const twin = this.calendarsOf(calendar.mailboxKey).find((other) => other.name.toLowerCase() === name);
    if (twin !== undefined && twin.key !== calendar.key) throw folderExists();
    const written = { ...calendar, revision: this.nextRevision() };
    this.calendars.set(written.key, written);
    return written;
  }

  /** With everything in it. */
  removeCalendar({ key }: CalendarRecord): void {
    for (const event of this.eventsOf(key)) this.removeEvent(event);
    for (const entry of this.shared.values()) if (entry.calendarKey === key) this.shared.delete(entry.key);
    this.calendars.delete(key);
  }

  sharedWith(mailboxKey: string): SharedCalendar[] {
    return [...this.shared.values()].filter(({ viewerKey }) => viewerKey === mailboxKey);
  }

  putShared(entry: Omit<SharedCalendar, 'revision'>): SharedCalendar {
    const written = { ...entry, revision: this.nextRevision() };
    this.shared.set(written.key, written);
    return written;
  }

  removeShared({ key }: Pick<SharedCalendar, 'key'>): void {
    this.shared.delete(key);
  }

  event(key: string): EventRecord | undefined {
    return this.events.get(key);
  }

  /** @throws GraphRefusal 404 */
  presentEvent(key: string): EventRecord {
    const record = this.events.get(key);
    if (record === undefined) throw itemNotFound();
    return record;
  }

  allEvents(): Iterable<EventRecord> {
    return this.events.values();
  }

  eventsOf(calendarKey: string): EventRecord[] {
    return [...this.events.values()].filter((event) => event.calendarKey === calendarKey);
  }

  /** All copies of a meeting, the organizer's included. */
  copiesOf(uid: string): EventRecord[] {
    return [...this.events.values()].filter((event) => event.uid === uid);
  }

  putEvent(event: Omit<EventRecord, 'revision'>): EventRecord {
    const isNew = !this.events.has(event.key);
    const written = { ...event, revision: this.nextRevision() };
    this.events.set(written.key, written);
    if (isNew) this.note('created', written);
    // Making an event shows as more than one change to those who watch.
    this.note('updated', written);
    return written;
  }

  removeEvent({ key, calendarKey }: EventRecord): void {
    this.events.delete(key);
    const tombstone = { key, calendarKey, revision: this.nextRevision() };
    this.tombstones.set(key, tombstone);
    this.note('deleted', tombstone);
  }

  removedFrom(calendarKey: string): Tombstone[] {
    return [...this.tombstones.values()].filter((tombstone) => tombstone.calendarKey === calendarKey);
  }

  transaction(mailboxKey: string, id: string): Transaction | undefined {
    return this.transactions.get(`${mailboxKey} ${id}`);
  }

  putTransaction(transaction: Transaction): void {
    this.transactions.set(`${transaction.mailboxKey} ${transaction.id}`, transaction);
  }

  /** What changed since this was last asked. */
  takeChanges(): Change[] {
    const { changes } = this;
    this.changes = [];
    return changes;
  }

  snapshot(): StoreSnapshot {
    return {
      revision: this.lastRevision,
      keys: this.keys.snapshot(),
      users: [...this.users.values()],
      calendars: [...this.calendars.values()],
      shared: [...this.shared.values()],
      events: [...this.events.values()],
      tombstones: [...this.tombstones.values()],
      transactions: [...this.transactions.values()],
    };
  }

  restore(snapshot: StoreSnapshot): void {
    this.lastRevision = snapshot.revision;
    this.keys.restore(snapshot.keys);
    for (const user of snapshot.users) this.users.set(mailboxKeyOf(user), user);
    for (const calendar of snapshot.calendars) this.calendars.set(calendar.key, calendar);
    for (const entry of snapshot.shared) this.shared.set(entry.key, entry);
    for (const event of snapshot.events) this.events.set(event.key, event);
    for (const tombstone of snapshot.tombstones) this.tombstones.set(tombstone.key, tombstone);
    for (const transaction of snapshot.transactions) this.putTransaction(transaction);
  }

  skipAhead(): void {
    this.lastRevision += SKIPPED;
    this.keys.skip(SKIPPED);
  }

  private note(changeType: Change['changeType'], { calendarKey, key, revision }: Tombstone): void {
    this.changes.push({ changeType, calendarKey, key, revision });
  }
}

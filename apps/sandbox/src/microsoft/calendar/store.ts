import type { Memory } from '../../state/memory.js';
import type { MicrosoftUser } from '../contract.js';
import { Keys, mailboxKeyOf } from './ids.js';
import type { CalendarRecord, EventRecord, SharedCalendar } from './model.js';
import { folderExists, itemNotFound, noMailbox } from './errors.js';

/** A change of an event, for subscriptions to its calendar. */
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

/** A request that created an event. */
export interface Transaction {
  mailboxKey: string;
  id: string;
  eventKey: string;
  /** Digest of its body. */
  fingerprint: string;
}

/** Contents of all mailboxes. Each change gets its own revision, ascending. */
export class Store {
  readonly keys: Keys;
  /** Mailbox owners by mailbox key. */
  readonly mailboxes: Map<string, MicrosoftUser>;
  readonly calendars: Map<string, CalendarRecord>;
  private readonly shared: Map<string, SharedCalendar>;
  readonly events: Map<string, EventRecord>;
  private readonly tombstones: Map<string, Tombstone>;
  private readonly transactions: Map<string, Transaction>;
  private changes: Change[] = [];

  constructor(private readonly memory: Memory) {
    this.keys = new Keys(memory);
    this.mailboxes = memory.collection('mailboxes');
    this.calendars = memory.collection('calendars');
    this.shared = memory.collection('sharedCalendars');
    this.events = memory.collection('events');
    this.tombstones = memory.collection('tombstones');
    this.transactions = memory.collection('transactions');
  }

  get revision(): number {
    return this.memory.last('revision');
  }

  nextRevision(): number {
    return this.memory.next('revision');
  }

  addMailbox(user: MicrosoftUser): void {
    const mailboxKey = mailboxKeyOf(user);
    this.mailboxes.set(mailboxKey, user);
    this.addCalendar({ mailboxKey, name: 'Calendar', color: 'auto', isDefault: true });
  }

  calendarsOf(mailboxKey: string): CalendarRecord[] {
    return [...this.calendars.values()].filter((calendar) => calendar.mailboxKey === mailboxKey);
  }

  /** @throws GraphErrorResponse 404 without a mailbox */
  defaultCalendar(mailboxKey: string): CalendarRecord {
    const calendar = this.calendarsOf(mailboxKey).find(({ isDefault }) => isDefault);
    if (calendar === undefined) throw noMailbox();
    return calendar;
  }

  addCalendar(calendar: Omit<CalendarRecord, 'key' | 'revision' | 'properties'>): CalendarRecord {
    return this.putCalendar({ ...calendar, key: this.keys.next('calendar'), properties: {} });
  }

  /** @throws GraphErrorResponse 409 when another calendar of the mailbox has this name */
  putCalendar(calendar: Omit<CalendarRecord, 'revision'>): CalendarRecord {
    const name = calendar.name.toLowerCase();
    const twin = this.calendarsOf(calendar.mailboxKey).find((other) => other.name.toLowerCase() === name);
    if (twin !== undefined && twin.key !== calendar.key) throw folderExists();
    const written = { ...calendar, revision: this.nextRevision() };
    this.calendars.set(written.key, written);
    return written;
  }

  /** Removes a calendar with its events. */
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

  /** @throws GraphErrorResponse 404 */
  presentEvent(key: string): EventRecord {
    const record = this.events.get(key);
    if (record === undefined) throw itemNotFound();
    return record;
  }

  eventsOf(calendarKey: string): EventRecord[] {
    return [...this.events.values()].filter((event) => event.calendarKey === calendarKey);
  }

  /** Returns all copies of a meeting, with the organizer's. */
  copiesOf(uid: string): EventRecord[] {
    return [...this.events.values()].filter((event) => event.uid === uid);
  }

  putEvent(event: Omit<EventRecord, 'revision'>): EventRecord {
    const isNew = !this.events.has(event.key);
    const written = { ...event, revision: this.nextRevision() };
    this.events.set(written.key, written);
    if (isNew) this.note('created', written);
    // Graph reports the creation of an event as more than one change.
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

  /** Returns the changes since the last call. */
  takeChanges(): Change[] {
    const { changes } = this;
    this.changes = [];
    return changes;
  }

  private note(changeType: Change['changeType'], { calendarKey, key, revision }: Tombstone): void {
    this.changes.push({ changeType, calendarKey, key, revision });
  }
}

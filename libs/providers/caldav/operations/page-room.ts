import type { CalendarEvent, EventItem } from '#domain/events';
import { sortedBy } from '#providers/kit/sync';

/** Characters. A thousand events with long texts fit, a thousand of a megabyte each do not. */
const MAX_PAGE_LENGTH = 16 * 1024 * 1024;
const MIN_EVENT_LENGTH = 1_000;
const ATTENDEE_LENGTH = 100;

/** Source text of events. A substring keeps the whole text in memory, once for all of them. */
export interface SourceText {
  length: number;
}

/** Limits a page by number of events and size of text. The first event always fits. */
export class PageRoom {
  private taken = 0;
  private length = 0;
  private readonly sources = new Set<SourceText>();
  /** Instances of a series share one list of attendees. */
  private readonly ofAttendees = new WeakMap<object, number>();

  constructor(
    private readonly pageSize: number,
    private readonly maxLength = MAX_PAGE_LENGTH,
  ) {}

  /** @returns the number of items from `from` on that fit, which count as taken */
  take(items: readonly EventItem[], from: number, source: SourceText): number {
    let count = 0;
    while (from + count < items.length && this.takes(items[from + count]!, source)) count += 1;
    return count;
  }

  /** After the first false, returns false for all later items. */
  takes(item: EventItem, source: SourceText): boolean {
    const length = this.length + this.lengthOf(item) + (this.sources.has(source) ? 0 : source.length);
    if (this.taken > 0 && (this.taken >= this.pageSize || length > this.maxLength)) {
      this.taken = this.pageSize;
      return false;
    }
    this.taken += 1;
    this.length = length;
    this.sources.add(source);
    return true;
  }

  private lengthOf(item: EventItem): number {
    if (!('title' in item)) return MIN_EVENT_LENGTH;
    const { title, description = '', location = '', recurrence, attendees } = item;
    const lines = recurrence?.reduce((length, line) => length + line.length, 0) ?? 0;
    return (
      MIN_EVENT_LENGTH + title.length + description.length + location.length + lines + this.attendeesLength(attendees)
    );
  }

  private attendeesLength(attendees: CalendarEvent['attendees']): number {
    let length = this.ofAttendees.get(attendees);
    if (length === undefined) {
      length = attendees.reduce(
        (sum, { name, email }) => sum + ATTENDEE_LENGTH + (name?.length ?? 0) + email.length,
        0,
      );
      this.ofAttendees.set(attendees, length);
    }
    return length;
  }
}

interface KeyedEvent {
  key: string;
  event: CalendarEvent;
  text: SourceText;
}

/** Events beyond the page that are held before a cut. */
const MAX_BEYOND = 2_000;

/** Keeps the first events after a key, in order. Drops the others, because all texts together may exceed the memory. */
export class OrderedPage {
  private kept: KeyedEvent[] = [];
  /** Key of the first dropped event: later keys do not belong on this page. */
  private cutKey: string | null = null;
  /** Length of the texts added since the last cut. */
  private addedLength = 0;

  constructor(
    private readonly pageSize: number,
    private readonly afterKey: string | null,
  ) {}

  async add(events: readonly KeyedEvent[]): Promise<void> {
    let length = 0;
    for (const keyed of events) {
      if (this.afterKey !== null && keyed.key <= this.afterKey) continue;
      if (this.cutKey !== null && keyed.key >= this.cutKey) continue;
      this.kept.push(keyed);
      length = keyed.text.length;
    }
    this.addedLength += length;
    if (this.kept.length > this.pageSize + MAX_BEYOND || this.addedLength > MAX_PAGE_LENGTH) await this.cut();
  }

  /** @returns the page and the key that the next page follows; null at the end */
  async end(): Promise<{ items: CalendarEvent[]; nextAfterKey: string | null }> {
    await this.cut();
    const last = this.kept.at(-1);
    return {
      items: this.kept.map(({ event }) => event),
      nextAfterKey: this.cutKey === null || last === undefined ? null : last.key,
    };
  }

  private async cut(): Promise<void> {
    this.addedLength = 0;
    const sorted = await sortedBy(this.kept, ({ key }) => key);
    const room = new PageRoom(this.pageSize);
    const end = sorted.findIndex(({ event, text }) => !room.takes(event, text));
    this.kept = end === -1 ? sorted : sorted.slice(0, end);
    this.cutKey = sorted[end]?.key ?? this.cutKey;
  }
}

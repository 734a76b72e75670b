import type { CalendarEvent, EventItem } from '#domain';
import { sortedBy } from './sorted-by-id.js';

/** Characters. A thousand events with long texts stay below; a thousand of a megabyte each would not. */
const MAX_PAGE_LENGTH = 16 * 1024 * 1024;
const LEAST_LENGTH = 1_000;
const ATTENDEE_LENGTH = 100;

/** The text that events were read from. Parts of it keep it in memory as a whole, once for all of them. */
export interface SourceText {
  length: number;
}

/** What still fits on a page: so many events, and so much text. The first event always does. */
export class PageRoom {
  private taken = 0;
  private length = 0;
  private readonly sources = new Set<SourceText>();
  /** Instances of a series share theirs. */
  private readonly ofAttendees = new WeakMap<object, number>();

  constructor(
    private readonly pageSize: number,
    private readonly maxLength = MAX_PAGE_LENGTH,
  ) {}

  /** @returns how many of the items, from one on, go on the page; they count as taken */
  take(items: readonly EventItem[], from: number, source: SourceText): number {
    let count = 0;
    while (from + count < items.length && this.takes(items[from + count]!, source)) count += 1;
    return count;
  }

  /** Once false, it is for all that come after. */
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
    if (!('title' in item)) return LEAST_LENGTH;
    const { title, description = '', location = '', recurrence, attendees } = item;
    const lines = recurrence?.reduce((length, line) => length + line.length, 0) ?? 0;
    return LEAST_LENGTH + title.length + description.length + location.length + lines + this.attendeesLength(attendees);
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

/** Events beyond a page that are held before they are cut off. */
const MAX_BEYOND = 2_000;

/** The first events after a key, in order. It drops what the page has no room for: not all texts fit into memory. */
export class OrderedPage {
  private kept: KeyedEvent[] = [];
  /** Of the first one that was cut off: nothing at or behind it belongs on this page. */
  private cutKey: string | null = null;
  /** Of the texts since the last cut. */
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

  /** @returns the page, and the key after which the next one begins; null at the end */
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

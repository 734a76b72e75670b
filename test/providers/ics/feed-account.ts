import type { EventItem } from '#domain/events';
import { WHOLE_CALENDAR, type AccountSession, type EventQuery } from '#domain/providers';
import type { JsonObject, JsonValue } from '#domain/system';
import { MemorySnapshots } from '#domain/testing/memory-stores';
import { GuardedEgress } from '#egress';
import { UnreadableObjects } from '#providers/kit/definition';
import { icsAdapter } from '#providers/ics';

class Unreported extends UnreadableObjects {
  override report(): void {}
}

/** A VCALENDAR of these lines. */
export const feedText = (...lines: (string | string[])[]): string =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//Example//Feed//EN', ...lines.flat(), 'END:VCALENDAR', ''].join('\r\n');

/** An hour of an event. */
export const feedEvent = (uid: string, title: string, start: string, ...more: string[]): string[] => [
  'BEGIN:VEVENT',
  `UID:${uid}`,
  `DTSTAMP:${new Date().toISOString().replace(/\.\d+/, '').replaceAll(/[-:]/g, '')}`,
  `DTSTART:${start}`,
  'DURATION:PT1H',
  `SUMMARY:${title}`,
  ...more,
  'END:VEVENT',
];

/** An account of one feed, by its adapter in this process, over the real way out of it. */
export class FeedAccount {
  nowMs = Date.now();
  readonly egress: GuardedEgress;
  readonly adapter: ReturnType<typeof icsAdapter>;
  state: JsonObject | null = null;
  calendarId = '';

  constructor(
    readonly url: string,
    allow: string,
  ) {
    this.egress = new GuardedEgress({ allow });
    this.adapter = icsAdapter({
      egress: this.egress,
      snapshots: new MemorySnapshots(),
      unreadable: new Unreported(),
      nowMs: () => this.nowMs,
    });
  }

  async connect(): Promise<void> {
    const { signal } = new AbortController();
    const credentials = { kind: 'url', url: this.url } as const;
    const connected = await this.adapter.connect({
      applicationId: 'application',
      email: '',
      serverUrl: null,
      credentials,
      signal,
    });
    this.state = connected.providerState;
    this.calendarId = connected.providerAccountId ?? '';
  }

  connection(signal = new AbortController().signal) {
    const session: AccountSession = {
      applicationId: 'application',
      accountId: 'account',
      email: '',
      serverUrl: null,
      credentials: { kind: 'url', url: this.url },
      providerState: this.state,
      signal,
      saveProviderState: async (state) => void (this.state = state),
    };
    return this.adapter.open(session);
  }

  /** Every page of a list, or of what changed. */
  async list(query: Partial<EventQuery> = {}, sync: JsonValue | null = null, pageSize = 1_000) {
    const items: EventItem[] = [];
    for (let page: JsonValue | null = null; ;) {
      const response = await this.adapter.events.list(this.connection(), this.calendarId, {
        query: { ...WHOLE_CALENDAR, ...query },
        pageSize,
        page,
        sync,
      });
      items.push(...response.items);
      if (response.nextSync !== null) return { items, sync: response.nextSync };
      page = response.nextPage;
    }
  }

  /** As if so many minutes had passed. */
  pass(minutes: number): void {
    this.nowMs += minutes * 60_000;
  }
}

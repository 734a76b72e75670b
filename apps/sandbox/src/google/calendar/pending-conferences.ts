import type { Memory } from '../../state/memory.js';
import type { CalendarApiHost } from '../contract.js';
import { type ConferenceBehaviour, settleConference } from './event-conference.js';
import type { Invitations } from './invitations.js';
import type { CalendarRecord, EventRecord } from './model.js';
import type { Store } from './store.js';

/** Undecided conference requests. */
export class PendingConferences {
  behaviour: ConferenceBehaviour = { pendingMs: 0, fail: false };
  private readonly pending: Map<string, { calendarId: string; eventId: string }>;

  constructor(
    memory: Memory,
    private readonly store: Store,
    private readonly host: CalendarApiHost,
    private readonly invitations: Invitations,
  ) {
    this.pending = memory.collection('pendingConferences');
  }

  watch({ id: calendarId }: CalendarRecord, { id: eventId, shared }: EventRecord): void {
    if (shared.conference?.pendingUntilMs == null) return;
    this.pending.set(`${calendarId} ${eventId}`, { calendarId, eventId });
  }

  /** Decides due requests; each changes its event like any other write. */
  settle(): void {
    const nowMs = this.host.nowMs();
    for (const [key, { calendarId, eventId }] of this.pending) {
      const calendar = this.store.calendar(calendarId);
      const record = calendar?.events.byId.get(eventId);
      const conference = record?.shared.conference;
      if (conference?.pendingUntilMs != null && conference.pendingUntilMs > nowMs) continue;
      this.pending.delete(key);
      if (calendar === undefined || record?.life !== 'live' || conference?.pendingUntilMs == null) continue;
      const settled = settleConference(conference, nowMs, this.behaviour.fail, this.store.ids.meetingCode());
      const shared = { ...record.shared, conference: settled };
      this.invitations.put(calendar, { ...record, shared, updatedMs: nowMs }, record);
    }
  }
}

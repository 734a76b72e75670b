import type { Memory } from '../../state/memory.js';
import type { GraphHost } from '../contract.js';
import { withInvitation } from './event-body.js';
import { joinUrlOf } from './event-content.js';
import type { Invitations } from './invitations.js';
import type { Content, EventRecord } from './model.js';
import type { Store } from './store.js';

/** Online meetings without a link yet. */
export class Meetings {
  behaviour = { pendingMs: 0, fail: false };
  /** By event key. */
  private readonly pending: Map<string, true>;

  constructor(
    memory: Memory,
    private readonly store: Store,
    private readonly host: Pick<GraphHost, 'nowMs'>,
    private readonly invitations: Invitations,
  ) {
    this.pending = memory.collection('pendingMeetings');
  }

  /** Time at which the link of a new meeting appears, epoch milliseconds; null for never. */
  dueMs(): number | null {
    return this.behaviour.fail ? null : this.host.nowMs() + this.behaviour.pendingMs;
  }

  watch({ key, content }: EventRecord): void {
    if (content.meeting !== null && content.meeting.dueMs !== null) this.pending.set(key, true);
  }

  /** Adds due links; each changes its event like any other write. */
  settle(): void {
    const nowMs = this.host.nowMs();
    for (const key of this.pending.keys()) {
      const record = this.store.events.get(key);
      const dueMs = record?.content.meeting?.dueMs ?? null;
      if (record !== undefined && dueMs !== null && dueMs > nowMs) continue;
      this.pending.delete(key);
      if (record === undefined || dueMs === null) continue;
      const exceptions = Object.entries(record.exceptions).map(
        ([date, own]) => [date, { ...own, content: linked(own.content) }] as const,
      );
      const written = this.store.putEvent({
        ...record,
        content: linked(record.content),
        exceptions: Object.fromEntries(exceptions),
        modifiedMs: nowMs,
      });
      this.invitations.deliver(written, null);
    }
  }
}

function linked(content: Content): Content {
  if (content.meeting === null) return content;
  const meeting = { ...content.meeting, joinUrl: joinUrlOf(content.meeting), dueMs: null };
  return { ...content, meeting, body: withInvitation(content.body, meeting) };
}

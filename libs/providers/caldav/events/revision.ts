import { type EditableComponent, type IcsComponent } from '#icalendar';

/** UTC DATE-TIME of an instant: `20260101T100000Z`. */
export function utcStamp(instantMs: number): string {
  return `${new Date(instantMs).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`;
}

/** Marks a component as changed now. CREATED never changes. */
export function stamp(event: EditableComponent, nowMs: number): void {
  event.setProperty('DTSTAMP', utcStamp(nowMs), {});
  event.setProperty('LAST-MODIFIED', utcStamp(nowMs), {});
}

/** Absent or unreadable counts as 0 (RFC 5545 §3.8.7.4). */
export function sequenceOf(event: IcsComponent): number {
  const value = event.property('SEQUENCE')?.value.trim() ?? '';
  return /^\d{1,9}$/.test(value) ? Number(value) : 0;
}

/** What attendees must look at again gets a higher number (RFC 5546 §2.1.4); it never falls. */
export function raiseSequence(event: EditableComponent, above = sequenceOf(event)): void {
  event.setProperty('SEQUENCE', String(Math.max(above, sequenceOf(event)) + 1), {});
}

import type { calendar_v3 } from '@googleapis/calendar';
import { isEcho, isSameTime, type Schedule, type Span } from '#providers/kit/series';

/** What a PATCH says of it; nothing of what stays. */
export function schedulePatch(before: Schedule, after: Schedule, spanPatch: (span: Span) => calendar_v3.Schema$Event) {
  const isMoved = !isSameTime(before.span.start, after.span.start) || !isSameTime(before.span.end, after.span.end);
  return {
    ...(isMoved && spanPatch(after.span)),
    ...(!isEcho(after.recurrence, before.recurrence) && {
      // Null takes a field out; the types of the client do not know that.
      recurrence: after.recurrence.length === 0 ? (null as never) : after.recurrence,
    }),
  };
}

import { setTimeout as sleep } from 'node:timers/promises';
import { readBack } from './read-back.js';

export type Pause = (ms: number, signal: AbortSignal) => Promise<unknown>;

/** A meeting that a provider makes after it has answered. */
export interface PendingMeeting<Event> {
  /** Before each look at the event, milliseconds. */
  pausesMs: readonly number[];
  signal: AbortSignal;
  isPending(event: Event): boolean;
  /** null: it is gone. */
  read(event: Event): Promise<Event | null>;
  /** True for what the provider answers instead of an event. */
  isRefusal(error: unknown): boolean;
  pause?: Pause | undefined;
}

/**
 * Waits for a meeting that is being made, for some seconds. The event is written: it is answered with or without, since an
 * error would say that it was not.
 */
export async function settledMeeting<Event>(event: Event, meeting: PendingMeeting<Event>): Promise<Event> {
  let seen = event;
  for (const ms of meeting.pausesMs) {
    if (!meeting.isPending(seen)) break;
    const later = await look(seen, ms, meeting);
    if (later === null) break;
    seen = later;
  }
  return seen;
}

/** null: it is no use looking any longer. */
function look<Event>(event: Event, ms: number, meeting: PendingMeeting<Event>): Promise<Event | null> {
  const { signal } = meeting;
  return readBack<Event | null>({
    signal,
    async read() {
      await (meeting.pause ?? untilAborted)(ms, signal);
      return meeting.read(event);
    },
    isRefusal: (error) => meeting.isRefusal(error),
    otherwise: () => null,
  });
}

function untilAborted(ms: number, signal: AbortSignal): Promise<unknown> {
  return sleep(ms, undefined, { signal });
}

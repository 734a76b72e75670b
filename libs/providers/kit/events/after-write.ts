import { DomainError } from '#domain';
import { ProviderRefusal } from '../calls/provider-refusal.js';

/**
 * Reads after a write that the provider has confirmed. Whatever the provider or the way there makes of the read, what was
 * written is written: an error would say that it was not. A refused token is no exception, since it would have everything
 * done once more.
 * @param otherwise what is known without it
 */
export async function readBack<T>(signal: AbortSignal, read: () => Promise<T>, otherwise: () => T): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (signal.aborted || error instanceof DomainError || error instanceof ProviderRefusal) return otherwise();
    throw error;
  }
}

/** A meeting that a provider makes after it has answered. */
export interface PendingMeeting<Event> {
  /** Before each look at the event, milliseconds. */
  pausesMs: readonly number[];
  connection: { session: { signal: AbortSignal }; pause(ms: number): Promise<void> };
  isPending: (event: Event) => boolean;
  /** null: it is gone. */
  read: (event: Event) => Promise<Event | null>;
}

/**
 * Waits for a meeting that is being made, for some seconds. The event is written: it is answered with or without, since an
 * error would say that it was not.
 */
export async function settledMeeting<Event>(
  event: Event,
  { pausesMs, connection, isPending, read }: PendingMeeting<Event>,
): Promise<Event> {
  let seen = event;
  for (const ms of pausesMs) {
    if (!isPending(seen)) break;
    const look = async () => {
      await connection.pause(ms);
      return read(event);
    };
    const later = await readBack<Event | null>(connection.session.signal, look, () => null);
    if (later === null) break;
    seen = later;
  }
  return seen;
}

/** @throws DomainError NotSupportedByProvider for a meeting that a calendar cannot make */
export function checkMeetingType(type: string, allowed: readonly string[]): void {
  if (allowed.includes(type)) return;
  const choice = allowed.length === 0 ? 'This calendar makes no online meetings.' : `It makes ${allowed.join(', ')}.`;
  throw new DomainError(
    'NotSupportedByProvider',
    `generateMeetingUrlProvider: this calendar cannot make a meeting of "${type.slice(0, 64)}". ${choice}`,
  );
}

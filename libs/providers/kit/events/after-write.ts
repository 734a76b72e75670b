import { DomainError } from '#domain/system';
import { ProviderResponseError } from '../calls/provider-error.js';

/** Reads after a confirmed write. A failed read yields `otherwise()`: an error would make callers repeat the write. */
export async function readAfterWrite<T>(signal: AbortSignal, read: () => Promise<T>, otherwise: () => T): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (signal.aborted || error instanceof DomainError || error instanceof ProviderResponseError) return otherwise();
    throw error;
  }
}

/** A meeting that a provider creates after its answer. */
export interface PendingConference<Event> {
  pausesMs: readonly number[];
  connection: { session: { signal: AbortSignal }; pause(ms: number): Promise<void> };
  isPending: (event: Event) => boolean;
  read: (event: Event) => Promise<Event | null>;
}

/** Waits some seconds for a pending meeting, then returns the event with or without it. */
export async function awaitConference<Event>(
  event: Event,
  { pausesMs, connection, isPending, read }: PendingConference<Event>,
): Promise<Event> {
  let seen = event;
  for (const ms of pausesMs) {
    if (!isPending(seen)) break;
    const look = async () => {
      await connection.pause(ms);
      return read(event);
    };
    const later = await readAfterWrite<Event | null>(connection.session.signal, look, () => null);
    if (later === null) break;
    seen = later;
  }
  return seen;
}

/** @throws DomainError NotSupportedByProvider */
export function assertConferenceType(type: string, allowed: readonly string[]): void {
  if (allowed.includes(type)) return;
  const choice = allowed.length === 0 ? 'This calendar makes no online meetings.' : `It makes ${allowed.join(', ')}.`;
  throw new DomainError(
    'NotSupportedByProvider',
    `generateMeetingUrlProvider: this calendar cannot make a meeting of "${type.slice(0, 64)}". ${choice}`,
  );
}

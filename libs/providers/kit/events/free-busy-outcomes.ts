import type { BusySlot } from '#domain/events';
import type { FreeBusyOutcome, FreeBusyRequest } from '#domain/providers';
import { DomainError } from '#domain/system';
import { mergeBusy } from '#icalendar';

/** Errors of the whole account or request, not of one calendar. */
const FATAL: ReadonlySet<string> = new Set(['CredentialsRejected', 'RateLimited', 'InternalServerError']);

interface BusyReader {
  atOnce: number;
  /** Returns busy slots, unsorted and possibly outside of the window. */
  read: (calendarId: string) => Promise<readonly BusySlot[]>;
  toError: (error: unknown) => unknown;
}

/** Reads each calendar once, in the order of the request. @throws errors of the whole account, unchanged */
export async function freeBusyOutcomes(
  { calendarIds, window }: FreeBusyRequest,
  { atOnce, read, toError }: BusyReader,
) {
  const outcomes = new Map<string, FreeBusyOutcome>();
  const pending = [...new Set(calendarIds)];
  const readOn = async (): Promise<void> => {
    for (let calendarId = pending.shift(); calendarId !== undefined; calendarId = pending.shift()) {
      try {
        outcomes.set(calendarId, { calendarId, busySlots: mergeBusy(await read(calendarId), window) });
      } catch (cause) {
        const error = toError(cause);
        if (!(error instanceof DomainError) || FATAL.has(error.code)) {
          pending.length = 0;
          throw cause;
        }
        outcomes.set(calendarId, { calendarId, error });
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, readOn));
  return calendarIds.flatMap((calendarId) => outcomes.get(calendarId) ?? []);
}

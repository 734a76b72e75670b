import { DomainError, type BusySlot, type FreeBusyOutcome, type FreeBusyRequest } from '#domain';
import { mergeBusy } from '#icalendar';

/** What concerns the whole account, or the request, is not one calendar's outcome. */
const FATAL: ReadonlySet<string> = new Set(['CredentialsRejected', 'RateLimited', 'InternalServerError']);

export interface BusyReader {
  /** How many calendars are read at once. */
  atOnce: number;
  /** Unsorted slots of a calendar, beyond the window too. */
  read: (calendarId: string) => Promise<readonly BusySlot[]>;
  /** What a caller is told of an error of `read`. */
  told: (error: unknown) => unknown;
}

/**
 * One outcome per calendar asked, in that order; each calendar is read once.
 * @throws what concerns the whole account, unchanged
 */
export async function freeBusyOutcomes(
  { calendarIds, window }: FreeBusyRequest,
  { atOnce, read, told }: BusyReader,
): Promise<FreeBusyOutcome[]> {
  const outcomes = new Map<string, FreeBusyOutcome>();
  const pending = [...new Set(calendarIds)];
  const readOn = async (): Promise<void> => {
    for (let calendarId = pending.shift(); calendarId !== undefined; calendarId = pending.shift()) {
      try {
        outcomes.set(calendarId, { calendarId, busySlots: mergeBusy(await read(calendarId), window) });
      } catch (cause) {
        const error = told(cause);
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

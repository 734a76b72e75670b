import { DomainError } from '#domain';
import { GraphFault } from '../contract.js';
import { findEvent } from './find-event.js';
import type { OpenCalendar } from './open-calendar.js';
import { plainEtag, type OutlookEvent } from './outlook-event.js';

/** Attempts of one edit when others write to the same event in between. */
const MAX_ATTEMPTS = 4;

/**
 * Read, change, write on condition that nobody wrote in between; again from the read when somebody did and the caller
 * named no version.
 * @param asked If-Match of the caller
 * @throws DomainError NotFound, PreconditionFailed, Conflict
 */
export async function edit<T>(
  calendar: OpenCalendar,
  eventId: string,
  asked: string | undefined,
  attempt: (event: OutlookEvent) => Promise<T>,
): Promise<T> {
  for (let attempts = 1; ; attempts += 1) {
    const event = await findEvent(calendar, eventId);
    if (asked !== undefined && !matches(asked, event.etag)) throw preconditionFailed();
    try {
      return await attempt(event);
    } catch (error) {
      if (!isOvertaken(error)) throw error;
      if (asked !== undefined) throw preconditionFailed();
      if (attempts >= MAX_ATTEMPTS) {
        throw new DomainError('Conflict', 'The event is being changed by others at the same time. Try again.');
      }
    }
  }
}

/** Somebody wrote in between: before the request came in, or while it was carried out. */
export function isOvertaken(error: unknown): boolean {
  if (!(error instanceof GraphFault)) return false;
  return error.status === 412 || (error.status === 409 && error.code === 'ErrorIrresolvableConflict');
}

function matches(asked: string, etag: string | null): boolean {
  if (asked.trim() === '*') return true;
  return etag !== null && asked.split(',').some((one) => plainEtag(one) === plainEtag(etag));
}

function preconditionFailed(): DomainError {
  return new DomainError('PreconditionFailed', 'The event has changed since the version named in If-Match.');
}

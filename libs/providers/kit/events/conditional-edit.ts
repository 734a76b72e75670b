import { DomainError } from '#domain';

/** Attempts of one edit when others write to the same event in between. */
const MAX_ATTEMPTS = 3;

/** An event that is to be changed, as a provider keeps it. */
export interface EditTarget<Event extends { etag: string | null }> {
  /** Reads it as it is now. @throws DomainError NotFound */
  find(): Promise<Event>;
  /** True for what a conditional write fails with when somebody else wrote in between. */
  isOvertaken(error: unknown): boolean;
}

/**
 * Read, change, write on condition that nobody wrote in between; again from the read when somebody did and the caller
 * named no version.
 * @param ifMatch of the caller
 * @throws DomainError NotFound, PreconditionFailed, Conflict
 */
export async function editEvent<Event extends { etag: string | null }, T>(
  ifMatch: string | undefined,
  target: EditTarget<Event>,
  attempt: (event: Event) => Promise<T>,
): Promise<T> {
  for (let attempts = 1; ; attempts += 1) {
    const event = await target.find();
    if (ifMatch !== undefined && !namesVersion(ifMatch, event.etag)) throw preconditionFailed();
    try {
      return await attempt(event);
    } catch (error) {
      if (!target.isOvertaken(error)) throw error;
      if (ifMatch !== undefined) throw preconditionFailed();
      if (attempts >= MAX_ATTEMPTS) {
        throw new DomainError('Conflict', 'The event is being changed by others at the same time. Try again.');
      }
    }
  }
}

/**
 * The same for an attempt that deletes. What was there and is not any more is deleted: by this very request, whose answer
 * was lost, or by somebody else's.
 * @throws DomainError NotFound (it was not there to begin with), PreconditionFailed, Conflict
 */
export async function removeEvent<Event extends { etag: string | null }>(
  ifMatch: string | undefined,
  target: EditTarget<Event>,
  attempt: (event: Event) => Promise<void>,
): Promise<void> {
  let isTried = false;
  try {
    await editEvent(ifMatch, target, async (event) => {
      isTried = true;
      await attempt(event);
    });
  } catch (error) {
    if (!isTried || !(error instanceof DomainError) || error.code !== 'NotFound') throw error;
  }
}

function preconditionFailed(): DomainError {
  return new DomainError('PreconditionFailed', 'The event has changed since the version named in If-Match.');
}

/** Entity tag as the public interface shows it: without quote marks and weakness mark. */
export function plainEtag(etag: string): string {
  const text = etag.trim().replace(/^W\//i, '');
  // By hand, since callers write tags: an expression that looks for both ends takes cubic time for a row of quote marks.
  let marks = 0;
  while (2 * marks + 1 < text.length && text[marks] === '"' && text.at(-1 - marks) === '"') marks += 1;
  return text.slice(marks, text.length - marks);
}

/** Whether an `If-Match` (RFC 9110 §13.1.1) of a caller, whose tags are plain ones, names the version of an event. */
export function namesVersion(ifMatch: string, etag: string | null): boolean {
  if (ifMatch.trim() === '*') return true;
  return etag !== null && ifMatch.split(',').some((one) => plainEtag(one) === plainEtag(etag));
}

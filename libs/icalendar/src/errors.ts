/** Unreadable text: it has no VCALENDAR, or exceeds a limit. Broken lines never cause this error. */
export class IcsSyntaxError extends Error {
  override readonly name = 'IcsSyntaxError';
}

/** A value that would break out of its content line (RFC 5545 §3.1), or an invalid name. */
export class IcsValueError extends Error {
  override readonly name = 'IcsValueError';
}

/**
 * - `invalid`: a value breaks RFC 5545 and has no useful reading
 * - `unsupported`: valid, but not implemented (RFC 7529 calendars other than Gregorian)
 * - `too-large`: valid, but beyond the limits on instances or work
 */
export type RecurrenceErrorReason = 'invalid' | 'unsupported' | 'too-large';

/** A recurrence that cannot be expanded. `part` names the cause: `BYDAY`, `UNTIL`, `DTSTART`, `RRULE`. */
export class RecurrenceError extends Error {
  override readonly name = 'RecurrenceError';

  constructor(
    readonly reason: RecurrenceErrorReason,
    readonly part: string,
    message: string,
  ) {
    super(`${part}: ${message}`);
  }
}

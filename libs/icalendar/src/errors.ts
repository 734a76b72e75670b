/**
 * The text cannot be read as an iCalendar object at all: it holds no VCALENDAR, or passes a limit.
 * A single broken line is never a reason (it is kept and ignored).
 */
export class IcsSyntaxError extends Error {
  override readonly name = 'IcsSyntaxError';
}

/** A value that must not be written: it would break out of its content line (RFC 5545 §3.1) or is not a legal name. */
export class IcsValueError extends Error {
  override readonly name = 'IcsValueError';
}

/**
 * - `invalid`: a value breaks RFC 5545 and cannot be read in any useful way
 * - `unsupported`: legal, but not something this engine expands (RFC 7529 calendars other than Gregorian)
 * - `too-large`: legal, but beyond the caps on instances or work
 */
export type RecurrenceErrorReason = 'invalid' | 'unsupported' | 'too-large';

/** A recurrence that cannot be expanded. `part` names the culprit: `BYDAY`, `UNTIL`, `DTSTART`, `RRULE`. */
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

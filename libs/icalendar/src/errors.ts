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

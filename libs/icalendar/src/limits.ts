/** What one iCalendar object may cost before it is refused with IcsSyntaxError. */
export interface IcsLimits {
  /** Octets of the whole text. */
  maxBytes: number;
  /** Logical (unfolded) lines. Folds cost nothing here: they are bounded by `maxBytes`. */
  maxLines: number;
  /** Components within components; VCALENDAR is 1. */
  maxDepth: number;
  /** VEVENT components of the whole text. */
  maxEvents: number;
  /** ATTENDEE lines of one event, alarms included. A series with many changed instances repeats its attendees in each. */
  maxAttendees: number;
}

/** For one calendar object of a server or a caller. */
export const OBJECT_LIMITS: IcsLimits = {
  maxBytes: 1024 * 1024,
  maxLines: 10_000,
  maxDepth: 8,
  maxEvents: 1_000,
  maxAttendees: 2_000,
};

/** For texts from a trusted place, such as bulk imports and benchmarks. Only the nesting stays bounded. */
export const UNBOUNDED_LIMITS: IcsLimits = {
  maxBytes: Number.POSITIVE_INFINITY,
  maxLines: Number.POSITIVE_INFINITY,
  maxDepth: 64,
  maxEvents: Number.POSITIVE_INFINITY,
  maxAttendees: Number.POSITIVE_INFINITY,
};

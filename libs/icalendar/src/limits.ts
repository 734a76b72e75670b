/** Limits of one iCalendar object; beyond them parsing throws IcsSyntaxError. */
export interface IcsLimits {
  maxBytes: number;
  /** Logical (unfolded) lines. */
  maxLines: number;
  /** Folds. A 1 MiB object folded at 75 octets has 14,000. */
  maxFolds: number;
  /** Parameter values in all lines together. */
  maxParameters: number;
  /** Characters of all EXDATE and RDATE lines together. */
  maxDates: number;
  /** Characters before the value of one line, folds included. */
  maxHead: number;
  /** Depth of nested components; VCALENDAR is 1. */
  maxDepth: number;
  maxEvents: number;
  /** ATTENDEE lines of one event, alarms included. */
  maxAttendees: number;
  maxAlarms: number;
}

export const OBJECT_LIMITS: IcsLimits = {
  maxBytes: 1024 * 1024,
  maxLines: 10_000,
  maxFolds: 50_000,
  // Fifteen per attendee.
  maxParameters: 30_000,
  // 8,000 lines of one date, or 15,000 dates: three times the maximum number of instances.
  maxDates: 320 * 1024,
  // Thunderbird stores a formatted description in a parameter.
  maxHead: 256 * 1024,
  maxDepth: 8,
  maxEvents: 1_000,
  maxAttendees: 2_000,
  maxAlarms: 100,
};

/** For trusted texts, such as bulk imports and benchmarks. Only the depth stays bounded. */
export const UNBOUNDED_LIMITS: IcsLimits = {
  maxBytes: Number.POSITIVE_INFINITY,
  maxLines: Number.POSITIVE_INFINITY,
  maxFolds: Number.POSITIVE_INFINITY,
  maxParameters: Number.POSITIVE_INFINITY,
  maxDates: Number.POSITIVE_INFINITY,
  maxHead: Number.POSITIVE_INFINITY,
  maxDepth: 64,
  maxEvents: Number.POSITIVE_INFINITY,
  maxAttendees: Number.POSITIVE_INFINITY,
  maxAlarms: Number.POSITIVE_INFINITY,
};

/** What one iCalendar object may cost before it is refused with IcsSyntaxError. */
export interface IcsLimits {
  maxBytes: number;
  /** Logical (unfolded) lines. */
  maxLines: number;
  /** Places where a line is folded. An object of that size, folded at 75 octets, has 14,000. */
  maxFolds: number;
  /** Values of parameters, of all lines together. */
  maxParameters: number;
  /** Characters of EXDATE and RDATE lines, of all together. */
  maxDates: number;
  /** Characters before the value of one line, folds included. */
  maxHead: number;
  /** Components within components; VCALENDAR is 1. */
  maxDepth: number;
  maxEvents: number;
  /** ATTENDEE lines of one event, alarms included. */
  maxAttendees: number;
  maxAlarms: number;
}

/** For one calendar object of a server or a caller. */
export const OBJECT_LIMITS: IcsLimits = {
  maxBytes: 1024 * 1024,
  maxLines: 10_000,
  maxFolds: 50_000,
  // Fifteen for each attendee.
  maxParameters: 30_000,
  // 8,000 lines of one date, or 15,000 dates: three times the instances that are shown.
  maxDates: 320 * 1024,
  // Thunderbird keeps a description with its layout in a parameter.
  maxHead: 256 * 1024,
  maxDepth: 8,
  maxEvents: 1_000,
  maxAttendees: 2_000,
  maxAlarms: 100,
};

/** For texts from a trusted place, such as bulk imports and benchmarks. Only the nesting stays bounded. */
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

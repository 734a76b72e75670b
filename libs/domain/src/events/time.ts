/** A civil date. It has no zone and never shifts (RFC 5545 §3.3.4). `date` is `YYYY-MM-DD`. */
export interface CivilDate {
  kind: 'date';
  date: string;
}

/** A wall-clock time as the provider holds it, with what is known about where that clock hangs. */
export interface WallTime {
  kind: 'dateTime';
  /** `YYYY-MM-DDTHH:MM:SS`, no offset. */
  local: string;
  /** IANA id; a name nobody knows, passed through; null for a floating time (RFC 5545 §3.3.5, form 1). */
  timeZone: string | null;
  /** UTC offset in force at `local`, in minutes; null for floating times and for zones nobody knows. */
  offsetMinutes: number | null;
}

export type EventTime = CivilDate | WallTime;

/** A time as a caller writes it. */
export interface WallTimeInput {
  kind: 'dateTime';
  /** `YYYY-MM-DDTHH:MM:SS`. */
  local: string;
  /** Minutes, when the caller wrote an offset or `Z`; null when not. */
  offsetMinutes: number | null;
  /** IANA id, checked; null when the caller gave none. With an offset it is the zone to express the instant in. */
  timeZone: string | null;
}

/** Another zone alone: the clock keeps its time. A date has no zone, and stays. */
export interface TimeZoneInput {
  kind: 'timeZone';
  /** IANA id, checked. */
  timeZone: string;
}

/** When something is, as a caller writes it. */
export type GivenTimeInput = CivilDate | WallTimeInput;

/** A change of when something is. */
export type EventTimeInput = GivenTimeInput | TimeZoneInput;

/** Half-open window of instants, epoch milliseconds. Either bound may be missing. */
export interface TimeWindow {
  startMs: number | null;
  endMs: number | null;
}

/** Half-open window with both bounds. */
export interface BoundedWindow {
  startMs: number;
  endMs: number;
}

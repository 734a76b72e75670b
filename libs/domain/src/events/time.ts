/** A calendar date, `YYYY-MM-DD`. It has no zone and never shifts (RFC 5545 §3.3.4). */
export interface CivilDate {
  kind: 'date';
  date: string;
}

export interface WallTime {
  kind: 'dateTime';
  /** `YYYY-MM-DDTHH:MM:SS`, no offset. */
  local: string;
  /** IANA id, or an unknown name passed through. null for a floating time (RFC 5545 §3.3.5, form 1). */
  timeZone: string | null;
  /** UTC offset at `local`, in minutes. null for floating times and unknown zones. */
  offsetMinutes: number | null;
}

export type EventTime = CivilDate | WallTime;

export interface WallTimeInput {
  kind: 'dateTime';
  local: string;
  /** Minutes. null when the caller wrote neither an offset nor `Z`. */
  offsetMinutes: number | null;
  /** Valid IANA id. null when not given. With an offset, the zone in which the instant is expressed. */
  timeZone: string | null;
}

/** Changes the zone only: the wall-clock time stays. A date has no zone and stays. */
export interface TimeZoneInput {
  kind: 'timeZone';
  timeZone: string;
}

export type GivenTimeInput = CivilDate | WallTimeInput;

export type EventTimeInput = GivenTimeInput | TimeZoneInput;

export interface TimeWindow {
  startMs: number | null;
  endMs: number | null;
}

export interface BoundedWindow {
  startMs: number;
  endMs: number;
}

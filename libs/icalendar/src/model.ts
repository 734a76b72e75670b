/** Name → value or values. The writer quotes and RFC 6868-encodes them. */
export type PropertyParameters = Record<string, string | string[]>;

/** Read-only view of one content line (RFC 5545 §3.1). */
export interface IcsProperty {
  /** Upper-case. */
  readonly name: string;
  /** Unfolded and UTF-8-decoded, but not unescaped: use `unescapeText` for TEXT values. */
  readonly value: string;
  /** First value, unquoted and RFC 6868-decoded; the name is case-insensitive. */
  parameter(name: string): string | undefined;
  parameterValues(name: string): string[];
  /** The unfolded line as written: `EXDATE;TZID=Europe/Berlin:20260101T090000`. */
  readonly line: string;
}

/** Read-only view of a component (VCALENDAR, VEVENT, VALARM, …). */
export interface IcsComponent {
  /** Upper-case. */
  readonly name: string;
  readonly properties: readonly IcsProperty[];
  readonly components: readonly IcsComponent[];
  property(name: string): IcsProperty | undefined;
  propertiesNamed(name: string): IcsProperty[];
  componentsNamed(name: string): IcsComponent[];
}

/** A DATE or DATE-TIME value with its TZID as written. `local`: `YYYY-MM-DDTHH:MM:SS`. */
export type IcsTime =
  | { kind: 'date'; date: string }
  | { kind: 'utc'; local: string }
  | { kind: 'floating'; local: string }
  | { kind: 'zoned'; local: string; tzid: string };

/** A resolved TZID. Wall-clock times are `Date.UTC` milliseconds of their fields. */
export interface Zone {
  /** Canonical IANA id when known, else the TZID as written. */
  readonly timeZone: string;
  /** False when no IANA id, alias, Windows name or VTIMEZONE defines it; offsets are then null. */
  readonly isKnown: boolean;
  /** In a gap uses the offset before it, in an overlap the first of the two (RFC 5545 §3.3.5). */
  toInstant(wallMs: number): number | null;
  toWall(instantMs: number): number | null;
}

/** Resolves the TZIDs of one object: IANA, alias, prefixed, Windows, embedded VTIMEZONE, in this order. */
export interface ZoneSource {
  zone(tzid: string): Zone;
}

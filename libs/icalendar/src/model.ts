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

/**
 * An editable component. Unchanged lines keep their bytes: order, folding, quoting, line ends. New lines are folded at
 * 75 octets and follow the last line of the same name, else precede the first sub-component or END.
 */
export interface EditableComponent extends IcsComponent {
  readonly components: readonly EditableComponent[];
  componentsNamed(name: string): EditableComponent[];
  /**
   * Replaces the first property of this name in place and removes further ones, or adds it. Without `parameters` the
   * existing ones stay; given ones replace all.
   * @throws IcsValueError for control characters, CR and LF included
   */
  setProperty(name: string, value: string, parameters?: PropertyParameters): void;
  addProperty(name: string, value: string, parameters?: PropertyParameters): void;
  /** Rewrites one property in place; without `parameters` the existing ones stay. */
  replaceProperty(property: IcsProperty, value: string, parameters?: PropertyParameters): void;
  /** Sets one parameter, or removes it for null. Keeps the rest of the line. */
  setParameter(property: IcsProperty, name: string, value: string | null): void;
  removeProperty(property: IcsProperty): void;
  removeProperties(name: string): void;
  removeComponent(component: IcsComponent): void;
  /** Adds a component (BEGIN … END) after the last one of the same name; VTIMEZONE before the first VEVENT. */
  addComponent(text: string): EditableComponent;
  /** Text with the bytes of the document, BEGIN and END included. */
  readonly text: string;
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

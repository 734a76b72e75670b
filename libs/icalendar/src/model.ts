/** Parameters of a property as written by us: name → value or values. Quoted and RFC 6868-encoded by the writer. */
export type PropertyParameters = Record<string, string | string[]>;

/** One content line (RFC 5545 §3.1), read-only view. */
export interface IcsProperty {
  /** Upper-case. */
  readonly name: string;
  /** Unfolded and decoded from UTF-8, but not unescaped: use `unescapeText` for TEXT values. */
  readonly value: string;
  /** First value of a parameter, unquoted, RFC 6868-decoded; name case-insensitive. */
  parameter(name: string): string | undefined;
  parameterValues(name: string): string[];
  /** The whole unfolded line, as written: `EXDATE;TZID=Europe/Berlin:20260101T090000`. */
  readonly line: string;
}

/** A component (VCALENDAR, VEVENT, VALARM, …), read-only view. */
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
 * A component that can be changed. Lines that are not touched keep their bytes: order, folding, quoting, line ends.
 * New lines are folded at 75 octets, end like the document's other lines, and go after the last line of the same name,
 * else before the first sub-component or END.
 */
export interface EditableComponent extends IcsComponent {
  readonly components: readonly EditableComponent[];
  componentsNamed(name: string): EditableComponent[];
  /**
   * Replaces the value of the first property of this name where it stands and removes further ones, or adds it.
   * `parameters` undefined keeps the parameters that are there; given, they replace all of them.
   * @throws IcsValueError when a value holds control characters (CR and LF included)
   */
  setProperty(name: string, value: string, parameters?: PropertyParameters): void;
  addProperty(name: string, value: string, parameters?: PropertyParameters): void;
  /** Rewrites one given property where it stands; `parameters: undefined` keeps its parameters. */
  replaceProperty(property: IcsProperty, value: string, parameters?: PropertyParameters): void;
  /** Sets (or, with null, removes) one parameter of one property, keeping everything else of the line. */
  setParameter(property: IcsProperty, name: string, value: string | null): void;
  removeProperty(property: IcsProperty): void;
  removeProperties(name: string): void;
  removeComponent(component: IcsComponent): void;
  /**
   * Adds a component from its own text lines (BEGIN … END, unfolded or folded), after the last one of the same name,
   * VTIMEZONE before the first VEVENT.
   */
  addComponent(text: string): EditableComponent;
  /** The component's text with the bytes it has in the document, BEGIN and END included. */
  readonly text: string;
}

/** A DATE or DATE-TIME value with its TZID as written. `local`: `YYYY-MM-DDTHH:MM:SS`. */
export type IcsTime =
  | { kind: 'date'; date: string }
  | { kind: 'utc'; local: string }
  | { kind: 'floating'; local: string }
  | { kind: 'zoned'; local: string; tzid: string };

/** What a TZID turned out to be. */
export interface Zone {
  /** IANA id when known (canonical case), else the TZID as written. */
  readonly timeZone: string;
  /** False when neither IANA, alias, Windows nor an embedded VTIMEZONE defines it: offsets are then null. */
  readonly isKnown: boolean;
  /**
   * Instant of a wall-clock time. Gap: offset before it; overlap: the first of the two (RFC 5545 §3.3.5).
   * Wall-clock times travel as `Date.UTC` milliseconds of their fields.
   */
  toInstant(wallMs: number): number | null;
  toWall(instantMs: number): number | null;
}

/** Resolves the TZIDs of one iCalendar object: IANA, alias, prefixed, Windows, embedded VTIMEZONE, in this order. */
export interface ZoneSource {
  zone(tzid: string): Zone;
}

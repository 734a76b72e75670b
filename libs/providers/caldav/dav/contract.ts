export interface DavElement {
  name: string;
  attributes: Readonly<Record<string, string>>;
  /** Concatenated text content, CDATA included, not trimmed. */
  text: string;
  children: DavElement[];
}

/** One `response` of a multistatus (RFC 4918 §14.24). */
export interface DavResponse {
  /** Raw, as sent: use it for requests. */
  href: string;
  /** Percent-decoded absolute path: use it to compare. null when it points to another origin. */
  path: string | null;
  /** Of the response itself when it carries one, else null. */
  status: number | null;
  /** Only properties whose propstat was 2xx. */
  properties: Map<string, DavElement>;
  refused: Map<string, number>;
}

export interface Multistatus {
  responses: DavResponse[];
  syncToken: string | null;
  /** A 507 on the request-URI: the answer is cut, go on with `syncToken`. */
  truncated: boolean;
}

export interface DavAnswer {
  status: number;
  /** Strong or weak entity tag as sent; null when there is none. */
  etag: string | null;
  scheduleTag: string | null;
  location: string | null;
  lastModified: string | null;
  body: Buffer;
  /** `{namespace}local` of the precondition inside of a DAV:error body; null when there is none. */
  precondition: string | null;
}

export interface PutOptions {
  /** A strong etag. */
  ifMatch?: string;
  ifNoneMatch?: '*';
  ifScheduleTagMatch?: string;
}

/** What discovery learned; stored in `providerState`, versioned, re-made when its shape is unknown. */
export interface CalDavAccount {
  version: 1;
  /** `https://host[:port]` that the hrefs below are relative to (partition host for iCloud). */
  origin: string;
  principalHref: string | null;
  homeHrefs: string[];
  /** Set when the account consists of exactly one collection (a pasted calendar URL). */
  collectionHref: string | null;
  /** Lower-cased e-mail addresses, preferred one first. */
  addresses: string[];
  /** All forms of calendar-user-address-set, raw, preferred one first. */
  addressUris: string[];
  /** Tokens of the DAV header of the home: `calendar-auto-schedule`, `calendar-no-timezone`, … */
  dav: string[];
  discoveredAt: string;
}

export interface CalendarCollection {
  id: string;
  /** Raw href, trailing slash. */
  href: string;
  displayName: string;
  color: string | null;
  timeZone: string | null;
  readOnly: boolean;
  isShared: boolean;
  order: number | null;
  /** true, false, or null when the server does not say. */
  supportsSyncCollection: boolean | null;
  supportsMultiget: boolean | null;
  /** Only read-free-busy: events cannot be read. */
  freeBusyOnly: boolean;
  minDateTime: string | null;
  maxDateTime: string | null;
}

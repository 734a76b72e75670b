export interface DavElement {
  name: string;
  attributes: Readonly<Record<string, string>>;
  /** Concatenated text content, CDATA included, not trimmed. */
  text: string;
  children: DavElement[];
}

/** One `response` of a multistatus (RFC 4918 §14.24). */
export interface DavResponse {
  /** Raw, for requests. */
  href: string;
  /** Percent-decoded absolute path, for comparisons; null for another origin. */
  path: string | null;
  /** Status of the response itself; null when only propstats carry one. */
  status: number | null;
  /** Only properties with a 2xx propstat. */
  properties: Map<string, DavElement>;
  rejected: Map<string, number>;
}

export interface Multistatus {
  responses: DavResponse[];
  syncToken: string | null;
  /** True for a 507 on the request URI: the response is partial and continues from `syncToken`. */
  truncated: boolean;
}

export interface DavHttpResponse {
  status: number;
  /** Strong or weak entity tag as sent; null when the server sends none. */
  etag: string | null;
  scheduleTag: string | null;
  location: string | null;
  lastModified: string | null;
  body: Buffer;
  /** `{namespace}local` of the precondition in a DAV:error body; null without one. */
  precondition: string | null;
}

export interface PutOptions {
  /** A strong etag. */
  ifMatch?: string;
  ifNoneMatch?: '*';
  ifScheduleTagMatch?: string;
}

/** Result of discovery, stored in `providerState`. Discovery runs again when the version is unknown. */
export interface CalDavAccount {
  version: 1;
  /** `https://host[:port]` of the hrefs below (the partition host for iCloud). */
  origin: string;
  principalHref: string | null;
  homeHrefs: string[];
  /** Set when the account consists of one collection (a pasted calendar URL). */
  collectionHref: string | null;
  /** Lower-cased e-mail addresses, preferred one first. */
  addresses: string[];
  /** All raw forms of calendar-user-address-set, preferred one first. */
  addressUris: string[];
  /** Tokens of the home's DAV header, such as `calendar-auto-schedule` or `calendar-no-timezone`. */
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
  /** null when the server does not report it. */
  supportsSyncCollection: boolean | null;
  supportsMultiget: boolean | null;
  /** True when the user may read free-busy only. */
  freeBusyOnly: boolean;
  minDateTime: string | null;
  maxDateTime: string | null;
  /** Of the time when the collection was read; null without a reliable one. */
  changeTag: string | null;
}

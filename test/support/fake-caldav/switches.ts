import type { XmlStyle } from './xml.js';

export interface RecordedRequest {
  method: string;
  /** As sent, percent-encoded. */
  path: string;
  /** Lower-case names. */
  headers: Record<string, string>;
  body: string;
  /** `host:port` of the listener that got it: main or partition. */
  authority: string;
}

export interface FakeResponse {
  status: number;
  headers?: Record<string, string>;
  body?: string | Buffer;
}

/**
 * What the fake server does differently from a well-behaved one. All of it may be changed while it runs.
 * Figures in comments: caldav-apple.md sections where a real server does so.
 */
export interface FakeSwitches {
  /**
   * Runs before anything else; an answer ends the request. `hang`: no answer ever. `endless`: a body without end. `reset`,
   * `reset-after`: the connection breaks before, or after, the request has done its work.
   */
  intercept:
    ((request: RecordedRequest) => FakeResponse | 'hang' | 'endless' | 'reset' | 'reset-after' | undefined) | null;
  authentication: 'basic' | 'digest-md5' | 'digest-sha256' | 'bearer' | 'negotiate' | 'none';
  /** Path → redirect. `location` may be relative or absolute. */
  redirects: Record<string, { status: 301 | 302 | 303 | 307 | 308; location: string }>;
  /** Paths outside of principal and home that answer PROPFIND as an entry point. */
  entryPaths: string[];
  /** What any other path answers. */
  elsewhere: 'html' | 'not-found' | 'method-not-allowed';
  currentUserPrincipal: 'href' | 'unauthenticated' | 'absent';
  /** null: the home of this server, or of its partition when there is one. */
  homeSet: string[] | null;
  /** XML of calendar-user-address-set; null: mailto of the login, preferred. */
  addressSet: string | null;
  xmlStyle: XmlStyle;
  hrefStyle: 'as-stored' | 'decoded' | 'lower-case-escapes' | 'absolute';
  davHeader: string;
  /** calendar-timezone in listings of a home, too; else only of a calendar that is asked by itself (DAViCal). */
  zonesListed: boolean;
  /** The collection itself among its members (iCloud), in depth-1 PROPFIND always. */
  ownListing: boolean;
  /** supported-report-set as Xandikos 0.2.8 writes it: without the inner `report` element. */
  reportSet: 'full' | 'without-inner-report' | 'absent';
  syncCollection: 'works' | 400 | 403 | 405 | 415 | 422 | 501;
  /** Answers in pages of this many names, cut by a 507. */
  syncPageSize: number | null;
  /** A resource made after the token and deleted again is not told as deleted (RFC 6578 §3.5.2; Xandikos). */
  omitsShortLived: boolean;
  /** `as-initial`: answered like a request without a token, so that what is gone is left out (DAViCal). */
  invalidSyncToken: 403 | 409 | 410 | 412 | 500 | 'accepted' | 'as-initial';
  /**
   * min-date-time and max-date-time of calendars. What lies outside of them is stored all the same; a time-range that
   * goes beyond them is answered (Cyrus) or refused (RFC 4791 §7.8).
   */
  timeLimits: { min: string; max: string; beyond: 'answered' | 403 } | null;
  /** getctag and sync-token properties of collections. */
  changeTags: 'both' | 'ctag' | 'none';
  /** Of objects, in reports and GET. `euro`: a tag that no header can carry, in reports alone. */
  etags: 'strong' | 'weak' | 'none' | 'euro';
  putEtag: 'strong' | 'weak' | 'none';
  /** New objects get another name: told by Location, or not at all. */
  renameOnPut: 'no' | 'location' | 'silent';
  /** What PUT and DELETE do instead of working; `multistatus`: 207 with this status inside (Xandikos). */
  writeFailure: { status: number; precondition?: string; multistatus?: boolean } | null;
  /** How many writes still fail as `writeFailure` says; Infinity: all. */
  writeFailures: number;
  /** Schedule-Tag header on GET and PUT. */
  scheduleTags: boolean;
  /** The body that is stored, when the server normalises. */
  rewrite: ((body: string) => string) | null;
  /** The lines inside of VFREEBUSY that a free-busy-query answers with; null: it is not supported (iCloud). */
  freeBusyLines: string[] | null;
  multigetMissing: 'per-item' | 'omitted' | 'whole-404' | 'whole-403';
  /** Hrefs that a multiget does not find although they are listed (iCloud). */
  staleHrefs: Set<string>;
  /** Hrefs of another origin that are added to every listing and report. */
  foreignHrefs: string[];
  /** The next `times` requests get this. */
  throttle: { status: 429 | 503; retryAfter?: string; times: number; methods?: string[] } | null;
  /** The next so many requests are answered 401 whatever they carry. */
  unauthorized: number;
  /** Put before every multistatus. */
  prolog: string;
  mkcalendar: 'works' | 403 | 405 | 501 | 507;
  mkcol: 'works' | 403 | 405;
  /** Properties that are not kept at creation, silently. */
  creationIgnores: string[];
  /** Property → status in PROPPATCH; 200 means: said to be done, silently ignored. */
  proppatchRefuses: Record<string, number>;
  /** calendar-color must be `#RRGGBBAA` (SOGo). */
  strictColor: boolean;
  deleteCalendar: 'works' | 403;
}

export function defaultSwitches(): FakeSwitches {
  return {
    intercept: null,
    authentication: 'basic',
    redirects: {},
    entryPaths: ['/'],
    elsewhere: 'not-found',
    currentUserPrincipal: 'href',
    homeSet: null,
    addressSet: null,
    xmlStyle: 'prefixed',
    hrefStyle: 'as-stored',
    davHeader: '1, 3, access-control, calendar-access',
    zonesListed: true,
    ownListing: false,
    reportSet: 'full',
    syncCollection: 'works',
    syncPageSize: null,
    omitsShortLived: false,
    invalidSyncToken: 403,
    timeLimits: null,
    changeTags: 'both',
    etags: 'strong',
    putEtag: 'strong',
    renameOnPut: 'no',
    writeFailure: null,
    writeFailures: Infinity,
    scheduleTags: false,
    rewrite: null,
    freeBusyLines: null,
    multigetMissing: 'per-item',
    staleHrefs: new Set(),
    foreignHrefs: [],
    throttle: null,
    unauthorized: 0,
    prolog: '',
    mkcalendar: 'works',
    mkcol: 'works',
    creationIgnores: [],
    proppatchRefuses: {},
    strictColor: false,
    deleteCalendar: 'works',
  };
}

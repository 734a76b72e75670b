/** A person with a Google account in this sandbox. */
export interface GoogleUser {
  /** Permanent key, decimal digits. */
  sub: string;
  email: string;
  name: string;
  /** IANA id: zone of the primary calendar. */
  timeZone: string;
  /** Workspace users have status events (out of office, focus time). */
  workspace: boolean;
}

/** One request to the Calendar API that is allowed by the discovery document and by the token that it carries. */
export interface CalendarApiRequest {
  /** `calendar.events.patch`, as the discovery document calls it. */
  methodId: string;
  user: GoogleUser;
  /** Of the grant; every scope when the control API acts as the user. */
  scopes: readonly string[];
  /** Decoded path parameters. */
  path: Readonly<Record<string, string>>;
  /** Typed as the discovery document says; repeated ones as arrays. */
  query: Readonly<Record<string, string | number | boolean | readonly string[]>>;
  /** Parsed body; null when there is none. */
  body: Record<string, unknown> | null;
  /** Lower-case names. */
  headers: Readonly<Record<string, string>>;
}

export interface CalendarApiAnswer {
  status: number;
  headers?: Record<string, string>;
  /** JSON; null: no body. */
  body: unknown;
}

/** One entry of a Google error body. */
export interface GoogleErrorItem {
  domain: string;
  reason: string;
  message: string;
  locationType?: string;
  location?: string;
}

/** A request that Google refuses, in Google's words. Becomes `{ error: { code, message, errors: [item] } }`. */
export class GoogleRefusal extends Error {
  override readonly name = 'GoogleRefusal';

  constructor(
    readonly status: number,
    readonly item: GoogleErrorItem,
    /** `PERMISSION_DENIED` and its like, with `details`, where Google sends them; `message` where it is not the item's. */
    readonly extra: { message?: string; status?: string; details?: unknown[] } = {},
  ) {
    super(item.message);
  }
}

/** A change of a watched collection, to be told to its channels. */
export interface Notification {
  address: string;
  headers: Record<string, string>;
}

/** What the calendars need of the house around them. */
export interface CalendarApiHost {
  /** The sandbox's clock, which tests can move. */
  nowMs(): number;
  /** The user behind an address, if it is one of the sandbox: invitations land in that user's primary calendar. */
  findUser(email: string): GoogleUser | undefined;
  /** Sends a channel message; never throws, never waits. */
  notify(notification: Notification): void;
  /**
   * Notes that the client did what the real service may tolerate but a correct client never does (a read-only field in
   * a body, a deprecated parameter): tests fail on it.
   */
  violation(message: string): void;
}

/** The calendars of all users: everything behind `/calendar/v3`. Deterministic. */
export interface CalendarApi {
  /** Gives a new user a primary calendar. */
  addUser(user: GoogleUser): void;
  /** @throws GoogleRefusal */
  handle(request: CalendarApiRequest): CalendarApiAnswer;
  /** Every sync token given out so far for these calendars (or all) is answered with 410 from now on. */
  expireSyncTokens(match: { email?: string; calendarId?: string }): number;
  /** Page tokens likewise are refused from now on. */
  expirePageTokens(): void;
  /** Conference links of new events stay pending until this much later, milliseconds; `fail` makes none. */
  setConference(behaviour: { pendingMs: number; fail: boolean }): void;
  /** Live channels: id, address, calendar (null: the calendar list), owner, expiration in epoch milliseconds. */
  channels(): { id: string; address: string; calendarId: string | null; email: string; expirationMs: number }[];
  /** Ends a channel without telling anybody, as Google sometimes does. */
  dropChannel(id: string): boolean;
  /** Everything but page tokens and the behaviour of conferences, as JSON. */
  snapshot(): unknown;
  /**
   * Goes on from a snapshot, instead of what there is.
   * @param snapshot what {@link snapshot} gave, in this process or an earlier one
   */
  restore(snapshot: unknown): void;
  /**
   * Leaves out a million ids, tokens and etags: a process that was killed may have given some out after its last
   * snapshot, and clients must not meet them again on something else.
   */
  skipAhead(): void;
  /** Forgets everything. */
  reset(): void;
}

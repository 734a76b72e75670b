import type { ApiAnswer } from '../http/message.js';

export type CalendarApiAnswer = ApiAnswer;

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

import type { ApiAnswer } from '../http/message.js';

export type CalendarApiResponse = ApiAnswer;

/** A person with a Google account in this sandbox. */
export interface GoogleUser {
  /** Permanent key, decimal digits. */
  sub: string;
  email: string;
  name: string;
  /** IANA zone of the primary calendar. */
  timeZone: string;
  /** Workspace users have status events (out of office, focus time). */
  workspace: boolean;
}

/** A request that the discovery document and its token allow. */
export interface CalendarApiRequest {
  /** Id in the discovery document, such as `calendar.events.patch`. */
  methodId: string;
  user: GoogleUser;
  /** Scopes of the grant; every scope for calls of the control API. */
  scopes: readonly string[];
  path: Readonly<Record<string, string>>;
  /** Types of the discovery document; repeated parameters as arrays. */
  query: Readonly<Record<string, string | number | boolean | readonly string[]>>;
  /** Parsed body; null without one. */
  body: Record<string, unknown> | null;
  /** Lower-case names. */
  headers: Readonly<Record<string, string>>;
}

export interface GoogleErrorItem {
  domain: string;
  reason: string;
  message: string;
  locationType?: string;
  location?: string;
}

/** A refusal in Google's words. Becomes `{ error: { code, message, errors: [item] } }`. */
export class GoogleErrorResponse extends Error {
  override readonly name = 'GoogleErrorResponse';

  constructor(
    readonly status: number,
    readonly item: GoogleErrorItem,
    /** `status` (`PERMISSION_DENIED`) and `details` as sent by Google; `message` when it differs from the item's. */
    readonly extra: { message?: string; status?: string; details?: unknown[] } = {},
  ) {
    super(item.message);
  }
}

/** Notification of a channel about a change. */
export interface Notification {
  address: string;
  headers: Record<string, string>;
}

/** Services that the calendars need from the sandbox. */
export interface CalendarApiHost {
  /** The sandbox's clock, which tests can move. */
  nowMs(): number;
  /** Returns the sandbox user of an address, whose primary calendar receives invitations. */
  findUser(email: string): GoogleUser | undefined;
  /** Sends a channel message; neither throws nor waits. */
  notify(notification: Notification): void;
  /** Records a call that a correct client never makes, even if the real service tolerates it. Tests fail on it. */
  violation(message: string): void;
}

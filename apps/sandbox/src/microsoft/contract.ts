import type { ApiAnswer } from '../http/message.js';

export type GraphResponse = ApiAnswer;

/** A person with a Microsoft account in this sandbox. */
export interface MicrosoftUser {
  /** Object id, a UUID: permanent within its directory. */
  oid: string;
  /** Directory id; 9188040d-6c67-4c5b-b112-36a304b66dad for personal accounts. */
  tid: string;
  /** Primary SMTP address; null without one. */
  email: string | null;
  /** `mail` of the profile and claim `email`, any text of an administrator; absent for the value of `email`. */
  mail?: string | null;
  /** The claim `xms_edov`; absent when the client's registration does not request it. */
  xmsEdov?: boolean;
  userPrincipalName: string;
  displayName: string;
  /** As in Exchange: `W. Europe Standard Time`, or an IANA id. */
  mailboxTimeZone: string;
  kind: 'work' | 'personal';
  /** False for guests and unlicensed users: calendar calls return 404 `MailboxNotEnabledForRESTAPI`. */
  hasMailbox: boolean;
}

/** A request that the OpenAPI document and its token allow. */
export interface GraphRequest {
  /** Id in the OpenAPI document. */
  operationId: string;
  user: MicrosoftUser;
  /** The client that acts for the user; null for calls of the control API. */
  clientId: string | null;
  /** Scopes of the grant; every scope for calls of the control API. */
  scopes: readonly string[];
  path: Readonly<Record<string, string>>;
  /** Decoded; `$` options by their names with the dollar sign. */
  query: Readonly<Record<string, string>>;
  /** Parsed body; null without one. */
  body: Record<string, unknown> | null;
  /** Lower-case names. */
  headers: Readonly<Record<string, string>>;
  /** Preferences of the `Prefer` headers, names in lower case: `outlook.timezone` → `UTC`, `idtype` → `ImmutableId`. */
  prefer: Readonly<Record<string, string>>;
}

export interface Call extends GraphRequest {
  /** Absolute, without query. */
  url: string;
  /** True when the path names no calendar and means every own event. */
  isAnyOwn: boolean;
}

/** A refusal in Graph's words. Becomes `{ error: { code, message, innerError } }`. */
export class GraphErrorResponse extends Error {
  override readonly name = 'GraphErrorResponse';

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

/** Services that the calendars need from the sandbox. */
export interface GraphHost {
  nowMs(): number;
  /** Public origin of Graph, for links in responses. */
  graphUrl(): string;
  /** Returns the sandbox user of an address. */
  findUser(email: string): MicrosoftUser | undefined;
  /** Validates a notification URL (`?validationToken=`); false without a correct response within 10 s. */
  validate(notificationUrl: string): Promise<boolean>;
  /** Sends a notification; neither throws nor waits. */
  notify(url: string, body: unknown): void;
  /** Records a call that a correct client never makes. Tests fail on it. */
  violation(message: string): void;
}

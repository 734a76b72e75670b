import type { ApiAnswer } from '../http/message.js';

export type GraphAnswer = ApiAnswer;

/** A person with a Microsoft account in this sandbox. */
export interface MicrosoftUser {
  /** Object id, a UUID: permanent within its directory. */
  oid: string;
  /** Directory id; 9188040d-6c67-4c5b-b112-36a304b66dad for personal accounts. */
  tid: string;
  /** Primary SMTP address; null: none. */
  email: string | null;
  /** What the profile and the claim `email` say, which an administrator can make any text; left out: as `email`. */
  mail?: string | null;
  /** The claim `xms_edov`; left out: the client's registration does not ask for it. */
  xmsEdov?: boolean;
  userPrincipalName: string;
  displayName: string;
  /** As Exchange names it: `W. Europe Standard Time`, or an IANA id. */
  mailboxTimeZone: string;
  kind: 'work' | 'personal';
  /** Guests and unlicensed users have none: calendar calls answer 404 `MailboxNotEnabledForRESTAPI`. */
  hasMailbox: boolean;
}

/** One request to Graph that the OpenAPI document and the token that it carries allow. */
export interface GraphRequest {
  /** As the OpenAPI document calls it. */
  operationId: string;
  user: MicrosoftUser;
  /** The program that acts for the user; null when it is the user, by the control API. */
  clientId: string | null;
  /** Of the grant; every scope when the control API acts as the user. */
  scopes: readonly string[];
  /** Decoded path parameters. */
  path: Readonly<Record<string, string>>;
  /** Decoded; `$`-options by their names with the dollar sign. */
  query: Readonly<Record<string, string>>;
  /** Parsed body; null when there is none. */
  body: Record<string, unknown> | null;
  /** Lower-case names. */
  headers: Readonly<Record<string, string>>;
  /** Of the `Prefer` headers, names in lower case: `outlook.timezone` → `UTC`, `idtype` → `ImmutableId`. */
  prefer: Readonly<Record<string, string>>;
}

/** A request, with the address that it came to. */
export interface Call extends GraphRequest {
  /** Absolute, without a query. */
  url: string;
  /** The path names no calendar, and means every event of the user's own. */
  isAnyOwn: boolean;
}

/** A request that Graph refuses, in its words. Becomes `{ error: { code, message, innerError } }`. */
export class GraphRefusal extends Error {
  override readonly name = 'GraphRefusal';

  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

/** What the calendars need of the house around them. */
export interface GraphHost {
  nowMs(): number;
  /** Origin of Graph as clients know it: links that are given out begin with it. */
  graphUrl(): string;
  /** The user behind an address, if it is one of the sandbox. */
  findUser(email: string): MicrosoftUser | undefined;
  /** Asks a notification URL for its consent (`?validationToken=`); false when it does not answer rightly within 10 s. */
  validate(notificationUrl: string): Promise<boolean>;
  /** Sends a notification body; never throws, never waits. */
  notify(url: string, body: unknown): void;
  /** Notes what a correct client never does: tests fail on it. */
  violation(message: string): void;
}

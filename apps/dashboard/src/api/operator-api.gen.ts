// Generated from docs/openapi-operator.json.

export type ClientOptions = {
  baseUrl: `${string}://${string}` | (string & {});
};

export type SsoButton = {
  /**
   * What it says.
   */
  label: string;
};

export type SignInOptions = {
  /**
   * null: there is no single sign-on.
   */
  sso: SsoButton | null;
  /**
   * There is no operator yet: the log of the api says how to make the first one.
   */
  needsSetup: boolean;
  /**
   * false: operators sign in by single sign-on alone.
   */
  hasPasswords: boolean;
};

export type SignIn = {
  /**
   * In any case of letters.
   */
  email: string;
  /**
   * The operator's.
   */
  password: string;
};

/**
 * `viewer` reads, `admin` changes as well.
 */
export type OperatorRole = 'admin' | 'viewer';

export type Operator = {
  /**
   * `viewer` reads, `admin` changes as well.
   */
  role: OperatorRole;
  /**
   * Creation time.
   */
  createdAt: string;
  /**
   * null: never yet.
   */
  lastSignInAt: string | null;
  id: string;
  /**
   * In lower case.
   */
  email: string;
  name: string;
  /**
   * false: signs in by single sign-on alone.
   */
  hasPassword: boolean;
};

export type Session = {
  /**
   * When it ends for lack of requests; each request moves it on, until `endsAt`.
   */
  idleUntil: string;
  /**
   * When it ends at the latest.
   */
  endsAt: string;
  /**
   * Whose it is.
   */
  operator: Operator;
  /**
   * Goes into the header `x-csrf-token` of every request that changes something.
   */
  csrfToken: string;
};

export type Reauthenticate = {
  /**
   * The operator's.
   */
  password: string;
};

export type UpdatePassword = {
  /**
   * The one of until now.
   */
  currentPassword: string;
  /**
   * 12 to 256 characters.
   */
  newPassword: string;
};

export type OwnSession = {
  /**
   * What the browser called itself, in short; null: nothing that is known.
   */
  device: string | null;
  /**
   * From where it signed in: an IPv4 address, or the /64 of an IPv6 one; null: it is not known.
   */
  network: string | null;
  /**
   * When it began.
   */
  createdAt: string;
  /**
   * To the minute.
   */
  lastUsedAt: string;
  /**
   * Another one after each reauthentication.
   */
  id: string;
  /**
   * The one that asks.
   */
  isCurrent: boolean;
};

export type OwnSessionList = {
  /**
   * The latest first.
   */
  data: Array<OwnSession>;
};

export type StartedSso = {
  /**
   * The sign-in page of the identity provider.
   */
  url: string;
};

export type OperatorList = {
  /**
   * In the order of their addresses.
   */
  data: Array<Operator>;
};

export type UpdateOperator = {
  /**
   * 1 to 100 characters.
   */
  name?: string;
  /**
   * `viewer` reads, `admin` changes as well. Another one ends the sessions of the operator.
   */
  role?: OperatorRole;
};

export type Invitation = {
  /**
   * Role of the new operator.
   */
  role: OperatorRole;
  /**
   * Address of the operator who invited; null when the command line did, or when that operator was deleted.
   */
  invitedBy: string | null;
  /**
   * Creation time.
   */
  createdAt: string;
  /**
   * When the link stops working: a week after the creation.
   */
  expiresAt: string;
  id: string;
  /**
   * Address of the invited person.
   */
  email: string;
};

export type InvitationList = {
  /**
   * Newest first.
   */
  data: Array<Invitation>;
};

export type CreateInvitation = {
  /**
   * Replaces an open invitation of the same address.
   */
  email: string;
  /**
   * A `viewer` reads, an `admin` also changes.
   */
  role: OperatorRole;
};

export type NewInvitation = {
  /**
   * Role of the new operator.
   */
  role: OperatorRole;
  /**
   * Address of the operator who invited; null when the command line did, or when that operator was deleted.
   */
  invitedBy: string | null;
  /**
   * Creation time.
   */
  createdAt: string;
  /**
   * When the link stops working: a week after the creation.
   */
  expiresAt: string;
  id: string;
  /**
   * Address of the invited person.
   */
  email: string;
  /**
   * Hand it to the invited person. The service shows it once.
   */
  link: string;
};

export type OpenInvitation = {
  /**
   * The part of the link after `#`.
   */
  token: string;
};

export type OpenedInvitation = {
  /**
   * Address of the invited person; null for the setup link, whose operator enters an address.
   */
  email: string | null;
  /**
   * Role of the new operator.
   */
  role: OperatorRole;
  /**
   * When the link stops working.
   */
  expiresAt: string;
};

export type AcceptInvitation = {
  /**
   * Required with the setup link; otherwise the address of the invitation applies.
   */
  email?: string;
  /**
   * 1 to 100 characters.
   */
  name: string;
  /**
   * 12 to 256 characters.
   */
  password: string;
  /**
   * The part of the link after `#`.
   */
  token: string;
};

export type OperatorTokenScope =
  | 'applications:read'
  | 'applications:write'
  | 'keys:read'
  | 'keys:write'
  | 'accounts:read'
  | 'accounts:write'
  | 'deliveries:read'
  | 'deliveries:write'
  | 'installation:read'
  | 'installation:write';

export type OperatorToken = {
  scopes: Array<OperatorTokenScope>;
  /**
   * Email of the operator who created it, without whom it ends. null for a token of `ops`, which no operator ends.
   */
  createdBy: string | null;
  createdAt: string;
  expiresAt: string;
  /**
   * Precise to the minute. null before the first use.
   */
  lastUsedAt: string | null;
  id: string;
  name: string;
  /**
   * First characters of the text.
   */
  prefix: string;
};

export type OperatorTokenList = {
  data: Array<OperatorToken>;
};

export type CreateOperatorToken = {
  scopes: Array<OperatorTokenScope>;
  name: string;
  /**
   * 7, 30, 90, 180 or 365 (days), or an ISO 8601 date or instant within 366 days.
   */
  expires: string;
};

export type NewOperatorToken = {
  scopes: Array<OperatorTokenScope>;
  /**
   * Email of the operator who created it, without whom it ends. null for a token of `ops`, which no operator ends.
   */
  createdBy: string | null;
  createdAt: string;
  expiresAt: string;
  /**
   * Precise to the minute. null before the first use.
   */
  lastUsedAt: string | null;
  id: string;
  name: string;
  /**
   * First characters of the text.
   */
  prefix: string;
  /**
   * The text, which no other response contains.
   */
  token: string;
};

export type AuditEntry = {
  /**
   * When.
   */
  recordedAt: string;
  /**
   * null: to no application.
   */
  applicationId: string | null;
  /**
   * null: by no request.
   */
  requestId: string | null;
  id: string;
  /**
   * By whom: an operator, an application key, the command line (`ops`), the network of somebody who is not signed in.
   */
  actor: string;
  /**
   * What.
   */
  action: string;
  /**
   * To what.
   */
  subject: string;
};

export type AuditPage = {
  /**
   * Pass it back as `pageToken` to read on; null on the last page.
   */
  nextPageToken: string | null;
  /**
   * The entries.
   */
  data: Array<AuditEntry>;
};

export type ProviderType = string;

export type AccountStatus = 'ACTIVE' | 'EXPIRED';

export type AccountSummary = {
  /**
   * Whose calendars they are.
   */
  providerType: ProviderType;
  /**
   * Id of the user in the application's own system.
   */
  externalId: string | null;
  /**
   * `EXPIRED`: its credentials do not work any more.
   */
  status: AccountStatus;
  /**
   * Creation time.
   */
  createdAt: string;
  /**
   * Since when it has its status.
   */
  changedAt: string;
  id: string;
  applicationId: string;
  applicationName: string;
  email: string;
};

export type AccountPage = {
  /**
   * Pass it back as `pageToken` to read on; null on the last page.
   */
  nextPageToken: string | null;
  /**
   * The accounts.
   */
  data: Array<AccountSummary>;
};

export type AccountFailure = {
  /**
   * When it was noticed.
   */
  at: string;
  reason: string;
  /**
   * In words: what happened, and what helps.
   */
  explanation: string;
};

export type AccountHealth = {
  /**
   * When they were tried last without a request of the application; null: not yet.
   */
  checkedAt: string | null;
  /**
   * null: while the account is EXPIRED, or has no turn yet.
   */
  nextCheckAt: string | null;
  /**
   * The last failure since it worked; null: it works, as far as is known.
   */
  lastFailure: AccountFailure | null;
};

export type AccountChange = {
  /**
   * When.
   */
  at: string;
  /**
   * `CONNECTED`: made, or connected anew.
   */
  status: 'ACTIVE' | 'EXPIRED' | 'CONNECTED';
  /**
   * null: it needs none.
   */
  reason: string | null;
};

export type AccountDetail = {
  /**
   * Whose calendars they are.
   */
  providerType: ProviderType;
  /**
   * Id of the user in the application's own system.
   */
  externalId: string | null;
  /**
   * `EXPIRED`: its credentials do not work any more.
   */
  status: AccountStatus;
  /**
   * Creation time.
   */
  createdAt: string;
  /**
   * Since when it has its status.
   */
  changedAt: string;
  /**
   * What the user granted; empty for APPLE and CALDAV.
   */
  scopes: Array<string>;
  /**
   * CALDAV: where its server is.
   */
  serverUrl: string | null;
  /**
   * Subscriptions to its calendars.
   */
  subscriptions: number;
  /**
   * How its credentials do.
   */
  health: AccountHealth;
  /**
   * Of its status, newest first, at most 50.
   */
  history: Array<AccountChange>;
  id: string;
  applicationId: string;
  applicationName: string;
  email: string;
};

export type MessageState = 'pending' | 'delivered' | 'failed';

export type TimelineMessage = {
  state: MessageState;
  id: string;
  eventType: string;
};

export type TimelineEntry = {
  /**
   * When.
   */
  at: string;
  /**
   * `connected`: connected or reconnected. `recovered`: ACTIVE again without a reconnect. `expired`: the user has to
   * reconnect it. `refreshed`: its access token was refreshed. `checked`: its credentials were checked. `rejected`: the
   * provider rejected its password for the first time. `notified`: the provider reported a change of a calendar. `synced`:
   * a calendar was synced. `message`: a message for its application was created.
   */
  kind:
    'connected' | 'recovered' | 'expired' | 'refreshed' | 'checked' | 'rejected' | 'notified' | 'synced' | 'message';
  /**
   * Why the status changed.
   */
  reason: string | null;
  /**
   * The calendar that was reported or synced.
   */
  calendarId: string | null;
  /**
   * Only of `message`.
   */
  message: TimelineMessage | null;
};

export type AccountTimeline = {
  /**
   * Newest first, at most 100.
   */
  data: Array<TimelineEntry>;
};

export type AccountCalendar = {
  /**
   * IANA id.
   */
  timeZone: string | null;
  /**
   * How changes are noticed, where somebody subscribed to it.
   */
  changeDetection: 'none' | 'pushed' | 'polled';
  id: string;
  title: string;
  /**
   * Whether it is the main one.
   */
  isPrimary: boolean;
  /**
   * Whether it cannot be written to.
   */
  isReadOnly: boolean;
};

export type AccountCalendars = {
  /**
   * All of them.
   */
  data: Array<AccountCalendar>;
};

/**
 * Where they sign in.
 */
export type OAuthProvider = string;

export type ReconnectLink = {
  /**
   * Where they sign in.
   */
  provider: OAuthProvider;
  url: string;
};

export type Request = {
  /**
   * When it came.
   */
  at: string;
  /**
   * 499: the caller did not wait for the answer.
   */
  status: number;
  /**
   * Of the error that was answered.
   */
  errorCode: string | null;
  /**
   * How long it took, milliseconds.
   */
  durationMs: number;
  /**
   * null: it had no valid key.
   */
  applicationId: string | null;
  /**
   * The key, not its text.
   */
  apiKeyId: string | null;
  /**
   * The account that it was about, where it is one of the application.
   */
  accountId: string | null;
  /**
   * Of that account.
   */
  providerType: ProviderType | null;
  /**
   * Its trace at `TRACE_URL`. null without that setting, and for a trace that was not exported.
   */
  traceUrl: string | null;
  requestId: string;
  method: string;
  /**
   * The path with the names of its parameters; `*`: there is nothing at the address that was asked for.
   */
  route: string;
};

export type RequestPage = {
  /**
   * Pass it back as `pageToken` to read on; null on the last page.
   */
  nextPageToken: string | null;
  /**
   * The requests.
   */
  data: Array<Request>;
};

/**
 * `development` lets users be sent back to http URLs of their own machine.
 */
export type Environment = 'development' | 'production';

export type ApplicationCounts = {
  accounts: number;
  /**
   * The ones that work.
   */
  apiKeys: number;
  /**
   * Of calendars.
   */
  subscriptions: number;
};

export type Application = {
  /**
   * `development` lets users be sent back to http URLs of their own machine.
   */
  environment: Environment;
  /**
   * Requests a second per key; null: that of the server.
   */
  rateLimitRps: number | null;
  /**
   * Color of the page where users connect accounts; null: that of the service.
   */
  accentColor: string | null;
  /**
   * Creation time.
   */
  createdAt: string;
  /**
   * The APP_ID.
   */
  id: string;
  name: string;
  /**
   * Webhooks about its calendars say whose calendar it is.
   */
  enrichedWebhooks: boolean;
  /**
   * It may subscribe to calendars whose provider does not push.
   */
  polledWebhooks: boolean;
  /**
   * An `externalId` has to come by an address that the application made with its key.
   */
  signedLinks: boolean;
  counts: ApplicationCounts;
};

export type ApplicationList = {
  data: Array<Application>;
};

export type CreateApplication = {
  /**
   * `production` refuses http and localhost as redirect URLs.
   */
  environment: Environment;
  /**
   * Requests a second per key; null or left out: that of the server.
   */
  rateLimitRps?: number | null;
  name: string;
};

export type UpdateApplication = {
  /**
   * `production` is refused while there are redirect URLs that it does not allow.
   */
  environment?: Environment;
  /**
   * Requests a second per key; null: that of the server.
   */
  rateLimitRps?: number | null;
  /**
   * Color of the page where users connect accounts; null: that of the service.
   */
  accentColor?: string | null;
  name?: string;
  /**
   * Webhooks about its calendars say whose calendar it is.
   */
  enrichedWebhooks?: boolean;
  /**
   * It may subscribe to calendars whose provider does not push.
   */
  polledWebhooks?: boolean;
  /**
   * An `externalId` has to come by an address that the application made with its key.
   */
  signedLinks?: boolean;
};

export type DeleteApplication = {
  /**
   * The name of the application, typed.
   */
  confirmation: string;
};

export type ApiKeyScope = 'read' | 'write' | 'credentials:read';

export type ApiKey = {
  scopes: Array<ApiKeyScope>;
  /**
   * Creation time.
   */
  createdAt: string;
  /**
   * When it ends; null: never.
   */
  expiresAt: string | null;
  /**
   * To the minute; null: not yet.
   */
  lastUsedAt: string | null;
  /**
   * null: it is not revoked.
   */
  revokedAt: string | null;
  id: string;
  name: string;
  /**
   * How its text begins: enough to tell it from others.
   */
  prefix: string;
};

export type ApiKeyList = {
  data: Array<ApiKey>;
};

export type CreateApiKey = {
  scopes: Array<ApiKeyScope>;
  name: string;
  /**
   * 7, 30, 90, 180 or 365 (days), `never`, or an ISO 8601 date or instant.
   */
  expires: string;
};

export type NewApiKey = {
  scopes: Array<ApiKeyScope>;
  /**
   * Creation time.
   */
  createdAt: string;
  /**
   * When it ends; null: never.
   */
  expiresAt: string | null;
  /**
   * To the minute; null: not yet.
   */
  lastUsedAt: string | null;
  /**
   * null: it is not revoked.
   */
  revokedAt: string | null;
  id: string;
  name: string;
  /**
   * How its text begins: enough to tell it from others.
   */
  prefix: string;
  /**
   * The text. It is not shown again.
   */
  apiKey: string;
};

export type OAuthClient = {
  provider: OAuthProvider;
  /**
   * Whose client it is: the application's own, that of the installation, or none yet.
   */
  source: 'application' | 'installation' | null;
  /**
   * null: there is no client.
   */
  clientId: string | null;
  /**
   * What users are asked for; null: the default ones.
   */
  scopes: Array<string> | null;
  /**
   * microsoft: the directory whose users may sign in; null: any.
   */
  tenant: string | null;
  /**
   * When the provider stops accepting the secret, as it was set; null: nobody has said.
   */
  expiresAt: string | null;
  /**
   * Since when its grants are held back: too many were refused at once. null: they are not.
   */
  breakerTrippedSince: string | null;
  /**
   * What users are asked for unless the client says otherwise.
   */
  defaultScopes: Array<string>;
  /**
   * To be registered at the provider, character by character.
   */
  callbackUrl: string;
};

export type OAuthClientList = {
  data: Array<OAuthClient>;
};

export type SetOAuthClient = {
  /**
   * What users are asked for; null or left out: the default ones.
   */
  scopes?: Array<string> | null;
  /**
   * microsoft: the id or domain of the directory whose users may sign in; null or left out: any.
   */
  tenant?: string | null;
  /**
   * When the provider stops accepting the secret: an ISO 8601 date or instant; null: unknown. Left out: what is stored, as
   * long as the secret stays. Alerts warn 30, 14 and 3 days before.
   */
  expiresAt?: string | null;
  /**
   * As the provider issued it.
   */
  clientId: string;
  /**
   * As the provider issued it; may be left out when the client has one and `clientId` stays. It is never shown.
   */
  clientSecret?: string;
};

export type RedirectUrl = {
  url: string;
  /**
   * Where users are sent when the application does not say.
   */
  isDefault: boolean;
};

export type RedirectUrlList = {
  data: Array<RedirectUrl>;
};

export type RedirectUrlInput = {
  /**
   * Compared letter for letter.
   */
  url: string;
};

export type StartedSignInTest = {
  testId: string;
  /**
   * Address at the provider to open in the browser.
   */
  authorizationUrl: string;
};

export type SignInTestError = {
  code: string;
  /**
   * The failure, and how to mend it.
   */
  message: string;
};

export type SignInTest = {
  provider: OAuthProvider;
  state: 'running' | 'passed' | 'failed';
  /**
   * Address of the account that signed in, as the provider reports it.
   */
  email: string | null;
  /**
   * Whether the provider issued a refresh token; null when it issued no tokens.
   */
  hasRefreshToken: boolean | null;
  error: SignInTestError | null;
  grantedScopes: Array<string>;
  /**
   * Requested scopes that the user did not grant.
   */
  missingScopes: Array<string>;
};

export type EndpointKind = 'subscription' | 'application';

export type EndpointState = 'active' | 'failing' | 'disabled';

export type EndpointSummary = {
  /**
   * `subscription`: to changes of one calendar. `application`: to account events.
   */
  kind: EndpointKind;
  /**
   * Event types that the endpoint receives.
   */
  eventTypes: Array<string>;
  /**
   * `failing`: the last attempts failed. `disabled`: nothing is sent any more.
   */
  state: EndpointState;
  /**
   * Why it is disabled; null: it is not.
   */
  disabledReason: 'gone' | 'failing' | 'requested' | null;
  /**
   * Since when every attempt has failed; null: the last one succeeded, or there was none.
   */
  failingSince: string | null;
  /**
   * Messages per second at most; null: no limit.
   */
  rateLimit: number | null;
  /**
   * Of a subscription, whose calendar it is.
   */
  accountId: string | null;
  /**
   * Of a subscription, the calendar.
   */
  calendarId: string | null;
  /**
   * Creation time.
   */
  createdAt: string;
  /**
   * Of its latest 1,000 messages, those that are still to be delivered.
   */
  pending: number;
  /**
   * Of its latest 1,000 messages, those that failed for good.
   */
  failed: number;
  /**
   * Of a subscription, its id.
   */
  id: string;
  /**
   * Whose it is.
   */
  applicationId: string;
  applicationName: string;
  url: string;
};

export type EndpointPage = {
  /**
   * Pass it back as `pageToken` to read on, with the same filters; null on the last page.
   */
  nextPageToken: string | null;
  /**
   * The endpoints.
   */
  data: Array<EndpointSummary>;
};

export type UpdateEndpoint = {
  /**
   * Messages per second at most, 1 or more; null lifts the limit.
   */
  rateLimit: number | null;
};

export type Recover = {
  /**
   * Those that were made since then, ISO 8601.
   */
  since: string;
};

export type Recovered = {
  /**
   * Messages that had failed and are pending now.
   */
  recovered: number;
};

export type RotatedSecret = {
  /**
   * Until when the replaced one signs as well.
   */
  previousUntil: string;
  /**
   * What messages are signed with from now on. It is shown now and never again.
   */
  endpointSecret: string;
};

export type MessageSummary = {
  /**
   * null: the endpoint was removed.
   */
  url: string | null;
  /**
   * `pending`: there is another attempt. `failed`: it was given up.
   */
  state: MessageState;
  /**
   * Why it was given up: `exhausted`, `gone`, `endpoint-disabled`, or why its URL is not allowed; null unless it was.
   */
  failureReason: string | null;
  /**
   * How many were made, those by hand among them.
   */
  attempts: number;
  /**
   * When it is tried next, at the earliest; null unless it is pending.
   */
  nextAttemptAt: string | null;
  /**
   * Creation time.
   */
  createdAt: string;
  /**
   * The header `webhook-id` of every attempt.
   */
  id: string;
  /**
   * Whose it is.
   */
  applicationId: string;
  applicationName: string;
  /**
   * Where it goes.
   */
  endpointId: string;
  eventType: string;
};

export type MessagePage = {
  /**
   * Pass it back as `pageToken` to read on, with the same filters; null on the last page.
   */
  nextPageToken: string | null;
  /**
   * The messages.
   */
  data: Array<MessageSummary>;
};

export type Attempt = {
  /**
   * From 1 upwards by the schedule; from -1 downwards by hand.
   */
  number: number;
  /**
   * When it started.
   */
  startedAt: string;
  /**
   * How long it took, milliseconds; null: it is under way, or the process that made it died.
   */
  durationMs: number | null;
  /**
   * Status of the receiver's answer; null: there was none.
   */
  status: number | null;
  /**
   * What went wrong on the way; null: nothing did.
   */
  failure: string | null;
  /**
   * The beginning of the receiver's answer, at most 1 KiB; null: there was none.
   */
  responseText: string | null;
  /**
   * When the schedule tries again; null: it does not.
   */
  nextAttemptAt: string | null;
  /**
   * The headers that were sent, without timestamp and signature, which are made for each attempt and not kept. Empty: another
   * service delivers, and makes its own.
   */
  requestHeaders: {
    [key: string]: string;
  };
};

export type MessageDetail = {
  /**
   * null: the endpoint was removed.
   */
  url: string | null;
  /**
   * `pending`: there is another attempt. `failed`: it was given up.
   */
  state: MessageState;
  /**
   * Why it was given up: `exhausted`, `gone`, `endpoint-disabled`, or why its URL is not allowed; null unless it was.
   */
  failureReason: string | null;
  /**
   * How many were made, those by hand among them.
   */
  attempts: number;
  /**
   * When it is tried next, at the earliest; null unless it is pending.
   */
  nextAttemptAt: string | null;
  /**
   * Creation time.
   */
  createdAt: string;
  /**
   * The header `webhook-id` of every attempt.
   */
  id: string;
  /**
   * Whose it is.
   */
  applicationId: string;
  applicationName: string;
  /**
   * Where it goes.
   */
  endpointId: string;
  eventType: string;
  /**
   * What is sent, as it is sent.
   */
  body: string;
  /**
   * The attempts, in the order in which they started.
   */
  log: Array<Attempt>;
};

/**
 * Messages that wait for an attempt are not sent again.
 */
export type FinishedMessageState = 'failed' | 'delivered';

export type ResendMessages = {
  /**
   * Messages that wait for an attempt are not sent again.
   */
  state: FinishedMessageState;
  /**
   * Those created then or later, ISO 8601.
   */
  from: string;
  /**
   * `after` of the response before, to go on where it stopped.
   */
  after?: string;
  /**
   * Those of one application.
   */
  applicationId?: string;
  /**
   * Those to one endpoint or subscription.
   */
  endpointId?: string;
  /**
   * Those about one account.
   */
  accountId?: string;
  /**
   * Those of one type.
   */
  eventType?: string;
  /**
   * Those created before, ISO 8601.
   */
  to?: string;
};

export type ResentMessages = {
  /**
   * At most 1,000.
   */
  resent: number;
  /**
   * Send it with the next request, which goes on with later messages. null: no message is left.
   */
  after: string | null;
};

export type StatsRange = '1h' | '24h' | '7d';

export type DeliveryBucket = {
  /**
   * Its beginning.
   */
  at: string;
  /**
   * Attempts that delivered their message.
   */
  delivered: number;
  /**
   * Attempts that failed.
   */
  failed: number;
  /**
   * Half of them took no longer, milliseconds; null: there was none.
   */
  p50Ms: number | null;
  /**
   * All but a twentieth of them took no longer, milliseconds; null: there was none.
   */
  p95Ms: number | null;
};

export type DeliveryStats = {
  /**
   * Length of a bucket, seconds.
   */
  bucketSeconds: number;
  /**
   * Without gaps, oldest first.
   */
  buckets: Array<DeliveryBucket>;
};

export type AccountCount = {
  providerType: ProviderType;
  status: AccountStatus;
  /**
   * How many there are.
   */
  count: number;
};

export type RequestBucket = {
  /**
   * Its beginning.
   */
  at: string;
  /**
   * Answered below 400.
   */
  successes: number;
  /**
   * Answered with 4xx.
   */
  clientErrors: number;
  /**
   * Answered with 5xx.
   */
  serverErrors: number;
  /**
   * Half of them took no longer, milliseconds; null: there was none.
   */
  p50Ms: number | null;
  /**
   * All but a twentieth of them took no longer, milliseconds; null: there was none.
   */
  p95Ms: number | null;
};

export type RequestStats = {
  /**
   * Length of a bucket, seconds.
   */
  bucketSeconds: number;
  /**
   * Without gaps, oldest first.
   */
  buckets: Array<RequestBucket>;
};

export type DeliveryState = {
  /**
   * Length of a bucket, seconds.
   */
  bucketSeconds: number;
  /**
   * Of messages that are due: how long the oldest waits, seconds; null: none waits.
   */
  lagSeconds: number | null;
  /**
   * Messages that are to be delivered; counted up to 10,000.
   */
  pending: number;
  /**
   * Messages that failed for good; counted up to 5,000.
   */
  failedLastDay: number;
  /**
   * Without gaps, oldest first.
   */
  buckets: Array<DeliveryBucket>;
};

/**
 * `troubled`: some requests fail, or it refuses grants in masses. `unknown`: nothing was asked of it.
 */
export type ProviderState = 'ok' | 'troubled' | 'down' | 'unknown';

export type ProviderHealth = {
  providerType: ProviderType;
  /**
   * `troubled`: some requests fail, or it refuses grants in masses. `unknown`: nothing was asked of it.
   */
  state: ProviderState;
  /**
   * Requests of the last hour that led there.
   */
  requests: number;
  /**
   * Those that it failed: 502, 503, 504.
   */
  failures: number;
  /**
   * null: there was none in the last hour.
   */
  lastFailureAt: string | null;
};

export type Queue = {
  waiting: number;
  active: number;
  delayed: number;
  /**
   * Failed for good.
   */
  failed: number;
  name: string;
};

export type Overview = {
  /**
   * When it was read; parts are up to two seconds older.
   */
  at: string;
  /**
   * Accounts by provider and status; what there is none of is left out.
   */
  accounts: Array<AccountCount> | null;
  /**
   * The last hour, by minutes.
   */
  requests: RequestStats | null;
  /**
   * The last hour, by minutes.
   */
  deliveries: DeliveryState | null;
  /**
   * Every provider.
   */
  providers: Array<ProviderHealth> | null;
  /**
   * Every queue.
   */
  queues: Array<Queue> | null;
};

export type FailedJob = {
  /**
   * How often it was tried.
   */
  attempts: number;
  /**
   * null: it is not known.
   */
  failedAt: string | null;
  queue: string;
  id: string;
  name: string;
  reason: string;
};

export type FailedJobList = {
  /**
   * The jobs.
   */
  data: Array<FailedJob>;
};

export type Redrive = {
  queue: string;
  /**
   * Left out: all of the queue.
   */
  jobId?: string;
};

export type Redriven = {
  /**
   * Jobs that had failed and wait now.
   */
  redriven: number;
};

export type OAuthClientForm = {
  /**
   * What the tenant of a client restricts; null: clients have none.
   */
  tenant: string | null;
  /**
   * Where a client is registered, and as what: it follows "Register a client in the".
   */
  console: string;
  /**
   * What the console calls the list that the callback URL goes into.
   */
  redirectName: string;
  /**
   * What users are asked for unless the client says otherwise.
   */
  defaultScopes: Array<string>;
};

export type Provider = {
  type: ProviderType;
  /**
   * How its accounts connect: by a sign-in, with a password, or with the secret address of a calendar.
   */
  authentication: 'oauth' | 'password' | 'url';
  /**
   * null: accounts connect without one.
   */
  oauthClient: OAuthClientForm | null;
  /**
   * How paths name it: the type in lower case.
   */
  slug: string;
  /**
   * What people call it.
   */
  label: string;
  /**
   * The path (`d`) of an SVG icon of 24 by 24, filled by the even-odd rule.
   */
  icon: string;
  /**
   * Whether it reports changes by itself. Else calendars are polled, where their application wants that.
   */
  reportsChanges: boolean;
};

export type ProviderList = {
  data: Array<Provider>;
};

export type ReadingPlan = {
  /**
   * The provider.
   */
  providerType: ProviderType;
  /**
   * When the plan was made.
   */
  plannedAt: string;
  /**
   * Requests that may be sent in 24 hours; null without a daily limit.
   */
  requestsPerDay: number | null;
  /**
   * Requests of the last 24 hours.
   */
  requestsUsed: number;
  /**
   * Calendars that the plan is about: with a live channel, or those at the server.
   */
  calendars: number;
  /**
   * How many of them are read at least every nine minutes.
   */
  near: number;
  /**
   * Longest time between two reads of the others, in seconds.
   */
  othersEverySeconds: number;
  /**
   * Longest time between two reads of calendars without a live channel, in seconds; null for less than a minute.
   */
  polledEverySeconds: number | null;
  /**
   * Number of the Google project, OAuth client or address of the server that the requests count against.
   */
  quotaOwner: string;
};

/**
 * Why they were sent. `call`: by a request of the application. `connect`: an account was connected. `sync`: a calendar
 * with subscriptions was read for changes. `channel`: notifications of the provider were set up. `check`: the
 * credentials were checked. Others may be added.
 */
export type RequestCause = 'call' | 'connect' | 'sync' | 'channel' | 'check';

export type ProjectRequests = {
  /**
   * The day, in UTC.
   */
  date: string;
  /**
   * The provider.
   */
  providerType: ProviderType;
  /**
   * Why they were sent. `call`: by a request of the application. `connect`: an account was connected. `sync`: a calendar
   * with subscriptions was read for changes. `channel`: notifications of the provider were set up. `check`: the
   * credentials were checked. Others may be added.
   */
  cause: RequestCause;
  /**
   * How many, as the provider counts them; each retry counts.
   */
  requests: number;
  /**
   * Number of the Google project, or OAuth client; empty for accounts with a password.
   */
  project: string;
};

export type InstallationUsage = {
  /**
   * Of projects first, the most used one first.
   */
  plans: Array<ReadingPlan>;
  /**
   * One element for each day, provider, project and cause with requests, newest day first.
   */
  requests: Array<ProjectRequests>;
};

/**
 * What happened.
 *
 * - `MissingApiKey` (401): The x-api-key header is missing, empty or was sent twice. What to do: Send the key of the application once, in the header x-api-key.
 * - `InvalidApiKey` (401): The application key is malformed, unknown or revoked. What to do: Use a key that the operator has not revoked; asking again with this one does not help.
 * - `ApiKeyExpired` (401): The application key has expired. What to do: Ask the operator for a new key.
 * - `Forbidden` (403): There is no session and no valid token (401); or the role, the scope, the CSRF token or our own Origin is missing. What to do: Sign in, reload the page for a new CSRF token, ask an admin, or use a token with the scope of the message.
 * - `ValidationFailed` (400): The request is not valid; `details` names each field. What to do: Correct the fields that `details` names; the same request fails again.
 * - `NotFound` (404): There is nothing with this id. What to do: Read the list again.
 * - `MethodNotAllowed` (405): There is nothing for this method at the address; `Allow` names the methods that there are. What to do: Use one of the methods that `Allow` names.
 * - `EndUserAccountExpired` (403): The account is EXPIRED: the user has to connect it again. What to do: Send the user through the sign-in again.
 * - `NotSupportedByProvider` (400): The provider of this account cannot do this. What to do: Leave out what the provider cannot do.
 * - `ReadOnlyCalendar` (403): The calendar cannot be written to. What to do: Write to a calendar that is not read-only.
 * - `Conflict` (409): It exists already, has changed meanwhile, or is needed as it is. What to do: Read the present state and decide anew.
 * - `IdempotencyKeyReused` (422): The Idempotency-Key was used with another request. What to do: Use a new Idempotency-Key for each new request.
 * - `SyncTokenExpired` (410): The sync token is too old: start a full read again. What to do: Read the whole list once without the token, and go on with the new one.
 * - `PageTokenInvalid` (400): The token was not given out for this request. What to do: Start the list again at its first page.
 * - `PreconditionFailed` (412): The event has changed since the version named in If-Match. What to do: Read the event again, and apply the change to what it is now.
 * - `PayloadTooLarge` (413): The request body, or its header, is too large. What to do: Send a smaller body, or fewer and shorter headers.
 * - `RateLimited` (429): Too many requests; Retry-After says how long to wait. What to do: Wait as long as Retry-After says, and send the request again.
 * - `ProviderRateLimited` (429): The provider asks to slow down; Retry-After says how long to wait. What to do: Wait as long as Retry-After says, and send the request again.
 * - `ProviderUnavailable` (502): The provider cannot be reached or answered nonsense. What to do: Try again later, and at ever longer intervals.
 * - `ProviderTimeout` (504): The provider did not answer in time. What to do: Try again later; whether a write was carried out is to be read first, or sent with its Idempotency-Key.
 * - `ProviderRejected` (400): The provider refused the request as invalid. What to do: Change what `provider` and the message name; the same request fails again.
 * - `ServerNotAllowed` (400): The server address is not https or not public. What to do: Give a public https address, or have the operator allow this one.
 * - `CredentialsRejected` (400): The provider refused the credentials. What to do: Ask the user for the right credentials.
 * - `Overloaded` (503): More requests came than this instance can answer; nothing was done for this one. What to do: Wait as long as Retry-After says, and send the request again.
 * - `ServiceUnavailable` (503): The database of the service is away, or this instance is starting or shutting down. What to do: Wait as long as Retry-After says, and send the request again, a POST with its Idempotency-Key.
 * - `InternalServerError` (500): The fault is ours. What to do: Report the `requestId` to the operator; trying again may help.
 * - `PasswordsDisabled` (403): Operators of this installation sign in by single sign-on alone. What to do: Sign in by single sign-on.
 * - `ReauthenticationRequired` (403): It gives others access or ends sessions, and who you are was proven too long ago. What to do: Prove who you are once more, by password or single sign-on, and send the request again.
 */
export type ErrorCode =
  | 'MissingApiKey'
  | 'InvalidApiKey'
  | 'ApiKeyExpired'
  | 'Forbidden'
  | 'ValidationFailed'
  | 'NotFound'
  | 'MethodNotAllowed'
  | 'EndUserAccountExpired'
  | 'NotSupportedByProvider'
  | 'ReadOnlyCalendar'
  | 'Conflict'
  | 'IdempotencyKeyReused'
  | 'SyncTokenExpired'
  | 'PageTokenInvalid'
  | 'PreconditionFailed'
  | 'PayloadTooLarge'
  | 'RateLimited'
  | 'ProviderRateLimited'
  | 'ProviderUnavailable'
  | 'ProviderTimeout'
  | 'ProviderRejected'
  | 'ServerNotAllowed'
  | 'CredentialsRejected'
  | 'Overloaded'
  | 'ServiceUnavailable'
  | 'InternalServerError'
  | 'PasswordsDisabled'
  | 'ReauthenticationRequired';

/**
 * One part of the request that is not valid.
 */
export type ErrorDetail = {
  /**
   * Where, in dotted form; empty for the body as a whole.
   */
  path: string;
  /**
   * What is wrong with it.
   */
  message: string;
};

/**
 * What the provider said, reduced to facts.
 */
export type ProviderFault = {
  /**
   * HTTP status of the provider's answer, if any.
   */
  status: number | null;
  /**
   * The provider's own code, if any.
   */
  code: string | null;
  /**
   * A sentence for people.
   */
  message: string;
  /**
   * Whether trying again later may help.
   */
  retryable: boolean;
};

/**
 * The body of every error.
 */
export type Error = {
  error: ErrorCode;
  code: ErrorCode;
  /**
   * A sentence for people.
   */
  message: string;
  /**
   * The id of the request, as in `x-request-id`.
   */
  requestId: string;
  /**
   * Each part of the request that is not valid.
   */
  details?: Array<ErrorDetail>;
  provider?: ProviderFault;
};

export type ListAuditEntriesData = {
  body?: never;
  path?: never;
  query?: {
    /**
     * What was done to one application.
     */
    applicationId?: string;
    /**
     * What one actor did.
     */
    actor?: string;
    /**
     * One kind of thing that is done.
     */
    action?: string;
  };
  url: '/api/operator/v1/audit';
};

export type ListAccountsData = {
  body?: never;
  path?: never;
  query?: {
    /**
     * Of one application.
     */
    applicationId?: string;
    /**
     * Of one provider.
     */
    providerType?: ProviderType;
    /**
     * In one status.
     */
    status?: AccountStatus;
    /**
     * Part of an address in whatever case, taken literally; or a whole account id or externalId.
     */
    search?: string;
  };
  url: '/api/operator/v1/accounts';
};

export type ListRequestsData = {
  body?: never;
  path?: never;
  query?: {
    /**
     * Of one application.
     */
    applicationId?: string;
    /**
     * About one account.
     */
    accountId?: string;
    /**
     * The header `x-request-id`.
     */
    requestId?: string;
    /**
     * A status, or a class of them.
     */
    status?: string;
    /**
     * Those that started then or later, ISO 8601.
     */
    from?: string;
    /**
     * Those that started before, ISO 8601.
     */
    to?: string;
  };
  url: '/api/operator/v1/requests';
};

export type ListEndpointsData = {
  body?: never;
  path?: never;
  query?: {
    /**
     * One kind of them.
     */
    kind?: EndpointKind;
    /**
     * Those in one state.
     */
    state?: EndpointState;
    /**
     * Those of one application.
     */
    applicationId?: string;
    /**
     * Subscriptions of the calendars of one account.
     */
    accountId?: string;
  };
  url: '/api/operator/v1/endpoints';
};

export type ListMessagesData = {
  body?: never;
  path?: never;
  query?: {
    /**
     * Those in one state.
     */
    state?: MessageState;
    /**
     * Those created then or later, ISO 8601.
     */
    from?: string;
    /**
     * Those of one application.
     */
    applicationId?: string;
    /**
     * Those to one endpoint or subscription.
     */
    endpointId?: string;
    /**
     * Those about one account.
     */
    accountId?: string;
    /**
     * Those of one type.
     */
    eventType?: string;
    /**
     * Those created before, ISO 8601.
     */
    to?: string;
  };
  url: '/api/operator/v1/messages';
};

export type GetDeliveryStatsData = {
  body?: never;
  path?: never;
  query: {
    /**
     * Until now.
     */
    range: StatsRange;
    /**
     * Those of one application.
     */
    applicationId?: string;
    /**
     * Those to one endpoint or subscription.
     */
    endpointId?: string;
  };
  url: '/api/operator/v1/deliveries/stats';
};

export type GetInstallationUsageData = {
  body?: never;
  path?: never;
  query?: {
    /**
     * Number of days, today included; larger is clamped to 35.
     */
    days?: number;
  };
  url: '/api/operator/v1/usage';
};

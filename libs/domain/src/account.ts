/**
 * A provider, in capitals. Which ones there are is known at run time: `type` of each `CalendarProvider`, defined in
 * libs/providers.
 */
export type ProviderType = string;

export const ACCOUNT_STATUSES = ['ACTIVE', 'EXPIRED'] as const;
export type AccountStatus = (typeof ACCOUNT_STATUSES)[number];

/** Why an account became EXPIRED or ACTIVE again; part of the `enduseraccount.updated` payload. */
export type AccountStatusReason =
  'invalid_grant' | 'password_rejected' | 'consent_revoked' | 'user_deleted' | 'reconnected';

/** The evidence that the credentials of an account are dead. */
export type ExpiryReason = Exclude<AccountStatusReason, 'reconnected'>;

/** The calling application, proven by its key. */
export interface ApplicationRef {
  applicationId: string;
}

export const ENVIRONMENTS = ['development', 'production'] as const;
/** `development` lets users be sent back to http URLs of their own machine. */
export type Environment = (typeof ENVIRONMENTS)[number];

export interface Application {
  id: string;
  name: string;
  environment: Environment;
  /** Requests a second per key; null: the server's default. */
  rateLimitRps: number | null;
  /** Webhook messages about its calendars say whose calendar it is. */
  enrichesWebhooks: boolean;
  /** Calendars whose provider does not push can be subscribed to all the same: they are polled. */
  pollsCalendars: boolean;
  /** An `externalId` of a sign-in has to come by an address that the application made with its key. */
  requiresSignedLinks: boolean;
  createdAt: Date;
}

/** What an operator may change of an application. */
export type ApplicationOptions = Omit<Application, 'id' | 'createdAt'>;

/** An application with how much it has. */
export interface CountedApplication extends Application {
  /** `apiKeys`: the ones that work. */
  counts: { accounts: number; apiKeys: number; subscriptions: number };
}

export const API_KEY_SCOPES = ['read', 'write', 'credentials:read'] as const;
export type ApiKeyScope = (typeof API_KEY_SCOPES)[number];

export interface ApiKey {
  id: string;
  applicationId: string;
  name: string;
  scopes: ApiKeyScope[];
  /** null: never. */
  expiresAt: Date | null;
  revokedAt: Date | null;
  lastUsedAt: Date | null;
  createdAt: Date;
}

/** One user's authenticated account at one provider: section 2.1 of the interface specification. */
export interface EndUserAccount {
  id: string;
  applicationId: string;
  providerType: ProviderType;
  /** As given by the user. Lower-cased for the upsert key only. */
  email: string;
  externalId: string | null;
  authorizedScopes: string[];
  providerAccountId: string | null;
  /** Opaque and stable: the application's configuration of this provider. */
  providerId: string;
  status: AccountStatus;
  statusReason: AccountStatusReason | null;
  /** CALDAV only, normalised. */
  serverUrl: string | null;
  /** What the provider's adapter learned at connect time (principal, homes, features). Opaque outside of the adapter. */
  providerState: JsonObject | null;
  createdAt: Date;
  updatedAt: Date;
}

/**
 * Whether an application is shown the same of two states of an account (section 2.1 of the interface specification), the
 * time of the change aside. The order of scopes says nothing (RFC 6749 §3.3).
 */
export function isSeenAlike(one: EndUserAccount, other: EndUserAccount): boolean {
  return seen(one) === seen(other);
}

/** What can change of what is shown. */
function seen({ authorizedScopes, externalId, ...account }: EndUserAccount): string {
  const { email, providerAccountId, providerId, status, serverUrl } = account;
  const scopes = [...new Set(authorizedScopes)].sort();
  return JSON.stringify([email, externalId ?? '', scopes, providerAccountId, providerId, status, serverUrl]);
}

/** Whether `externalId` would move the account from one user of the application to another. An empty text names nobody. */
export function isOfAnotherUser(
  { externalId: stored }: Pick<EndUserAccount, 'externalId'>,
  externalId: string | null | undefined,
): boolean {
  return (stored ?? '') !== '' && (externalId ?? '') !== '' && stored !== externalId;
}

export type JsonValue = string | number | boolean | null | JsonValue[] | { [key: string]: JsonValue };
export type JsonObject = { [key: string]: JsonValue };

/** Secrets in clear, in memory only. */
export type Credentials =
  | { kind: 'password'; password: string }
  /** The address of a calendar, which whoever knows it can read. */
  | { kind: 'url'; url: string }
  | {
      kind: 'oauth';
      /** The client that the grant was given to: no other one can use it. */
      clientId: string;
      /** Empty before the first refresh. */
      accessToken: string;
      refreshToken: string;
      /** null: not known, so taken for expired. */
      expiresAt: Date | null;
    };

export type OAuthCredentials = Extract<Credentials, { kind: 'oauth' }>;

/** Credentials as stored: `rowVersion` fences late writers. */
export interface StoredCredential {
  id: string;
  endUserAccountId: string;
  applicationId: string;
  credentials: Credentials;
  rowVersion: number;
  createdAt: Date;
  updatedAt: Date;
}

/** Stored credentials of an account that lives on a grant. */
export type StoredGrant = StoredCredential & { credentials: OAuthCredentials };

export function isGrant(stored: StoredCredential): stored is StoredGrant {
  return stored.credentials.kind === 'oauth';
}

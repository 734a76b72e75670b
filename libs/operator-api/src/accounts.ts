import type { OAuthProvider, ProviderType } from './providers.js';

export type AccountStatus = 'ACTIVE' | 'EXPIRED';

/** `GET /accounts` */
export interface AccountQuery {
  applicationId?: string;
  providerType?: ProviderType;
  status?: AccountStatus;
  /** Part of an email address, or a whole account id or externalId. */
  search?: string;
}

export interface AccountRow {
  id: string;
  applicationId: string;
  applicationName: string;
  providerType: ProviderType;
  email: string;
  externalId: string | null;
  status: AccountStatus;
  createdAt: string;
  /** Of its status. */
  changedAt: string;
}

/** `GET /accounts/{accountId}`; `DELETE` removes it, as the API does. */
export interface AccountDetail extends AccountRow {
  /** As granted; empty for APPLE and CALDAV. */
  scopes: string[];
  /** CALDAV: where its server is. */
  serverUrl: string | null;
  health: {
    checkedAt: string | null;
    nextCheckAt: string | null;
    /** The last failure since it worked, and what helps; null: it works, as far as is known. */
    lastFailure: { at: string; reason: string; explanation: string } | null;
  };
  /** Of its status, newest first, at most 50. */
  history: { at: string; status: AccountStatus | 'CONNECTED'; reason: string | null }[];
  subscriptions: number;
}

/** `GET /accounts/{accountId}/calendars`: asked of the provider now. */
export interface AccountCalendarView {
  id: string;
  title: string;
  isPrimary: boolean;
  isReadOnly: boolean;
  timeZone: string | null;
  /** Somebody subscribed to it; how it is watched. */
  watch: 'none' | 'pushed' | 'polled';
}

/** `POST /accounts/{accountId}/reconnectLink`: for the user of the account, to sign in with again. 409 for accounts that do not sign in. */
export interface ReconnectLink {
  provider: OAuthProvider;
  url: string;
}

import type { WebhookPage } from '../webhooks/endpoint.js';
import type { AccountStatus, ProviderType } from '../accounts/account.js';

/** Ids are UUIDs. null leaves a field unfiltered. */
export interface AccountFilter {
  applicationId: string | null;
  providerType: ProviderType | null;
  status: AccountStatus | null;
  /** Case-insensitive part of the email, or a whole id or externalId. */
  search: string | null;
}

export interface AccountSummary {
  id: string;
  applicationId: string;
  applicationName: string;
  providerType: ProviderType;
  email: string;
  externalId: string | null;
  status: AccountStatus;
  createdAt: Date;
  statusSince: Date;
}

export interface AccountDetail extends AccountSummary {
  statusReason: string | null;
  authorizedScopes: string[];
  serverUrl: string | null;
  checkedAt: Date | null;
  nextCheckAt: Date | null;
  /** When the provider first rejected the stored password. null when the password works. */
  rejectedAt: Date | null;
  history: StatusChange[];
  subscriptions: number;
}

/** `CONNECTED`: the account was created or reconnected. */
export interface StatusChange {
  at: Date;
  status: AccountStatus | 'CONNECTED';
  reason: string | null;
}

/** A calendar with subscriptions. `isPushed`: a live channel reports its changes. */
export interface CalendarChangeDetection {
  calendarId: string;
  isPushed: boolean;
}

export abstract class OperatorAccountQueries {
  abstract list(filter: AccountFilter, page: WebhookPage): Promise<AccountSummary[]>;
  /** Returns null when `accountId` is unknown or not a UUID. */
  abstract find(accountId: string): Promise<AccountDetail | null>;
  abstract changeDetections(accountId: string): Promise<CalendarChangeDetection[]>;
}

import type { WebhookPage } from '../webhooks/endpoint.js';
import type { AccountStatus, ProviderType } from './account.js';

// What operators see of the accounts of all applications. Nothing here changes anything.

/** Ids are UUIDs; null: whatever it is. */
export interface AccountFilter {
  applicationId: string | null;
  providerType: ProviderType | null;
  status: AccountStatus | null;
  /** Part of an address, in whatever case, or a whole id or externalId. */
  search: string | null;
}

export interface OverseenAccount {
  id: string;
  applicationId: string;
  applicationName: string;
  providerType: ProviderType;
  email: string;
  externalId: string | null;
  status: AccountStatus;
  createdAt: Date;
  /** Since when it has its status. */
  statusSince: Date;
}

export interface OverseenAccountDetail extends OverseenAccount {
  statusReason: string | null;
  authorizedScopes: string[];
  serverUrl: string | null;
  /** When its credentials were tried last on nobody's request. */
  checkedAt: Date | null;
  nextCheckAt: Date | null;
  /** When the password that is stored was refused first. null: it was not, or it worked again. */
  refusedAt: Date | null;
  /** Newest first. */
  history: StatusChange[];
  subscriptions: number;
}

/** `CONNECTED`: made, or connected anew. */
export interface StatusChange {
  at: Date;
  status: AccountStatus | 'CONNECTED';
  reason: string | null;
}

/** A calendar that somebody subscribed to. `isPushed`: its provider tells of changes now. */
export interface WatchState {
  calendarId: string;
  isPushed: boolean;
}

/** The accounts of all applications. */
export abstract class AccountOversight {
  /** Newest first. */
  abstract list(filter: AccountFilter, page: WebhookPage): Promise<OverseenAccount[]>;
  /** null for something that is no id, too. */
  abstract find(accountId: string): Promise<OverseenAccountDetail | null>;
  /** Calendars of the account that have subscriptions. */
  abstract watched(accountId: string): Promise<WatchState[]>;
}

import type { WebhookPage } from '../webhooks/endpoint.js';
import type { MessageState } from '../webhooks/message.js';
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

/**
 * `recovered`: ACTIVE again without a reconnect. `refreshed`: the access token. `rejected`: the provider rejected the
 * stored password. `notified`: the provider reported a change. `message`: to an endpoint of the application.
 */
export const TIMELINE_KINDS = [
  'connected',
  'recovered',
  'expired',
  'refreshed',
  'checked',
  'rejected',
  'notified',
  'synced',
  'message',
] as const;

export type TimelineKind = (typeof TIMELINE_KINDS)[number];

export interface TimelineEntry {
  at: Date;
  kind: TimelineKind;
  /** Of a change of status. */
  reason: string | null;
  /** At the provider: of `notified`, `synced` and `message`. */
  calendarId: string | null;
  message: { id: string; eventType: string; state: MessageState } | null;
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
  /**
   * Newest first. Has all changes of status and all stored messages of subscriptions. Of everything else it has the last
   * one: of each calendar, the last notification and the last sync.
   */
  abstract timeline(accountId: string, limit: number): Promise<TimelineEntry[]>;
  abstract changeDetections(accountId: string): Promise<CalendarChangeDetection[]>;
}

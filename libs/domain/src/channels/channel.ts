import type { ProviderType } from '../accounts/account.js';
import type { ApplicationRef } from '../applications/application.js';
import type { AccountSession } from '../providers/provider.js';

export interface ChannelRequest {
  channelId: string;
  /** Secret that authenticates notifications: 43 random characters of base64url, never logged. */
  token: string;
  /** Absolute URLs under `PUBLIC_URL`, for change notifications and for lifecycle notifications. */
  notificationUrl: string;
  lifecycleUrl: string;
}

/** A notification of a provider. Only its syntax has been checked. */
export interface ChannelNotification {
  channelId: string;
  /** Not verified yet: a genuine notification carries the token of its channel. */
  token: string;
  /**
   * `sync`: the channel is open. `missed`: the provider lost changes. `reauthorize`: the channel ends unless renewed.
   * `removed`: the provider dropped the channel. `gone`: the watched resource does not exist any more.
   */
  kind: 'sync' | 'change' | 'missed' | 'reauthorize' | 'removed' | 'gone';
}

export interface ChannelFacts {
  subscriptionId: string;
  resourceId: string | null;
  expiresAt: Date;
}

export type KnownChannel = Pick<ChannelFacts, 'subscriptionId' | 'resourceId'> & Pick<ChannelRequest, 'token'>;

/** Push channels of a provider. Methods throw as those of {@link CalendarProvider} do. */
export abstract class CalendarPush {
  /** The provider takes our ids, so the resource id of a later channel is enough to stop one with a lost response. */
  abstract readonly usesOurIds: boolean;

  /**
   * Opens a channel. After a lost response the provider may keep one: its notifications are ignored, and it expires.
   * @returns null when the provider never pushes for this calendar, so that the worker polls it
   * @throws DomainError NotSupportedByProvider when subscribing must fail; Conflict when another channel id would work
   */
  abstract open(session: AccountSession, calendarId: string, request: ChannelRequest): Promise<ChannelFacts | null>;
  /** Extends a live channel under its ids. Returns null when another channel has to be opened. */
  abstract renew(session: AccountSession, channel: KnownChannel): Promise<ChannelFacts | null>;
  /** No-op when the provider does not know the channel. Late notifications may still arrive. */
  abstract stop(session: AccountSession, channel: KnownChannel): Promise<void>;
}

export interface ProviderChannel {
  id: string;
  /** In clear text, in memory only. Empty when no key decrypts it. */
  token: string;
  /** `opening`: the provider may not know the channel. `closing`: it is still to be stopped at the provider. */
  state: 'opening' | 'live' | 'closing';
  /** Provider ids. null until the provider has returned them. */
  subscriptionId: string | null;
  resourceId: string | null;
  expiresAt: Date | null;
  /** null until the channel was live. */
  renewAt: Date | null;
  /** The channel misses notifications and needs a replacement. */
  isMissingNotifications: boolean;
  createdAt: Date;
}

/** A claimed reconciliation: the right to change a calendar's channels until the lease ends. */
export interface ClaimedReconciliation {
  syncedCalendarId: string;
  leaseId: string;
  /** Version of the requests for reconciliation that this one covers. */
  asks: string;
  failures: number;
  applicationId: string;
  accountId: string;
  calendarId: string;
  providerType: ProviderType;
  /** The calendar has subscriptions. */
  isWanted: boolean;
  /** The account is ACTIVE. */
  isActive: boolean;
  channels: ProviderChannel[];
}

export interface ChannelToken {
  channelId: string;
  syncedCalendarId: string;
  token: string;
}

/** Push channels. Methods that take a {@link ClaimedReconciliation} write nothing when its lease was lost. */
export abstract class ProviderChannelRepository {
  abstract claimReconciliations(options: { limit: number; leaseMs: number }): Promise<ClaimedReconciliation[]>;
  /** Claims one reconciliation, due or not. Returns null while another caller holds it. */
  abstract claimReconciliation(
    application: ApplicationRef,
    syncedCalendarId: string,
    leaseMs: number,
  ): Promise<ClaimedReconciliation | null>;
  /** Whether the calendar is still there. */
  abstract isRegistered(application: ApplicationRef, syncedCalendarId: string): Promise<boolean>;
  /** Claims the reconciliations of the account's calendars with channels, except those that other callers hold. */
  abstract claimReconciliationsOfAccount(
    application: ApplicationRef,
    accountId: string,
    leaseMs: number,
  ): Promise<ClaimedReconciliation[]>;
  /** Call before the provider is asked: a crash then leaves a row instead of an unknown channel. */
  abstract open(
    reconciliation: ClaimedReconciliation,
    channel: { token: string },
  ): Promise<{ channelId: string } | null>;
  /** Marks the channel live until `expiresAt`. Other live channels of the calendar become `closing`. */
  abstract live(
    reconciliation: ClaimedReconciliation,
    channelId: string,
    facts: Pick<ProviderChannel, 'subscriptionId' | 'resourceId'> & { expiresAt: Date; renewAt: Date },
  ): Promise<boolean>;
  abstract closed(reconciliation: ClaimedReconciliation, channelId: string): Promise<boolean>;
  /** Ends the reconciliation. The next one is due after `inMs`, or at once when requested meanwhile. */
  abstract completeReconciliation(
    reconciliation: ClaimedReconciliation,
    inMs: number,
    failures?: number,
  ): Promise<boolean>;
  /** Deletes a calendar without subscriptions and channels. False when it has some, or was registered again. */
  abstract delete(reconciliation: ClaimedReconciliation): Promise<boolean>;
  /** Deletes a live channel that the provider dropped, and requests a sync and a replacement. */
  abstract lost(channelId: string): Promise<boolean>;
  /** Requests a renewal, once a minute at most: the provider repeats its notification. */
  abstract renewSoon(channelId: string): Promise<boolean>;
  /** Records a change found by a sync. The second one in a row without a notification requests another channel. */
  abstract recordFoundChange(syncedCalendarId: string, wasPushed: boolean): Promise<void>;
  abstract keys(channelIds: string[]): Promise<ChannelToken[]>;
}

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
  /** Provider ids of the channel. Stopping it needs both. */
  subscriptionId: string;
  resourceId: string | null;
  expiresAt: Date;
}

/** What stopping and renewing need. */
export type KnownChannel = Pick<ChannelFacts, 'subscriptionId' | 'resourceId'> & Pick<ChannelRequest, 'token'>;

/** Push channels of a provider. Methods throw as those of {@link CalendarProvider} do. */
export abstract class CalendarPush {
  /**
   * Whether the provider takes our channel ids and uses one resource id per calendar. A channel whose response was lost
   * can then be stopped with the resource id of a later one.
   */
  abstract readonly usesOurIds: boolean;

  /**
   * Opens a channel for the events of a calendar. A lost response may leave an open channel at the provider: its
   * `channelId` is not used again, its notifications are ignored, and it expires.
   * @returns null when the provider never pushes for this calendar: the worker has to poll it
   * @throws DomainError NotSupportedByProvider when the calendar cannot be subscribed to; Conflict when the provider
   *   already knows the channel id, so that another id works
   */
  abstract open(session: AccountSession, calendarId: string, request: ChannelRequest): Promise<ChannelFacts | null>;
  /**
   * Extends a live channel under its current ids.
   * @returns null when the provider cannot renew the channel or does not know it: open another one
   */
  abstract renew(session: AccountSession, channel: KnownChannel): Promise<ChannelFacts | null>;
  /** Stops a channel. Late notifications may still arrive. No-op when the provider does not know the channel. */
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
  isSilent: boolean;
  createdAt: Date;
}

/** A claimed reconciliation: the right to change a calendar's channels until the lease ends. */
export interface ChannelUpkeep {
  watchedCalendarId: string;
  leaseId: string;
  /** Version of the requests for reconciliation that this one covers. */
  asks: string;
  /** Failed reconciliations in a row before this one. */
  failures: number;
  applicationId: string;
  accountId: string;
  calendarId: string;
  providerType: ProviderType;
  /** The calendar has subscriptions. */
  isWanted: boolean;
  /** The account is ACTIVE, so its provider can be called. */
  isActive: boolean;
  /** Oldest first. */
  channels: ProviderChannel[];
}

/** What a notification is verified against. */
export interface ChannelKey {
  channelId: string;
  watchedCalendarId: string;
  token: string;
}

/**
 * Push channels of synced calendars. Changing them requires the calendar's reconciliation lease: methods that take a
 * {@link ChannelUpkeep} write nothing and return null or false when the lease was lost.
 */
export abstract class ProviderChannelRepository {
  /** Claims due reconciliations of all applications. */
  abstract claimUpkeep(options: { limit: number; leaseMs: number }): Promise<ChannelUpkeep[]>;
  /**
   * Claims the reconciliation of one calendar, due or not. Returns null while another caller holds it, or when the
   * calendar does not exist.
   */
  abstract takeUpkeep(
    application: ApplicationRef,
    watchedCalendarId: string,
    leaseMs: number,
  ): Promise<ChannelUpkeep | null>;
  /** Claims the reconciliations of the account's calendars that have channels and no holder. */
  abstract takeAccountUpkeep(application: ApplicationRef, accountId: string, leaseMs: number): Promise<ChannelUpkeep[]>;
  /** Call before the provider is asked: a crash then leaves a row instead of an unknown channel. */
  abstract open(upkeep: ChannelUpkeep, channel: { token: string }): Promise<{ channelId: string } | null>;
  /** Marks the channel live until `expiresAt`. Other live channels of the calendar become `closing`. */
  abstract live(
    upkeep: ChannelUpkeep,
    channelId: string,
    facts: Pick<ProviderChannel, 'subscriptionId' | 'resourceId'> & { expiresAt: Date; renewAt: Date },
  ): Promise<boolean>;
  /** Deletes the channel after the provider stopped it. */
  abstract closed(upkeep: ChannelUpkeep, channelId: string): Promise<boolean>;
  /**
   * Ends the reconciliation. The next one is due after `inMs`, or at once when one was requested meanwhile.
   * @param failures in a row; default 0
   */
  abstract finishUpkeep(upkeep: ChannelUpkeep, inMs: number, failures?: number): Promise<boolean>;
  /** Deletes a calendar without subscriptions and channels. Returns false when it has some, or was registered again. */
  abstract forget(upkeep: ChannelUpkeep): Promise<boolean>;
  /**
   * Deletes a live channel that the provider dropped, and requests a sync and a replacement. False when it was not
   * live.
   */
  abstract lost(channelId: string): Promise<boolean>;
  /**
   * Requests the renewal of a live channel. Returns false when the channel is not live, or was opened or renewed within
   * the last minute, because the provider repeats this notification.
   */
  abstract renewSoon(channelId: string): Promise<boolean>;
  /**
   * Records a change found by a sync. The second one in a row without a notification marks the live channel as missing
   * notifications and requests a replacement.
   */
  abstract noteFind(watchedCalendarId: string, wasPushed: boolean): Promise<void>;
  /** Returns the tokens of the channels that exist, over all applications. */
  abstract keys(channelIds: string[]): Promise<ChannelKey[]>;
}

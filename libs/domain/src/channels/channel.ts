import type { ProviderType } from '../accounts/account.js';
import type { ApplicationRef } from '../applications/application.js';
import type { AccountSession } from '../providers/provider.js';

/** Where a provider is to push to. */
export interface ChannelRequest {
  /** UUID of ours, never used before. */
  channelId: string;
  /** What makes a push genuine: 43 characters of base64url, random, never logged. */
  token: string;
  /** Pushes, and what a provider has to say about the channel itself, go here: absolute, under `PUBLIC_URL`. */
  notificationUrl: string;
  lifecycleUrl: string;
}

/** What a provider says about a channel by itself, as it was read: only its form is checked. */
export interface ChannelNotification {
  channelId: string;
  /** Only the channel's own makes the notification genuine. */
  token: string;
  /**
   * `sync`: the channel is open. `missed`: the provider could not report every change. `reauthorize`: the channel ends
   * unless it is renewed. `removed`: the provider has dropped it. `gone`: what it watches does not exist any more.
   */
  kind: 'sync' | 'change' | 'missed' | 'reauthorize' | 'removed' | 'gone';
}

/** What the provider says of a channel. */
export interface ChannelFacts {
  /** The provider's ids; both are needed to stop it. */
  subscriptionId: string;
  resourceId: string | null;
  /** It pushes until then, unless it is renewed or dropped. */
  expiresAt: Date;
}

/** What stopping and renewing take. */
export type KnownChannel = Pick<ChannelFacts, 'subscriptionId' | 'resourceId'> & Pick<ChannelRequest, 'token'>;

/** How a provider is made to tell of changes by itself. Methods throw as those of {@link CalendarProvider} do. */
export abstract class CalendarPush {
  /**
   * Channels have our ids at the provider, and all channels of a calendar have one resource id: one whose answer was lost
   * can be stopped once another one was answered.
   */
  abstract readonly usesOurIds: boolean;

  /**
   * Opens a channel for the events of a calendar. A request whose answer was lost may have opened one: `channelId` is not
   * used again, what such a channel pushes is ignored, and it ends by itself.
   * @returns null when the provider will never push for this calendar, which can be read all the same: it has to be polled
   * @throws DomainError NotSupportedByProvider, when subscribing to this calendar has to be refused; Conflict, when the
   *   provider has known the channel's id: another one will do
   */
  abstract open(session: AccountSession, calendarId: string, request: ChannelRequest): Promise<ChannelFacts | null>;
  /**
   * Makes a live channel last longer, under the ids that it has.
   * @returns null when another one has to be opened in its place: the provider cannot renew, or knows it no more
   */
  abstract renew(session: AccountSession, channel: KnownChannel): Promise<ChannelFacts | null>;
  /** Pushes may still be under way afterwards. Nothing happens when the provider does not know it (any more). */
  abstract stop(session: AccountSession, channel: KnownChannel): Promise<void>;
}

export interface ProviderChannel {
  id: string;
  /** In clear, in memory only; empty when it cannot be read any more. */
  token: string;
  /** `opening`: the provider may or may not know of it. `closing`: it is to be stopped there. */
  state: 'opening' | 'live' | 'closing';
  /** The provider's ids of it; null until it has said them. */
  subscriptionId: string | null;
  resourceId: string | null;
  expiresAt: Date | null;
  /** When it has to be renewed; null until it was live. */
  renewAt: Date | null;
  /** It is not heard, or was not when looks in a row found changes: another one has to take its place. */
  isSilent: boolean;
  createdAt: Date;
}

/** The right to change the channels of a calendar, until its lease ends. */
export interface ChannelUpkeep {
  watchedCalendarId: string;
  leaseId: string;
  /** Reasons for upkeep that it knows of. */
  asks: string;
  /** How many before it failed in a row. */
  failures: number;
  applicationId: string;
  accountId: string;
  calendarId: string;
  providerType: ProviderType;
  /** There are subscriptions. */
  isWanted: boolean;
  /** The account is ACTIVE: its provider can be asked. */
  isActive: boolean;
  /** Oldest first. */
  channels: ProviderChannel[];
}

/** What a push is judged by. */
export interface ChannelKey {
  channelId: string;
  watchedCalendarId: string;
  token: string;
}

/**
 * Push channels of watched calendars. Whoever changes them holds the calendar's upkeep; methods that take one do nothing
 * and say so when its lease was lost.
 */
export abstract class ProviderChannelRepository {
  /** Calendars whose channels are to be compared with what is wanted, of all applications. */
  abstract claimUpkeep(options: { limit: number; leaseMs: number }): Promise<ChannelUpkeep[]>;
  /** One calendar's, due or not; null while somebody else has it, and when it is not there. */
  abstract takeUpkeep(
    application: ApplicationRef,
    watchedCalendarId: string,
    leaseMs: number,
  ): Promise<ChannelUpkeep | null>;
  /** Of an account's calendars that have channels, those that nobody else has. */
  abstract takeAccountUpkeep(application: ApplicationRef, accountId: string, leaseMs: number): Promise<ChannelUpkeep[]>;
  /** Written before the provider is asked: a crash leaves a row, never a channel that nobody knows of. */
  abstract open(upkeep: ChannelUpkeep, channel: { token: string }): Promise<{ channelId: string } | null>;
  /** It works, or works longer. Any other live one of the calendar is to be closed from now on. */
  abstract live(
    upkeep: ChannelUpkeep,
    channelId: string,
    facts: Pick<ProviderChannel, 'subscriptionId' | 'resourceId'> & { expiresAt: Date; renewAt: Date },
  ): Promise<boolean>;
  /** The provider does not know it any more. */
  abstract closed(upkeep: ChannelUpkeep, channelId: string): Promise<boolean>;
  /**
   * Ends the upkeep; it is due again then, at once if there was a reason meanwhile.
   * @param failures in a row by now; none when it is left out
   */
  abstract finishUpkeep(upkeep: ChannelUpkeep, inMs: number, failures?: number): Promise<boolean>;
  /** Forgets a calendar without subscriptions and channels. False when it has some again, or is watched anew. */
  abstract forget(upkeep: ChannelUpkeep): Promise<boolean>;
  /** The provider dropped a live channel: the calendar is looked at, and gets another one. False when it was not live. */
  abstract lost(channelId: string): Promise<boolean>;
  /**
   * The provider wants a live channel renewed before its time. False, and nothing done, when it is not live, or was made
   * or renewed within the last minute: the provider says so more than once.
   */
  abstract renewSoon(channelId: string): Promise<boolean>;
  /**
   * A look found a change. The second in a row that no push told of shows that the live channel is silent: it gets a
   * successor.
   */
  abstract noteFind(watchedCalendarId: string, wasPushed: boolean): Promise<void>;
  /** Those of the ids that exist; of all applications. */
  abstract keys(channelIds: string[]): Promise<ChannelKey[]>;
}

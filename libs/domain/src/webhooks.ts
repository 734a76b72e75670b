import type { ApplicationRef, ProviderType } from './account.js';
import type { OutboxMessage } from './oauth.js';

/** Signing secrets in clear text, in memory only; encrypted at rest. */
export interface StoredSigningSecrets {
  active: string;
  /** Replaced ones, each signs until its end; newest first. */
  retiring: { secret: string; endsAt: Date }[];
}

/** `gone`: it answered 410. `failing`: it did nothing but fail for too long. `requested`: by hand. */
export type DisabledReason = 'gone' | 'failing' | 'requested';

/** Where messages go: of a subscription of one calendar, or of the application as a whole. */
export interface WebhookEndpoint {
  /** Of a subscription, its id. */
  id: string;
  applicationId: string;
  /** null: it is the application's and is told of accounts. */
  watchedCalendarId: string | null;
  url: string;
  /** What it is told; nothing else. */
  eventTypes: string[];
  /** Attempts that may start in a second; null: no limit. */
  rateLimit: number | null;
  /** Since when it has done nothing but fail; null: its last attempt succeeded, or there was none. */
  failingSince: Date | null;
  /** null: messages are sent. */
  disabledAt: Date | null;
  disabledReason: DisabledReason | null;
  createdAt: Date;
  updatedAt: Date;
}

export interface NewWebhookEndpoint extends Pick<
  WebhookEndpoint,
  'watchedCalendarId' | 'url' | 'eventTypes' | 'rateLimit'
> {
  secrets: StoredSigningSecrets;
}

/** How changes of a calendar become known: its provider pushes, or it is looked at every minute. */
export const SUBSCRIPTION_DELIVERIES = ['push', 'polled'] as const;

export type SubscriptionDelivery = (typeof SUBSCRIPTION_DELIVERIES)[number];

/** A calendar's subscription with the channel that keeps it informed. */
export interface WebhookSubscription extends WebhookEndpoint {
  accountId: string;
  calendarId: string;
  /** null: there is none now, or the provider has none. */
  channel: Pick<ProviderChannel, 'subscriptionId' | 'resourceId' | 'expiresAt'> | null;
}

/** Ids are in the order of time, to the millisecond: pages go on after the last id of the page before. */
export interface WebhookPage {
  limit: number;
  after: string | null;
}

/** Endpoints and subscriptions. An id of another application, or something that is no id, is NotFound. */
export abstract class WebhookEndpointRepository {
  /** @throws DomainError NotFound, when the application or the watched calendar is not there */
  abstract create(application: ApplicationRef, endpoint: NewWebhookEndpoint): Promise<WebhookEndpoint>;
  /** @throws DomainError NotFound */
  abstract get(application: ApplicationRef, endpointId: string): Promise<WebhookEndpoint>;
  /** The application's own, oldest first; no subscriptions. */
  abstract list(application: ApplicationRef, page: WebhookPage): Promise<WebhookEndpoint[]>;
  /** @param watchedCalendarId whose subscriptions are counted; null: the application's own endpoints */
  abstract count(application: ApplicationRef, watchedCalendarId: string | null): Promise<number>;
  /** Of an account, oldest first. */
  abstract listSubscriptions(
    application: ApplicationRef,
    accountId: string,
    page: WebhookPage,
  ): Promise<WebhookSubscription[]>;
  /**
   * No attempt is claimed once this has returned; its messages are dropped in time, and the channel of a calendar that
   * nobody subscribes to any more is due for upkeep. False when it was not there.
   * @param accountId of a subscription; null for an endpoint of the application: an id of the other kind is not there
   */
  abstract remove(application: ApplicationRef, endpointId: string, accountId: string | null): Promise<boolean>;
  /**
   * Replaces the secrets by what `change` makes of them, one change after the other. What it throws leaves them as
   * they were.
   * @throws DomainError NotFound
   */
  abstract changeSecrets(
    application: ApplicationRef,
    endpointId: string,
    change: (secrets: StoredSigningSecrets) => StoredSigningSecrets,
  ): Promise<StoredSigningSecrets>;
  /** In force within a second, for messages that wait, too. @throws DomainError NotFound */
  abstract setRateLimit(application: ApplicationRef, endpointId: string, rateLimit: number | null): Promise<void>;
  /** No attempt starts any more. True for the one caller that did it. */
  abstract disable(application: ApplicationRef, endpointId: string, reason: DisabledReason): Promise<boolean>;
  /** It has failed never. What it missed is recovered by {@link WebhookMessageRepository.recover}. False when it was enabled. */
  abstract enable(application: ApplicationRef, endpointId: string): Promise<boolean>;
}

/** Whom a new message is for. */
export interface MessageTarget {
  /** UUIDv7 of the message. */
  id: string;
  endpointId: string;
  /** Whether the application wants to be told whose calendar it is. */
  isEnriched: boolean;
}

/** A message as it will be sent, with every attempt. */
export interface ComposedMessage {
  eventType: string;
  /** UTF-8 without NUL. */
  body: Buffer;
}

export type MessageState =
  | 'pending'
  | 'delivered'
  /** Given up: what was the last straw is in `failureReason`. */
  | 'failed';

export interface StoredWebhookMessage {
  id: string;
  endpointId: string;
  eventType: string;
  state: MessageState;
  /** `exhausted`, `gone`, `endpoint-disabled`, or why the URL is not allowed; null unless failed. */
  failureReason: string | null;
  /** null unless pending. */
  nextAttemptAt: Date | null;
  createdAt: Date;
}

/** A line of the log. */
export interface DeliveryAttempt {
  /** From 1 by the schedule; from -1 downwards by hand. */
  number: number;
  startedAt: Date;
  /** null: it is under way, or the process that made it died. */
  durationMs: number | null;
  status: number | null;
  failure: string | null;
  responseText: string | null;
  nextAttemptAt: Date | null;
}

/** The right to make one attempt, until its lease ends. */
export interface ClaimedAttempt {
  messageId: string;
  leaseId: string;
  number: number;
  /** How often the schedule has seen it fail. */
  failures: number;
  /** Processes that died in the middle of an attempt since the last one that ended. */
  deaths: number;
  /** To be waited for; 0 without a rate. */
  startsInMs: number;
  /** W3C `traceparent` of who asked for the message last; null: that is not traced. */
  traceparent: string | null;
  eventType: string;
  body: Buffer;
  endpoint: {
    id: string;
    applicationId: string;
    url: string;
    rateLimit: number | null;
    /** null: there is no key to open them with, or they are damaged. */
    secrets: StoredSigningSecrets | null;
  };
  webhookSubscriptionId: string | null;
  endUserAccountId: string | null;
  calendarId: string | null;
}

export type AttemptClaim =
  | { state: 'claimed'; attempt: ClaimedAttempt }
  /** The endpoint's rate does not allow it before; nothing was taken. */
  | { state: 'later'; inMs: number }
  /** Somebody else has it, it is done, not due, its endpoint disabled or removed. */
  | { state: 'nothing' };

export interface AttemptOutcome {
  durationMs: number;
  status: number | null;
  failure: string | null;
  responseText: string;
  verdict:
    | { kind: 'delivered' }
    /** Failed; the schedule goes on after that time. */
    | { kind: 'retry'; inMs: number }
    /** Failed for good. */
    | { kind: 'failed'; reason: string }
    /** 410: failed for good, and the endpoint is disabled. */
    | { kind: 'gone' }
    /** Broken off by us: it does not count and has to be made again. */
    | { kind: 'interrupted' };
}

export interface EndedAttempt {
  attempt: ClaimedAttempt;
  outcome: AttemptOutcome;
}

export interface RecordedAttempt {
  /** Since when the endpoint has done nothing but fail, this attempt included. */
  failingSince: Date | null;
  /** Whether it was this attempt that disabled the endpoint. */
  hasDisabled: boolean;
}

/** A message that is to be delivered. */
export interface QueuedMessage {
  id: string;
  endpointId: string;
}

/** A message to be put into a queue. */
export interface DueMessage extends QueuedMessage {
  /** It was not tried before. */
  isFirst: boolean;
}

/** Messages and their attempts, on the database's clock. */
export abstract class WebhookMessageRepository {
  /**
   * Due messages of all applications that are in no queue. One that was given out and not claimed is given out again
   * after 45 s: a queue that was lost fills again. Of an endpoint with a rate it gives out as many as may start soon.
   * Oldest first, and some of the newest, a quarter more: a long backlog of others does not keep a new one waiting.
   * @param limit of those that were never tried, and of the others
   * @param only the ones or the others
   */
  abstract takeDue(limit: number, only?: 'first' | 'repeated'): Promise<DueMessage[]>;
  /** For messages that were given out and cannot be claimed now: they are given out again after that time. */
  abstract putOff(waits: readonly { messageId: string; inMs: number }[]): Promise<void>;
  /**
   * Takes messages for one attempt each: one holder at a time, who may start it after `startsInMs`.
   * @param aheadMs longest wait for a start of an endpoint with a rate
   * @returns in the order of the ids
   */
  abstract claim(messageIds: readonly string[], options: { leaseMs: number; aheadMs: number }): Promise<AttemptClaim[]>;
  /** For attempts that take long. One that is somebody else's by now stays theirs. */
  abstract extend(attempts: readonly ClaimedAttempt[], leaseMs: number): Promise<void>;
  /**
   * What came of attempts, in their order; null, and nothing written, when the lease ended and somebody else took over,
   * or the message is gone.
   */
  abstract record(ended: readonly EndedAttempt[]): Promise<(RecordedAttempt | null)[]>;
  /** A message of no calendar and no account, due now. @throws DomainError NotFound */
  abstract add(
    application: ApplicationRef,
    endpointId: string,
    message: ComposedMessage & { id: string },
  ): Promise<void>;
  /**
   * Asks for one attempt beside the schedule, whatever state the message is in. The schedule goes on as it was; a
   * message that had failed is delivered when it succeeds. @throws DomainError NotFound
   */
  abstract resend(application: ApplicationRef, messageId: string): Promise<void>;
  /** Makes failed messages of an enabled endpoint, made since then, pending from the beginning. @returns how many */
  abstract recover(application: ApplicationRef, endpointId: string, since: Date): Promise<number>;
  /** Newest first. */
  abstract list(
    application: ApplicationRef,
    endpointId: string,
    page: WebhookPage & { state: MessageState | null },
  ): Promise<StoredWebhookMessage[]>;
  /** null: the endpoint has no such message. */
  abstract find(
    application: ApplicationRef,
    endpointId: string,
    messageId: string,
  ): Promise<StoredWebhookMessage | null>;
  /** In the order in which they started. */
  abstract attempts(application: ApplicationRef, messageId: string): Promise<DeliveryAttempt[]>;
}

/** Account events on their way from the outbox to endpoints. */
export abstract class AccountEventRelay {
  /**
   * Turns the oldest events of the outbox into messages of the endpoints that want their type: each event once, in
   * order. One caller works at a time; others get 0.
   * @returns how many events were relayed; as many as `limit`: there may be more
   */
  abstract relay(limit: number, compose: (messageId: string, event: OutboxMessage) => ComposedMessage): Promise<number>;
}

/** The right to look at a calendar, until its lease ends. */
export interface CalendarLook {
  watchedCalendarId: string;
  leaseId: string;
  /** Hints that it knows of. */
  hints: string;
  applicationId: string;
  accountId: string;
  calendarId: string;
  providerType: ProviderType;
  /** Up to where changes were announced; null: this is the first look. */
  syncToken: string | null;
  /** For how long looks have been failing; null: the last one did not. */
  failingForMs: number | null;
  /** What made it due since the last one that did not fail: a push (among others), other hints, or time alone. */
  cause: 'push' | 'hint' | 'timer';
  /** A live channel tells of its changes: the timer is for what pushes lose. */
  isPushed: boolean;
  /** How many looks at it in a row ended with the process that made them. */
  deaths: number;
  /** W3C `traceparent` of the last hint that was traced, since the look before; null: there was none. */
  traceparent: string | null;
}

export interface LookResult {
  /** Up to where changes are announced now. */
  syncToken: string | null;
  /** When to look again without a hint. */
  nextLookInMs: number;
  /** What subscriptions are told; null: nothing changed. */
  compose: ((target: MessageTarget) => ComposedMessage) | null;
}

/** Whoever made a look due calls them. */
export abstract class Lookout {
  /** Somebody looks at once instead of at the next sweep. Returns at once, never throws, and may be lost. */
  abstract wake(): void;
}

/**
 * Calendars with subscriptions, and the looks at them, on the database's clock. After a calm a hint makes a look due at
 * once; looks at one calendar begin two seconds apart.
 */
export abstract class WatchedCalendarRepository {
  /**
   * Watches the calendar, if that is not done yet, and keeps it from being forgotten until it is subscribed to.
   * @throws DomainError NotFound, when there is no such account
   */
  abstract watch(
    application: ApplicationRef,
    accountId: string,
    calendarId: string,
  ): Promise<{ watchedCalendarId: string }>;
  /**
   * Pushes: a look is due; each id counts as often as it is given. Of all applications.
   * @param traceparents of those among them that are traced
   */
  abstract hint(watchedCalendarIds: string[], traceparents?: ReadonlyMap<string, string>): Promise<void>;
  /** A look is due that begins from now on, although nobody has said that anything changed. */
  abstract lookAnew(watchedCalendarId: string): Promise<void>;
  /** False, and nothing happens, when the calendar is not watched. `PRIMARY` may be any calendar of the account. */
  abstract hintCalendar(application: ApplicationRef, accountId: string, calendarId: string): Promise<boolean>;
  /** All watched calendars of an account, their channels too. */
  abstract hintAccount(application: ApplicationRef, accountId: string): Promise<void>;
  /** Due ones of ACTIVE accounts, longest due first; one look at a time over all processes. */
  abstract claimLooks(options: {
    limit: number;
    leaseMs: number;
    /** Between the beginnings of two looks at one calendar. */
    coalesceMs: number;
  }): Promise<CalendarLook[]>;
  /**
   * The first look at a calendar that is about to be subscribed to, whether it is due or not. `begun`: that was made, by
   * whomever; `busy`: somebody is at it.
   * @throws DomainError NotFound, when the calendar is not watched
   */
  abstract claimFirstLook(
    application: ApplicationRef,
    watchedCalendarId: string,
    leaseMs: number,
  ): Promise<CalendarLook | 'begun' | 'busy'>;
  /** For a look that takes long. False when it is somebody else's by now. */
  abstract extendLook(look: CalendarLook, leaseMs: number): Promise<boolean>;
  /**
   * Ends the look: its cursor and one message for every subscription that wants its type, or, when the lease was lost,
   * nothing at all and null. After a hint that came meanwhile the next look is due as soon as it may be.
   * @returns the messages there are now, all of them due
   */
  abstract finishLook(look: CalendarLook, result: LookResult): Promise<QueuedMessage[] | null>;
  /** The look failed: another one is due then, or at a hint. False when it is somebody else's by now. */
  abstract putOffLook(look: CalendarLook, inMs: number): Promise<boolean>;
  /** The look was not made: it is due again at once. False when it is somebody else's by now. */
  abstract giveBackLook(look: CalendarLook): Promise<boolean>;
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

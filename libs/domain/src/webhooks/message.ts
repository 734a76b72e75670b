import type { ApplicationRef } from '../applications/application.js';
import type { StoredSigningSecrets, WebhookPage } from './endpoint.js';

export interface MessageTarget {
  id: string;
  endpointId: string;
  /** The application wants the calendar's account in its messages. */
  isEnriched: boolean;
}

export interface ComposedMessage {
  eventType: string;
  /** UTF-8 without NUL. */
  body: Buffer;
}

export type MessageState =
  | 'pending'
  | 'delivered'
  /** No further attempts. `failureReason` says why. */
  | 'failed';

export interface StoredWebhookMessage {
  id: string;
  endpointId: string;
  eventType: string;
  state: MessageState;
  /** `exhausted`, `gone`, `endpoint-disabled`, or why the URL is not allowed. null unless failed. */
  failureReason: string | null;
  /** null unless pending. */
  nextAttemptAt: Date | null;
  createdAt: Date;
}

export interface DeliveryAttempt {
  /** Positive for scheduled attempts (1, 2, …), negative for manual ones (-1, -2, …). */
  number: number;
  startedAt: Date;
  /** null while the attempt runs, and when its process died. */
  durationMs: number | null;
  status: number | null;
  failure: string | null;
  responseText: string | null;
  nextAttemptAt: Date | null;
}

/** The right to make one attempt until the lease ends. */
export interface ClaimedAttempt {
  messageId: string;
  leaseId: string;
  number: number;
  failures: number;
  /** Attempts since the last completed one whose process died. */
  stalledCount: number;
  /** Wait before the attempt. 0 without a rate limit. */
  startsInMs: number;
  /** W3C `traceparent` of the last request for this message. null when not traced. */
  traceparent: string | null;
  eventType: string;
  body: Buffer;
  endpoint: {
    id: string;
    applicationId: string;
    url: string;
    rateLimit: number | null;
    /** null when they cannot be decrypted. */
    secrets: StoredSigningSecrets | null;
  };
  webhookSubscriptionId: string | null;
  endUserAccountId: string | null;
  calendarId: string | null;
}

export type AttemptClaim =
  | { state: 'claimed'; attempt: ClaimedAttempt }
  /** Rate limit of the endpoint. Nothing was claimed. */
  | { state: 'later'; inMs: number }
  /** Claimed by another caller, done, not due, or its endpoint is disabled or deleted. */
  | { state: 'nothing' };

export interface AttemptOutcome {
  durationMs: number;
  status: number | null;
  failure: string | null;
  responseText: string;
  verdict:
    | { kind: 'delivered' }
    | { kind: 'retry'; inMs: number }
    | { kind: 'failed'; reason: string }
    /** HTTP 410: final, and disables the endpoint. */
    | { kind: 'gone' }
    /** Interrupted by this process. Does not count, and has to be repeated. */
    | { kind: 'interrupted' };
}

export interface EndedAttempt {
  attempt: ClaimedAttempt;
  outcome: AttemptOutcome;
}

export interface RecordedAttempt {
  /** Start of the current run of failures, this attempt included. */
  failingSince: Date | null;
  hasDisabled: boolean;
}

export interface QueuedMessage {
  id: string;
  endpointId: string;
}

export interface DueMessage extends QueuedMessage {
  /** No attempt was made before. */
  isFirst: boolean;
}

/** Messages and their attempts, on the database clock. */
/** Ids are UUIDs. null leaves a field unfiltered. */
export interface MessageFilter {
  applicationId: string | null;
  endpointId: string | null;
  /** The account that the message is about. */
  accountId: string | null;
  eventType: string | null;
  state: MessageState | null;
  /** Creation time: `from` inclusive, `to` exclusive. */
  from: Date | null;
  to: Date | null;
}

/** Messages of one filter that got one more attempt. */
export interface ResentMessages {
  applicationIds: string[];
  /** Id of the last one. null when none was left. */
  lastId: string | null;
}

export abstract class WebhookMessageRepository {
  /**
   * Claims due messages of all applications for a queue, oldest first plus a quarter of the newest, so that a backlog
   * does not delay new ones. Messages without an attempt after 45 s are returned again, in case a queue was lost.
   * @param limit per kind: first attempts and retries
   * @param only undefined for both kinds
   */
  abstract claimForQueue(limit: number, only?: 'first' | 'repeated'): Promise<DueMessage[]>;
  /** Returns unclaimed messages to {@link claimForQueue} after `inMs`. */
  abstract defer(waits: readonly { messageId: string; inMs: number }[]): Promise<void>;
  /** Claims messages for one attempt each, in the order of the ids. @param aheadMs longest `startsInMs` */
  abstract claim(messageIds: readonly string[], options: { leaseMs: number; aheadMs: number }): Promise<AttemptClaim[]>;
  /** Extends the leases of slow attempts. Skips those that another caller claimed. */
  abstract extend(attempts: readonly ClaimedAttempt[], leaseMs: number): Promise<void>;
  /** @returns in their order; null, and nothing written, when the lease was lost or the message deleted */
  abstract record(ended: readonly EndedAttempt[]): Promise<(RecordedAttempt | null)[]>;
  /** Adds a message without calendar and account, due now. @throws DomainError NotFound */
  abstract add(
    application: ApplicationRef,
    endpointId: string,
    message: ComposedMessage & { id: string },
  ): Promise<void>;
  /** Requests one manual attempt beside the schedule, in any state. @throws DomainError NotFound */
  abstract resend(application: ApplicationRef, messageId: string): Promise<void>;
  /** Resets failed messages created since `since` to pending, for an enabled endpoint. @returns number of messages */
  abstract recover(application: ApplicationRef, endpointId: string, since: Date): Promise<number>;
  /** {@link resend} for messages of all applications, oldest first, but those to disabled or deleted endpoints. */
  abstract resendMatching(
    filter: MessageFilter,
    page: { limit: number; after: string | null },
  ): Promise<ResentMessages>;
  abstract list(
    application: ApplicationRef,
    endpointId: string,
    page: WebhookPage & { state: MessageState | null },
  ): Promise<StoredWebhookMessage[]>;
  abstract find(
    application: ApplicationRef,
    endpointId: string,
    messageId: string,
  ): Promise<StoredWebhookMessage | null>;
  abstract attempts(application: ApplicationRef, messageId: string): Promise<DeliveryAttempt[]>;
}

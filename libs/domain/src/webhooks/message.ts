import type { ApplicationRef } from '../applications/application.js';
import type { StoredSigningSecrets, WebhookPage } from './endpoint.js';

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

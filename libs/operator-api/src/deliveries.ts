/** `GET /endpoints`, newest first; `GET /endpoints/{endpointId}` → {@link EndpointView} */
export interface EndpointQuery {
  applicationId?: string;
  /** Those of its calendars. */
  accountId?: string;
  kind?: EndpointKind;
  state?: EndpointState;
}

/** `subscription`: to changes of one calendar; `application`: to account events. */
export type EndpointKind = 'subscription' | 'application';
/** `failing`: the last attempts failed; `disabled`: nothing is sent any more. */
export type EndpointState = 'active' | 'failing' | 'disabled';

export interface EndpointView {
  id: string;
  kind: EndpointKind;
  applicationId: string;
  applicationName: string;
  url: string;
  eventTypes: string[];
  state: EndpointState;
  /** Why it is disabled: `gone`, `failing`, … */
  disabledReason: string | null;
  failingSince: string | null;
  /** Messages a second; null: as they come. */
  rateLimit: number | null;
  /** Of a subscription. */
  accountId: string | null;
  calendarId: string | null;
  createdAt: string;
  /** Among its latest 1,000 messages. */
  pending: number;
  failed: number;
}

/**
 * `PATCH /endpoints/{endpointId}` → {@link EndpointView}; `DELETE` removes it → 204. `POST …/enable` → 204, `POST …/test` → 202;
 * a test of a disabled one is 409, as is everything that sends.
 */
export interface ChangeEndpointInput {
  rateLimit: number | null;
}

/** `POST /endpoints/{endpointId}/recover` → {@link Recovered}: what failed and was made since then is sent again. */
export interface RecoverInput {
  since: string;
}

export interface Recovered {
  recovered: number;
}

/** `POST /endpoints/{endpointId}/rotateSecret`, without a body. It is not shown again. */
export interface RotatedSecret {
  endpointSecret: string;
  /** Until when the old one signs as well. */
  previousUntil: string;
}

export type MessageState = 'pending' | 'delivered' | 'failed';

/** `GET /messages`, newest first. */
export interface MessageQuery {
  applicationId?: string;
  endpointId?: string;
  state?: MessageState;
}

export interface MessageView {
  /** The `webhook-id` of every attempt. */
  id: string;
  applicationId: string;
  applicationName: string;
  endpointId: string;
  url: string | null;
  eventType: string;
  state: MessageState;
  /** Why it failed for good. */
  failureReason: string | null;
  attempts: number;
  nextAttemptAt: string | null;
  createdAt: string;
}

/** `GET /messages/{messageId}`; `POST /messages/{messageId}/resend` → 202. */
export interface MessageDetail extends MessageView {
  /** What is sent, as it is sent. */
  body: string;
  log: AttemptView[];
}

export interface AttemptView {
  /** Those by hand are negative. */
  number: number;
  startedAt: string;
  durationMs: number | null;
  /** What the receiver answered. */
  status: number | null;
  /** What went wrong without an answer: `timeout`, `refused`, … */
  failure: string | null;
  /** The first KiB of the answer. */
  responseText: string | null;
  nextAttemptAt: string | null;
  /**
   * The headers that were sent, without timestamp and signature, which are made for each attempt and not kept. Empty: another
   * service delivers, and makes its own.
   */
  requestHeaders: Record<string, string>;
}

/** `GET /deliveries/figures` */
export interface FiguresQuery {
  applicationId?: string;
  endpointId?: string;
  /** Until now. */
  range: FiguresRange;
}

export type FiguresRange = '1h' | '24h' | '7d';

/** Buckets of equal length without gaps, oldest first: 60, 48 or 56 of them. */
export interface DeliveryFigures {
  bucketSeconds: number;
  buckets: DeliveryBucket[];
}

export interface DeliveryBucket {
  at: string;
  delivered: number;
  /** Attempts that failed. */
  failed: number;
  /** How long attempts took, milliseconds; null: there was none. */
  p50Ms: number | null;
  p95Ms: number | null;
}

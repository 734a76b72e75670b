import type { ApplicationRef } from '../applications/application.js';
import type { JsonObject } from '../system/ports.js';
import type { ComposedMessage } from '../webhooks/message.js';

/** Webhook event types about an account. The transaction that changes the account also writes the event. */
export const ACCOUNT_EVENT_TYPES = [
  'enduseraccount.created',
  'enduseraccount.updated',
  'enduseraccount.deleted',
  'enduseraccount.credential.updated',
] as const;

export type AccountEventType = (typeof ACCOUNT_EVENT_TYPES)[number];

/** A message waiting to be sent. `payload` is the JSON body for the application's endpoint. */
export interface OutboxMessage {
  eventType: AccountEventType;
  payload: JsonObject;
}

/** Transactional outbox of account events. Call inside the {@link UnitOfWork} that changes the account. */
export abstract class Outbox {
  abstract append(application: ApplicationRef, message: OutboxMessage): Promise<void>;
}

export abstract class AccountEventRelay {
  /**
   * Turns the oldest outbox events into messages of the endpoints subscribed to their type: each event once, in order.
   * One caller works at a time; concurrent callers get 0.
   * @returns number of relayed events; when it equals `limit`, more may be waiting
   */
  abstract relay(limit: number, compose: (messageId: string, event: OutboxMessage) => ComposedMessage): Promise<number>;
}

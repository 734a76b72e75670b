import type { ApplicationRef } from '../applications/application.js';
import type { JsonObject } from '../system/ports.js';
import type { ComposedMessage } from '../webhooks/message.js';

/** What happened to an account; written in the transaction that made it so, delivered to the application's endpoints. */
export const ACCOUNT_EVENT_TYPES = [
  'enduseraccount.created',
  'enduseraccount.updated',
  'enduseraccount.deleted',
  'enduseraccount.credential.updated',
] as const;

export type AccountEventType = (typeof ACCOUNT_EVENT_TYPES)[number];

/** A message that waits to be sent. `payload` is what the application's endpoint gets. */
export interface OutboxMessage {
  eventType: AccountEventType;
  payload: JsonObject;
}

/** Messages to the application. Call inside the {@link UnitOfWork} that makes them true. */
export abstract class Outbox {
  abstract append(application: ApplicationRef, message: OutboxMessage): Promise<void>;
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

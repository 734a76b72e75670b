import type { ApplicationRef } from '../applications/application.js';
import type { JsonObject } from '../system/ports.js';
import type { ComposedMessage } from '../webhooks/message.js';

export const ACCOUNT_EVENT_TYPES = [
  'enduseraccount.created',
  'enduseraccount.updated',
  'enduseraccount.deleted',
  'enduseraccount.credential.updated',
] as const;

export type AccountEventType = (typeof ACCOUNT_EVENT_TYPES)[number];

export interface OutboxMessage {
  eventType: AccountEventType;
  payload: JsonObject;
}

/** Transactional outbox of account events. Call inside the {@link UnitOfWork} that changes the account. */
export abstract class Outbox {
  abstract append(application: ApplicationRef, message: OutboxMessage): Promise<void>;
}

export abstract class OutboxRelay {
  /** Relays each event once, in order. Concurrent callers get 0. @returns number; when it is `limit`, call again */
  abstract relay(limit: number, compose: (messageId: string, event: OutboxMessage) => ComposedMessage): Promise<number>;
}

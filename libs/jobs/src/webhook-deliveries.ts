import { isUuid } from '#domain/system';
import { InvalidJobPayload, type JobDefinition } from './job-definition.js';

export interface DeliveriesPayload {
  messages: { id: string; endpointId: string }[];
}

/** Small, so that a killed worker delays few messages and workers share the load. */
export const MESSAGES_PER_JOB = 10;

/**
 * A job fails when the database does not respond. BullMQ retries it within seconds and skips claimed messages; after
 * the last attempt, the database enqueues the unclaimed ones again.
 */
const options = {
  attempts: 5,
  backoff: { type: 'exponential', delay: 500, jitter: 0.5 },
  removeOnComplete: true,
  removeOnFail: { age: 7 * 86_400, count: 1_000 },
};

function parse(data: unknown): DeliveriesPayload {
  const messages: unknown = typeof data === 'object' && data !== null ? Reflect.get(data, 'messages') : undefined;
  if (!Array.isArray(messages) || messages.length === 0 || messages.length > MESSAGES_PER_JOB) {
    throw new InvalidJobPayload('this job takes messages');
  }
  return { messages: messages.map(parseMessage) };
}

function parseMessage(message: unknown): { id: string; endpointId: string } {
  const { id, endpointId } = (message ?? {}) as Record<string, unknown>;
  for (const value of [id, endpointId]) {
    if (!isUuid(value)) throw new InvalidJobPayload('a message is named by UUIDs');
  }
  return { id: id as string, endpointId: endpointId as string };
}

/** First attempts, which never wait behind retries. */
export const webhookDelivery: JobDefinition<DeliveriesPayload> = {
  queue: 'webhook-deliveries',
  name: 'deliver',
  options,
  parse,
};

export const webhookRetry: JobDefinition<DeliveriesPayload> = {
  queue: 'webhook-redeliveries',
  name: 'retry',
  options,
  parse,
};

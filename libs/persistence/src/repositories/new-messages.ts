import type { ComposedMessage } from '#domain';
import { Database } from '../database/database.js';
import type { Scope } from '../database/scope.js';
import { INSERT_MESSAGES } from './webhook-message.statements.js';

export interface NewMessage extends ComposedMessage {
  id: string;
  applicationId: string;
  endpointId: string;
  accountId: string | null;
  traceparent: string | null;
  /** Of a change: when there was first reason to look for it. */
  noticedAt?: Date | null;
}

/** Writes messages that are due now, in one statement, in their order. */
export async function insertMessages(database: Database, scope: Scope, messages: readonly NewMessage[]): Promise<void> {
  if (messages.length === 0) return;
  await database.write(scope, {
    ...INSERT_MESSAGES,
    values: [
      messages.map(({ applicationId }) => applicationId),
      messages.map(({ id }) => id),
      messages.map(({ endpointId }) => endpointId),
      messages.map(({ accountId }) => accountId),
      messages.map(({ eventType }) => eventType),
      messages.map(({ body }) => body.toString('utf8')),
      messages.map(({ traceparent }) => traceparent),
      messages.map(({ noticedAt }) => noticedAt ?? null),
    ],
  });
}

import type { ComposedMessage } from '#domain';
import { Database } from '../database/database.js';
import type { Scope } from '../database/scope.js';

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
    name: 'webhook-messages-insert',
    text: INSERT,
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

const INSERT = `
  insert into webhook_message (application_id, id, endpoint_id, account_id, event_type, body, trace_parent, noticed_at, state, failures, resends,
         tries, tries_by_hand, next_attempt_at, wake_at, created_at)
  select n.application_id, n.id, n.endpoint_id, n.account_id, n.event_type, n.body, n.trace_parent, n.noticed_at, 'pending', 0, 0, 0, 0, at,
         at + ordinal * interval '1 microsecond', at + ordinal * interval '1 microsecond'
    from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::text[],
                $8::timestamptz[])
         with ordinality
         as n (application_id, id, endpoint_id, account_id, event_type, body, trace_parent, noticed_at, ordinal), (select clock_timestamp() as at) now`;

// Raw: all statements use the clock of the server. To prevent deadlocks, each locks messages before endpoints, skips
// locked messages, and locks endpoints in order of their ids.
import type { ComposedMessage } from '#domain/webhooks';
import { Database } from '../database/database.js';
import type { Scope } from '../database/scope.js';
import { MATCHES } from './operator-delivery-queries.statements.js';

/** A queued message that was not claimed is queued again after this. */
const QUEUED = "interval '45 seconds'";
/** Limits the queued messages of an endpoint with a rate to those that may start in this time. */
const QUEUE_AHEAD = "interval '1 second'";

/** Time between two starts, 3 % longer than the rate: no second exceeds it although a start may be 30 ms late. */
const spacing = (endpoint: string) => `(1.03 / ${endpoint}.rate_limit) * interval '1 second'`;

const now = 'clock_timestamp()';

/** $2: true for first attempts, false for retries, null for both: each kind is found without scanning the other. */
const due = (order: string, most: string) => `
    select kind.* from (values (true), (false)) lane (is_first), lateral (
      select id, endpoint_id, enqueue_at, rate_limited_until from webhook_message
       where (tries = 0) = lane.is_first and enqueue_at <= (select ${now}::timestamptz(3))
       order by enqueue_at ${order}, id ${order} limit ${most} for update skip locked
    ) kind where $2::bool is null or lane.is_first = $2`;

/**
 * $1: limit per kind, plus a quarter for the newest, so that they do not wait behind a backlog. Assigns turns at
 * endpoints with a rate. Deletes messages without an endpoint and fails those of a disabled one.
 */
export const TAKE_DUE = `
  with oldest as materialized (${due('asc', '$1')}
  ), newest as materialized (${due('desc', '$1 / 4')}
  ), due as materialized (
    select * from oldest union all select * from newest where id not in (select id from oldest)
  ), paced as materialized (
    select e.id, e.rate_limit, greatest(e.next_send_at, ${now}) as rate_limited_until from webhook_endpoint e
     where e.id in (select endpoint_id from due where rate_limited_until is null) and rate_limit is not null and disabled_at is null
     order by e.id for no key update
  ), turns as (
    select due.id, paced.id as endpoint_id, paced.rate_limited_until +
           (row_number() over (partition by due.endpoint_id order by due.enqueue_at, due.id) - 1) * ${spacing('paced')} as at
      from due join paced on paced.id = due.endpoint_id where due.rate_limited_until is null
  ), moved as (
    update webhook_endpoint e set next_send_at = last.at + ${spacing('e')}
      from (select endpoint_id, max(at) as at from turns group by endpoint_id) last where e.id = last.endpoint_id
  ), dropped as (
    delete from webhook_message m using due
     where m.id = due.id and not exists (select from webhook_endpoint e where e.id = due.endpoint_id)
  ), failed as (
    update webhook_message m set state = case when state = 'pending' then 'failed' else state end,
           failure_reason = case when state = 'pending' then 'endpoint-disabled' else failure_reason end,
           next_attempt_at = null, enqueue_at = null, rate_limited_until = null, resends = 0
      from due join webhook_endpoint e on e.id = due.endpoint_id where m.id = due.id and e.disabled_at is not null
  ), taken as (
    update webhook_message m set rate_limited_until = coalesce(turns.at, m.rate_limited_until), enqueue_at =
           case when turns.at > ${now} + ${QUEUE_AHEAD} then turns.at - ${QUEUE_AHEAD} else ${now} + ${QUEUED} end
      from due join webhook_endpoint e on e.id = due.endpoint_id left join turns on turns.id = due.id
     where m.id = due.id and e.disabled_at is null
    returning m.id, m.endpoint_id, m.tries = 0 as is_first, turns.at > ${now} + ${QUEUE_AHEAD} is true as waits,
              due.enqueue_at as due_at
  )
  select id, endpoint_id as "endpointId", is_first as "isFirst" from taken where not waits order by due_at, id`;

const isUnleased = `(leased_until is null or leased_until <= ${now})`;

export const PUT_OFF = `
  with waiting as materialized (
    select m.id, given.ms from webhook_message m
      join unnest($1::uuid[], $2::float8[]) as given (id, ms) on given.id = m.id
     where enqueue_at is not null and ${isUnleased} order by m.id for update of m skip locked
  )
  update webhook_message m set enqueue_at = ${now} + waiting.ms * interval '1 ms' from waiting where m.id = waiting.id`;

export const EXTEND = `
  with held as materialized (
    select m.id from webhook_message m join unnest($1::uuid[], $2::uuid[]) as given (id, lease_id) using (id, lease_id)
     order by m.id for update of m
  )
  update webhook_message m set leased_until = ${now} + $3 * interval '1 ms', enqueue_at = ${now} + $3 * interval '1 ms'
    from held where m.id = held.id`;

/** Attempts of message `m` without an end since the last one that ended: their processes died. */
const STALLED_COUNT = `
  select count(*)::int from delivery_attempt died where died.message_id = m.id and died.duration_ms is null
     and died.started_at > coalesce((select max(ended.started_at) from delivery_attempt ended
                                      where ended.message_id = m.id and ended.duration_ms is not null), '-infinity')`;

/**
 * $4: how far ahead a start may lie, in ms. Locks endpoints without a rate against deletion; reserves the next starts
 * of those with one. A message without a row has nothing to do; a row without a number must wait. Due times are stored in
 * whole milliseconds, half of them rounded up, so the clock is rounded alike.
 */
export const CLAIM = `
  with message as materialized (
    select *, resends > 0 as is_by_hand from webhook_message
     where id = any($1) and ${isUnleased} and (resends > 0 or (state = 'pending' and next_attempt_at <= (select ${now}::timestamptz(3))))
     order by id for update skip locked
  ), unpaced as materialized (
    select e.* from webhook_endpoint e
     where e.id in (select endpoint_id from message) and e.rate_limit is null and e.disabled_at is null
     order by e.id for key share
  ), paced as materialized (
    select e.* from webhook_endpoint e
     where e.id in (select endpoint_id from message) and e.rate_limit is not null and e.disabled_at is null
     order by e.id for no key update
  ), turns as materialized (
    select message.id, paced.id as endpoint_id, greatest(paced.next_start_at, ${now}) +
           (row_number() over (partition by paced.id order by message.rate_limited_until, message.id) - 1) * ${spacing('paced')} as at
      from message join paced on paced.id = message.endpoint_id
  ), granted as materialized (
    select * from turns where at <= ${now} + $4 * interval '1 ms'
  ), moved as (
    update webhook_endpoint e set next_start_at = last.at + ${spacing('e')}
      from (select endpoint_id, max(at) as at from granted group by endpoint_id) last where e.id = last.endpoint_id
  ), start as materialized (
    select message.id, ${now} as at, 0::float8 as in_ms from message join unpaced on unpaced.id = message.endpoint_id
    union all
    select id, at, greatest(0, extract(epoch from at - ${now}) * 1000)::float8 from granted
  ), claimed as (
    update webhook_message m set lease_id = $2, leased_until = ${now} + $3 * interval '1 ms',
           enqueue_at = ${now} + $3 * interval '1 ms',
           tries = m.tries + (not message.is_by_hand)::int, tries_by_hand = m.tries_by_hand + message.is_by_hand::int
      from message join start using (id) where m.id = message.id
    returning m.id, m.application_id, m.endpoint_id, m.account_id, m.failures, m.trace_parent, m.event_type, m.body, start.at, start.in_ms,
              case when m.tries + m.tries_by_hand > 1 then (${STALLED_COUNT}) else 0 end as stalled_count,
              case when message.is_by_hand then -m.tries_by_hand else m.tries end as number
  ), logged as (
    insert into delivery_attempt (message_id, number, application_id, started_at)
    select id, number, application_id, at from claimed
  )
  select claimed.id as "messageId", claimed.endpoint_id as "endpointId", claimed.number, claimed.failures, claimed.stalled_count as "stalledCount",
         claimed.in_ms as "startsInMs", claimed.trace_parent as traceparent, claimed.event_type as "eventType", claimed.body,
         claimed.application_id as "applicationId", endpoint.url, endpoint.rate_limit as "rateLimit", endpoint.secrets,
         case when endpoint.synced_calendar_id is not null then claimed.endpoint_id end as "webhookSubscriptionId",
         coalesce(w.end_user_account_id, claimed.account_id) as "endUserAccountId", w.calendar_id as "calendarId"
    from claimed join (select * from unpaced union all select * from paced) endpoint on endpoint.id = claimed.endpoint_id
    left join synced_calendar w on w.id = endpoint.synced_calendar_id
  union all
  select id, endpoint_id, null, null, null, extract(epoch from at - ${now})::float8 * 1000,
         null, null, null, null, null, null, null, null, null, null
    from turns where id not in (select id from granted)`;

/**
 * A manual attempt changes the state only from failed to delivered. Of attempts at one endpoint that end together, one
 * success suffices. Does not write a working endpoint without failures.
 */
export const RECORD = `
  with ended as materialized (
    select * from unnest($1::uuid[], $2::uuid[], $3::int[], $4::text[], $5::float8[], $6::text[], $7::int[], $8::int[],
                         $9::text[], $10::text[])
      as t (id, lease_id, number, verdict, wait_ms, reason, duration_ms, status, failure, response_text)
  ), message as materialized (
    select m.id, m.state, m.next_attempt_at, ended.number < 0 as is_by_hand,
           m.resends - (ended.number < 0 and ended.verdict <> 'interrupted')::int as resends
      from webhook_message m join ended using (id, lease_id) order by m.id for update of m
  ), verdict as (
    select message.*, ended.number, ended.verdict, ended.wait_ms, ended.reason,
           case when verdict = 'delivered' and (not is_by_hand or state = 'failed') then 'delivered'
                when verdict in ('failed', 'gone') and not is_by_hand then 'failed'
                else state end as next_state
      from message join ended using (id)
  ), outcome as materialized (
    select v.*, case when next_state <> 'pending' then null
                     when verdict = 'retry' and not is_by_hand then ${now} + wait_ms * interval '1 ms'
                     else next_attempt_at end as due_at
      from verdict v
  ), recorded as (
    update webhook_message m set lease_id = null, leased_until = null, rate_limited_until = null, state = o.next_state,
           failures = m.failures + (not o.is_by_hand and o.verdict in ('retry', 'failed', 'gone'))::int,
           resends = o.resends, next_attempt_at = o.due_at,
           failure_reason = case when o.next_state = 'failed' then coalesce(m.failure_reason, o.reason) end,
           enqueue_at = case when o.resends > 0 then ${now} else o.due_at end
      from outcome o where m.id = o.id
    returning m.id, m.endpoint_id, o.verdict, m.next_attempt_at, m.account_id,
              case when o.number = 1 and o.verdict = 'delivered' then m.change_detected_at end as change_detected_at
  ), logged as (
    update delivery_attempt a set duration_ms = ended.duration_ms, status = ended.status, failure = ended.failure,
           response_text = ended.response_text,
           next_attempt_at = date_trunc('milliseconds', recorded.next_attempt_at)
      from recorded join ended using (id) where a.message_id = recorded.id and a.number = ended.number
    returning a.message_id, a.started_at + ended.duration_ms * interval '1 ms' as ended_at
  ), news as (
    select endpoint_id, bool_or(verdict = 'delivered') as works, bool_or(verdict = 'gone') as is_gone
      from recorded where verdict <> 'interrupted' group by endpoint_id
  ), changed as materialized (
    select e.id, news.works, news.is_gone and e.disabled_at is null as is_disabled
      from webhook_endpoint e join news on news.endpoint_id = e.id
     where works <> (e.failing_since is null) or (is_gone and e.disabled_at is null) order by e.id for no key update of e
  ), decided as (
    update webhook_endpoint e set failing_since = case when works then null else coalesce(e.failing_since, ${now}) end,
           disabled_at = case when is_disabled then ${now} else e.disabled_at end,
           disabled_reason = case when is_disabled then 'gone' else e.disabled_reason end
      from changed where e.id = changed.id
    returning e.id, e.failing_since, changed.is_disabled
  )
  select recorded.id, case when decided.id is null then e.failing_since else decided.failing_since end as failing_since,
         decided.is_disabled is true and recorded.id = first_value(recorded.id) over (
           partition by recorded.endpoint_id order by recorded.verdict <> 'gone', recorded.id) as has_disabled,
         extract(epoch from logged.ended_at - recorded.change_detected_at)::float8 as lag_seconds, account.provider_type
    from recorded left join logged on logged.message_id = recorded.id and recorded.change_detected_at is not null
    left join end_user_account account on account.id = recorded.account_id and recorded.change_detected_at is not null
    left join webhook_endpoint e on e.id = recorded.endpoint_id left join decided on decided.id = e.id`;

/** $3: trace parent. */
export const RESEND = `
  update webhook_message m set resends = resends + 1, trace_parent = $3,
         enqueue_at = case when ${isUnleased} then ${now} else enqueue_at end
   where application_id = $1 and id = $2
     and exists (select from webhook_endpoint e where e.id = m.endpoint_id)`;

/** {@link MATCHES}, $8: after that id, null for any; $9: limit; $10: trace parent. */
export const RESEND_MATCHING = `
  with chosen as materialized (
    select id from webhook_message
     where ${MATCHES} and ($8::uuid is null or id > $8)
       and exists (select from webhook_endpoint e where e.id = endpoint_id and e.disabled_at is null)
     order by id limit $9 for update
  )
  update webhook_message m set resends = resends + 1, trace_parent = $10,
         enqueue_at = case when ${isUnleased} then ${now} else enqueue_at end
    from chosen where m.id = chosen.id
  returning m.id, m.application_id as "applicationId"`;

/** $3: created since, $4: limit, $5: trace parent. */
export const RECOVER = `
  with lost as materialized (
    select id from webhook_message where application_id = $1 and endpoint_id = $2 and created_at >= $3
       and state = 'failed' and exists (select from webhook_endpoint e where e.id = $2 and e.disabled_at is null)
     order by id limit $4 for update
  )
  update webhook_message m set state = 'pending', failure_reason = null, failures = 0, next_attempt_at = ${now},
         enqueue_at = ${now}, rate_limited_until = null, trace_parent = $5
    from lost where m.id = lost.id`;

/** Prepared once per connection: runs for every change. Arrays with one element per message. */
export const INSERT_MESSAGES = {
  name: 'webhook-messages-insert',
  text: `
  insert into webhook_message (application_id, id, endpoint_id, account_id, event_type, body, trace_parent, change_detected_at, state, failures, resends,
         tries, tries_by_hand, next_attempt_at, enqueue_at, created_at)
  select n.application_id, n.id, n.endpoint_id, n.account_id, n.event_type, n.body, n.trace_parent, n.change_detected_at, 'pending', 0, 0, 0, 0, at,
         at + ordinal * interval '1 microsecond', at + ordinal * interval '1 microsecond'
    from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::text[], $6::text[], $7::text[],
                $8::timestamptz[])
         with ordinality
         as n (application_id, id, endpoint_id, account_id, event_type, body, trace_parent, change_detected_at, ordinal), (select clock_timestamp() as at) now`,
};

/** Raw: the clock of the server is finer and common to all processes. */
export const APPEND_TO_OUTBOX = `
  insert into outbox (application_id, id, event_type, payload, created_at, trace_parent)
  values ($1, $2, $3, $4, clock_timestamp(), $5)`;

/** Does not wait for a holder. $1: key of the lock. */
export const TRY_RELAY_LOCK = 'select pg_try_advisory_xact_lock($1) as mine';

/** Polled: prepared once per connection. Returns events in order, with the endpoints subscribed to them. $1: limit. */
export const UNRELAYED = {
  name: 'account-events',
  text: `
  select o.id, o.application_id as "applicationId", o.event_type as "eventType", o.payload, o.trace_parent as traceparent,
         array(select e.id from webhook_endpoint e where e.application_id = o.application_id
                  and e.synced_calendar_id is null and o.event_type = any(e.event_types) order by e.id) as "endpointIds"
    from outbox o where o.relayed_at is null
   order by o.created_at, o.id limit $1`,
};

/** Raw: uses the clock of the server. */
export const MARK_RELAYED = 'update outbox set relayed_at = clock_timestamp() where id = any($1)';

export interface NewMessage extends ComposedMessage {
  id: string;
  applicationId: string;
  endpointId: string;
  accountId: string | null;
  traceparent: string | null;
  /** For a change, the first reason to sync. */
  changeDetectedAt?: Date | null;
}

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
      messages.map(({ changeDetectedAt }) => changeDetectedAt ?? null),
    ],
  });
}

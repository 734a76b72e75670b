// Everything is on the server's clock. A statement locks messages before endpoints, and passes over messages that
// others hold; several endpoints are locked in the order of their ids. So nobody waits in a circle.

/** A message that was put into a queue and not claimed is put there again after this. */
const QUEUED = "interval '45 seconds'";
/** Of an endpoint with a rate, no more is put into the queue than may start in this time. */
const QUEUE_AHEAD = "interval '1 second'";

/**
 * Between two starts, seconds: a little more than the rate says. So the starts of any second do not exceed it, although
 * each may come up to 30 ms late.
 */
const spacing = (endpoint: string) => `(1.03 / ${endpoint}.rate_limit) * interval '1 second'`;

const now = 'clock_timestamp()';

/**
 * $1: most. Messages of endpoints with a rate get turns; those whose turn is far off come back when it is near. What
 * has lost its endpoint is deleted, what has a disabled one fails.
 */
export const TAKE_DUE = `
  with due as materialized (
    select id, endpoint_id, wake_at, turn_at from webhook_message where wake_at <= (select ${now})
     order by wake_at, id limit $1 for update skip locked
  ), paced as materialized (
    select e.id, e.rate_limit, greatest(e.next_turn_at, ${now}) as turn_at from webhook_endpoint e
     where e.id in (select endpoint_id from due where turn_at is null) and rate_limit is not null and disabled_at is null
     order by e.id for no key update
  ), turns as (
    select due.id, paced.id as endpoint_id, paced.turn_at +
           (row_number() over (partition by due.endpoint_id order by due.wake_at, due.id) - 1) * ${spacing('paced')} as at
      from due join paced on paced.id = due.endpoint_id where due.turn_at is null
  ), moved as (
    update webhook_endpoint e set next_turn_at = last.at + ${spacing('e')}
      from (select endpoint_id, max(at) as at from turns group by endpoint_id) last where e.id = last.endpoint_id
  ), dropped as (
    delete from webhook_message m using due
     where m.id = due.id and not exists (select from webhook_endpoint e where e.id = due.endpoint_id)
  ), failed as (
    update webhook_message m set state = case when state = 'pending' then 'failed' else state end,
           failure_reason = case when state = 'pending' then 'endpoint-disabled' else failure_reason end,
           next_attempt_at = null, wake_at = null, turn_at = null, resends = 0
      from due join webhook_endpoint e on e.id = due.endpoint_id where m.id = due.id and e.disabled_at is not null
  ), taken as (
    update webhook_message m set turn_at = coalesce(turns.at, m.turn_at), wake_at =
           case when turns.at > ${now} + ${QUEUE_AHEAD} then turns.at - ${QUEUE_AHEAD} else ${now} + ${QUEUED} end
      from due join webhook_endpoint e on e.id = due.endpoint_id left join turns on turns.id = due.id
     where m.id = due.id and e.disabled_at is null
    returning m.id, m.tries = 0 as is_first, turns.at > ${now} + ${QUEUE_AHEAD} is true as waits, due.wake_at as due_at
  )
  select id, is_first from taken where not waits order by due_at, id`;

const isUnleased = `(leased_until is null or leased_until <= ${now})`;

/**
 * $1: message, $2: lease, $3: its length, $4: how far ahead a start may lie, in milliseconds. An endpoint without a rate
 * is locked against deletion; one with a rate gives out its next start. No row: nothing to do; a row without a number:
 * not yet.
 */
export const CLAIM = `
  with message as materialized (
    select *, resends > 0 as is_by_hand from webhook_message
     where id = $1 and ${isUnleased} and (resends > 0 or (state = 'pending' and next_attempt_at <= ${now}))
       for update skip locked
  ), unpaced as materialized (
    select e.id, e.url, e.secrets, e.watched_calendar_id, 0::float8 as starts_in_ms
      from webhook_endpoint e where e.id = (select endpoint_id from message)
       and e.rate_limit is null and e.disabled_at is null for key share
  ), paced as (
    update webhook_endpoint e set next_start_at = greatest(e.next_start_at, ${now}) + ${spacing('e')}
     where e.id = (select endpoint_id from message) and e.rate_limit is not null and e.disabled_at is null
       and coalesce(e.next_start_at <= ${now} + $4 * interval '1 ms', true)
    returning e.id, e.url, e.secrets, e.watched_calendar_id,
              greatest(0, extract(epoch from e.next_start_at - ${spacing('e')} - ${now}) * 1000)::float8 as starts_in_ms
  ), endpoint as (
    select * from unpaced union all select * from paced
  ), claimed as (
    update webhook_message m set lease_id = $2, leased_until = ${now} + $3 * interval '1 ms',
           wake_at = ${now} + $3 * interval '1 ms',
           tries = m.tries + (not message.is_by_hand)::int, tries_by_hand = m.tries_by_hand + message.is_by_hand::int
      from message, endpoint where m.id = message.id
    returning m.id, m.application_id, m.endpoint_id, m.account_id, m.failures, m.event_type, m.body,
              case when message.is_by_hand then -m.tries_by_hand else m.tries end as number
  ), logged as (
    insert into delivery_attempt (message_id, number, application_id, started_at)
    select claimed.id, claimed.number, claimed.application_id, ${now} + endpoint.starts_in_ms * interval '1 ms'
      from claimed, endpoint
  )
  select claimed.id as message_id, claimed.endpoint_id, claimed.number, claimed.failures, endpoint.starts_in_ms,
         claimed.event_type, claimed.body, claimed.application_id, endpoint.url, endpoint.secrets, endpoint.watched_calendar_id,
         coalesce(w.end_user_account_id, claimed.account_id) as account_id, w.calendar_id
    from claimed cross join endpoint left join watched_calendar w on w.id = endpoint.watched_calendar_id
  union all
  select message.id, e.id, null, null, extract(epoch from e.next_start_at - ${now})::float8 * 1000,
         null, null, null, null, null, null, null, null
    from message join webhook_endpoint e on e.id = message.endpoint_id
   where e.rate_limit is not null and e.disabled_at is null and not exists (select from endpoint)`;

/**
 * $1: message, $2: lease, $3: number, $4: verdict, $5: wait in milliseconds, $6: reason, $7: duration, $8: status,
 * $9: failure, $10: answer. An attempt by hand changes the state of a message in one case alone: it had failed, and is
 * delivered now. An endpoint that works and has worked is not written.
 */
export const RECORD = `
  with message as materialized (
    select id, state, $3::int < 0 as is_by_hand, resends - ($3::int < 0 and $4 <> 'interrupted')::int as resends
      from webhook_message where id = $1 and lease_id = $2 for update
  ), verdict as (
    select *, case when $4 = 'delivered' and (not is_by_hand or state = 'failed') then 'delivered'
                   when $4 in ('failed', 'gone') and not is_by_hand then 'failed'
                   else state end as next_state
      from message
  ), outcome as (
    select v.*, case when next_state <> 'pending' then null
                     when $4 = 'retry' and not is_by_hand then ${now} + $5::float8 * interval '1 ms'
                     else m.next_attempt_at end as next_attempt_at
      from verdict v join webhook_message m using (id)
  ), recorded as (
    update webhook_message m set lease_id = null, leased_until = null, turn_at = null, state = o.next_state,
           failures = m.failures + (not o.is_by_hand and $4 in ('retry', 'failed', 'gone'))::int, resends = o.resends,
           failure_reason = case when o.next_state = 'failed' then coalesce(m.failure_reason, $6::text) end,
           next_attempt_at = o.next_attempt_at,
           wake_at = case when o.resends > 0 then ${now} else o.next_attempt_at end
      from outcome o where m.id = o.id
    returning m.id, m.endpoint_id, m.next_attempt_at
  ), logged as (
    update delivery_attempt a set duration_ms = $7, status = $8, failure = $9, response_text = $10,
           next_attempt_at = recorded.next_attempt_at
      from recorded where a.message_id = recorded.id and a.number = $3
  ), judged as (
    update webhook_endpoint e set
           failing_since = case when $4 = 'delivered' then null else coalesce(e.failing_since, ${now}) end,
           disabled_at = case when $4 = 'gone' then ${now} else e.disabled_at end,
           disabled_reason = case when $4 = 'gone' then 'gone' else e.disabled_reason end
      from recorded where e.id = recorded.endpoint_id
       and case $4 when 'delivered' then e.failing_since is not null when 'gone' then e.disabled_at is null
                   when 'interrupted' then false else e.failing_since is null end
    returning e.id, e.failing_since
  )
  select case when judged.id is null then e.failing_since else judged.failing_since end as failing_since,
         judged.id is not null and $4 = 'gone' as has_disabled
    from recorded left join webhook_endpoint e on e.id = recorded.endpoint_id left join judged on true`;

/** $2: message. */
export const RESEND = `
  update webhook_message m set resends = resends + 1,
         wake_at = case when ${isUnleased} then ${now} else wake_at end
   where application_id = $1 and id = $2
     and exists (select from webhook_endpoint e where e.id = m.endpoint_id)`;

/** $2: endpoint, $3: made since, $4: most. */
export const RECOVER = `
  with lost as materialized (
    select id from webhook_message where application_id = $1 and endpoint_id = $2 and created_at >= $3
       and state = 'failed' and exists (select from webhook_endpoint e where e.id = $2 and e.disabled_at is null)
     order by id limit $4 for update
  )
  update webhook_message m set state = 'pending', failure_reason = null, failures = 0, next_attempt_at = ${now},
         wake_at = ${now}, turn_at = null
    from lost where m.id = lost.id`;

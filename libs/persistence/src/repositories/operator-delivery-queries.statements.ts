// Raw: reads across all applications in the system's scope, each bounded however many rows exist.

const COUNTED = 1_000;

const endpoints = (chosen: string) => `
  select e.id, e.application_id as "applicationId", application.name as "applicationName",
         e.synced_calendar_id as "syncedCalendarId", e.url, e.event_types as "eventTypes", e.rate_limit as "rateLimit",
         e.failing_since as "failingSince", e.disabled_at as "disabledAt", e.disabled_reason as "disabledReason",
         e.created_at as "createdAt", w.end_user_account_id as "accountId", w.calendar_id as "calendarId",
         counted.pending, counted.failed
    from (${chosen}) e
    join application on application.id = e.application_id
    left join synced_calendar w on w.id = e.synced_calendar_id
   cross join lateral (
     select count(*) filter (where state = 'pending')::int as pending,
            count(*) filter (where state = 'failed')::int as failed
       from (select state from webhook_message m where m.endpoint_id = e.id order by m.id desc limit ${COUNTED}) latest
   ) counted
   order by e.id desc`;

export const ENDPOINT = endpoints('select * from webhook_endpoint where id = $1');

/** $1: before that id, $2: application, $3: account, $4: kind, $5: state, each null for any; $6: limit. */
export const ENDPOINTS = endpoints(`
  select * from webhook_endpoint
   where ($1::uuid is null or id < $1) and ($2::uuid is null or application_id = $2)
     and ($3::uuid is null or synced_calendar_id in (select id from synced_calendar where end_user_account_id = $3))
     and ($4::text is null or ($4 = 'subscription') = (synced_calendar_id is not null))
     and ($5::text is null or $5 = case when disabled_at is not null then 'disabled'
                                        when failing_since is not null then 'failing' else 'active' end)
   order by id desc limit $6`);

const messages = (chosen: string, more = '', joined = '') => `
  select m.id, m.endpoint_id as "endpointId", m.application_id as "applicationId",
         application.name as "applicationName", e.url, m.event_type as "eventType", m.state,
         m.failure_reason as "failureReason", m.tries + m.tries_by_hand as attempts,
         m.next_attempt_at as "nextAttemptAt", m.created_at as "createdAt" ${more}
    from (${chosen}) m
    join application on application.id = m.application_id
    left join webhook_endpoint e on e.id = m.endpoint_id ${joined}
   order by m.id desc`;

/**
 * Of `webhook_message`. $1: application, $2: endpoint, $3: account, $4: event type, $5: state, $6: from, $7: to, each null
 * for any. `enqueue_at` selects the partial indexes of pending and of finished messages.
 */
export const MATCHES = `
         ($1::uuid is null or application_id = $1) and ($2::uuid is null or endpoint_id = $2)
     and ($3::uuid is null or account_id = $3 or endpoint_id = any(array(
           select e.id from webhook_endpoint e join synced_calendar w on w.id = e.synced_calendar_id
            where w.end_user_account_id = $3)))
     and ($4::text is null or event_type = $4)
     and ($5::text is null or case $5 when 'failed' then state = 'failed'
                                      when 'pending' then state = 'pending' and enqueue_at is not null
                                      else state = $5 end)
     and ($6::timestamptz is null or created_at >= $6) and ($7::timestamptz is null or created_at < $7)`;

/** {@link MATCHES}, $8: before that id, null for any; $9: limit. */
export const MESSAGES = messages(`
  select * from webhook_message
   where ${MATCHES} and ($8::uuid is null or id < $8)
   order by id desc limit $9`);

export const MESSAGE = messages(
  'select * from webhook_message where id = $1',
  `, m.body, case when e.synced_calendar_id is not null then e.id end as "webhookSubscriptionId",
         coalesce(w.end_user_account_id, m.account_id) as "accountId", w.calendar_id as "calendarId"`,
  'left join synced_calendar w on w.id = e.synced_calendar_id',
);

/** Median and 95th percentile of `duration_ms`. */
export const DURATIONS = 'percentile_cont(array[0.5, 0.95]) within group (order by duration_ms) as durations';

/** Number of the bucket of `started_at`. $1: start of the first bucket, $3: bucket length in seconds. */
export const BUCKET = 'floor(extract(epoch from started_at - $1::timestamptz) / $3::int)::int as index';

const isDelivered = '(failure is null and status between 200 and 299) is true';

/** $1: from, $2: to, $3: bucket length in seconds, $4: application, $5: endpoint, each null for any. */
export const ATTEMPT_BUCKETS = `
  select ${BUCKET}, count(*) filter (where ${isDelivered})::int as delivered,
         count(*) filter (where not ${isDelivered})::int as failed, ${DURATIONS}
    from delivery_attempt a
   where started_at >= $1 and started_at < $2 and duration_ms is not null and failure is distinct from 'aborted'
     and ($4::uuid is null or application_id = $4)
     and ($5::uuid is null or exists (select from webhook_message m where m.id = a.message_id and m.endpoint_id = $5))
   group by 1`;

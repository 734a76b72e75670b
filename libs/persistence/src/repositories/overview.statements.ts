import { ACCOUNT_COUNTS, OLDEST_DUE_SECONDS } from './sampled-metrics.statements.js';
import { BUCKET, DURATIONS } from './operator-delivery-queries.statements.js';

// Raw: the server computes percentiles and buckets over all applications, each bounded however many rows exist.

export const ACCOUNTS = `${ACCOUNT_COUNTS} order by provider_type, status`;

/** $1: from, $2: to, $3: bucket length in seconds. */
export const REQUEST_BUCKETS = `
  select ${BUCKET}, count(*) filter (where status < 400)::int as successes,
         count(*) filter (where status between 400 and 499)::int as "clientErrors",
         count(*) filter (where status >= 500)::int as "serverErrors", ${DURATIONS}
    from request_record where started_at >= $1 and started_at < $2 group by 1`;

const MAX_PENDING = 10_000;
const MAX_FAILED = 5_000;

/** A message may fail a day after its creation or later, so the time is read from its attempts. */
export const BACKLOG = `
  select (${OLDEST_DUE_SECONDS}) as "lagSeconds",
         (select count(*)::int from (
            select from webhook_message where enqueue_at is not null and state = 'pending' limit ${MAX_PENDING}
          ) pending) as pending,
         (select count(*)::int from (
            select id, created_at from webhook_message where state = 'failed' order by id desc limit ${MAX_FAILED}
          ) m where created_at > now() - interval '1 day' or
            (select max(started_at) from delivery_attempt a where a.message_id = m.id) > now() - interval '1 day') as "failedLastDay"`;

const isFailure = 'status in (502, 503, 504)';

export const PROVIDER_BUCKETS = `
  select ${BUCKET}, provider_type as "providerType", count(*)::int as requests, count(*) filter (where ${isFailure})::int as failures,
         max(started_at) filter (where ${isFailure}) as "lastFailureAt"
    from request_record where started_at >= $1 and started_at < $2 and provider_type is not null
   group by 1, provider_type`;

export const ACCOUNT_COUNTS =
  'select provider_type as "providerType", status, count(*)::int as count from end_user_account group by provider_type, status';

const MAX_DUE = 2_000;

/** Raw: null when no message is due. Lost queue entries are queued again within a minute, which bounds `enqueue_at`. */
export const OLDEST_DUE_SECONDS = `
  select extract(epoch from now() - min(next_attempt_at))::float8
    from (values (true), (false)) kind (is_first), lateral (
      select state, next_attempt_at, rate_limited_until, leased_until from webhook_message
       where (tries = 0) = kind.is_first and enqueue_at <= now() + interval '1 minute'
       order by enqueue_at, id limit ${MAX_DUE}
    ) due
   where state = 'pending' and next_attempt_at <= now() and (rate_limited_until is null or rate_limited_until <= now())
     and (leased_until is null or leased_until <= now())`;

/** Exact. Messages with `enqueue_at` beyond a minute are all scheduled, and the index alone counts them. */
const UNSETTLED = `
  (select count(*)::int from webhook_message where enqueue_at is not null) as unsettled,
  (select count(*)::int from webhook_message where enqueue_at > now() + interval '1 minute')
    + (select count(*)::int from (values (true), (false)) kind (is_first), lateral (
         select next_attempt_at, rate_limited_until, resends from webhook_message
          where (tries = 0) = kind.is_first and enqueue_at > now() and enqueue_at <= now() + interval '1 minute'
       ) soon where resends = 0 and (next_attempt_at > now() or rate_limited_until > now())) as scheduled`;

/** $1: providers with push. Calendars whose provider rejects channels are reconciled daily and want none. */
const CHANNELS = `
  select a.provider_type as "providerType",
         count(*) filter (where subscribed.id is not null and (live.id is not null or w.reconcile_failures > 0 or
                                                               w.reconcile_at < now() + interval '2 hours'))::int as wanted,
         count(live.id)::int as actual
    from synced_calendar w
    join end_user_account a on a.id = w.end_user_account_id
    left join (select distinct synced_calendar_id as id from webhook_endpoint) subscribed on subscribed.id = w.id
    left join provider_channel live
           on live.synced_calendar_id = w.id and live.state = 'live' and live.expires_at > now()
   where a.status = 'ACTIVE' and a.provider_type = any($1) group by a.provider_type`;

/** Upper bound of the count: after an outage all calendars may be due at once. */
export const MAX_DUE_SYNCS = 20_000;

/** A sync in progress counts again when its lease ends. */
const SYNCS = `
  (select count(*)::int from (
     select from synced_calendar where next_sync_at <= now() order by next_sync_at limit ${MAX_DUE_SYNCS}
   ) due_sync) as "dueSyncs",
  coalesce((select extract(epoch from now() - next_sync_at)::float8 from synced_calendar
             where next_sync_at <= now() order by next_sync_at limit 1), 0) as "oldestDueSyncSeconds"`;

/** Calendars that fail are told of by the failing syncs. */
const READS = `
  select coalesce(plans.provider_type, waits.provider_type) as "providerType",
         coalesce(plans.used_ratio, 0)::float8 as "usedRatio", coalesce(plans.near_ratio, 1)::float8 as "nearRatio",
         coalesce(waits.longest, 0)::float8 as "longestSeconds"
    from (select provider_type, max(requests_used::float8 / requests_per_day) as used_ratio,
                 sum(near)::float8 / nullif(sum(calendars), 0) as near_ratio
            from reading_plan where quota_owner not like '%://%' group by provider_type) plans
    full join (select a.provider_type, extract(epoch from now() - min(coalesce(w.synced_at, w.created_at))) as longest
                 from synced_calendar w join end_user_account a on a.id = w.end_user_account_id and a.status = 'ACTIVE'
                 join provider_channel c on c.synced_calendar_id = w.id and c.state = 'live' and c.expires_at > now()
                where w.failing_since is null group by a.provider_type) waits on waits.provider_type = plans.provider_type`;

const SECRETS = `
  select provider_type as "providerType", extract(epoch from min(expires_at) - now())::float8 as "expiresInSeconds"
    from oauth_client where expires_at is not null group by provider_type`;

const rowsOf = (query: string) => `(select coalesce(json_agg(row), '[]') from (${query}) row)`;

export const COUNTS = `
  select ${rowsOf(ACCOUNT_COUNTS)} as accounts, ${rowsOf(CHANNELS)} as channels,
         ${rowsOf('select provider_type as "providerType", count(*)::int as clients from mass_expiry_breaker group by provider_type')} as "trippedBreakers",
         ${rowsOf(SECRETS)} as secrets,
         (select coalesce(greatest(0, extract(epoch from now() - min(next_check_at))), 0)::float8
            from credential_check) as "checkOverdueSeconds",
         ${SYNCS}, ${rowsOf(READS)} as reads, ${UNSETTLED}, coalesce((${OLDEST_DUE_SECONDS}), 0) as "oldestDueSeconds",
         (select count(*)::int from webhook_endpoint
           where disabled_at is not null and disabled_reason <> 'requested') as "disabledEndpoints",
         (select coalesce(extract(epoch from now() - min(created_at)), 0)::float8 from outbox
           where relayed_at is null) as "oldestAccountEventSeconds"`;

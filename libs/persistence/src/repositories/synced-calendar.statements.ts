// Raw: sync requests and leases use the clock of the server; rows are locked in one order to prevent deadlocks.

const now = 'clock_timestamp()';
// Due times are stored in whole milliseconds, rounded up from half of one: claims round the clock alike.

/** Project or server that the requests of account `a` with credential `cr` count against; see `projectOf`. */
export const QUOTA_OWNER =
  "coalesce(substring(a.server_url from '^[^/]+//[^/]+'), substring(cr.oauth_client_id from '^([0-9]{9,})-'), " +
  "cr.oauth_client_id, '')";

/** Of calendar `w`, as in `ReadingPriority`; null without a live channel. */
export const READING_PRIORITY = `
  (select case when c.missed_notifications > 0 or c.created_at > ${now} - interval '1 hour' then 0
               when exists (select from credential_check h where h.end_user_account_id = w.end_user_account_id
                               and h.last_used_at > ${now} - interval '15 minutes') then 1
               else 2 end
     from provider_channel c where c.synced_calendar_id = w.id and c.state = 'live' and c.expires_at > ${now})`;
export const CHANGED_AT = 'coalesce(w.changed_at, w.created_at)';

/** Schedules a sync of calendar `w` now, or when its coalescing time ends. During a sync, its end decides. */
export const SYNC_SOON =
  'next_sync_at = case when w.sync_lease_id is null ' +
  'then least(w.next_sync_at, greatest(clock_timestamp(), w.coalesce_until)) else w.next_sync_at end, ' +
  'sync_requested_at = coalesce(w.sync_requested_at, clock_timestamp())';

/** Keeps calendar `w` for a new subscription: a running reconciliation does not delete it, and the next one waits. */
export const KEEP_SYNCED =
  'reconcile_requests = w.reconcile_requests + (w.reconcile_lease_id is not null)::int, ' +
  'reconcile_at = case when w.reconcile_lease_id is null ' +
  "then greatest(w.reconcile_at, clock_timestamp() + interval '20 seconds') else w.reconcile_at end";

/** Requests a reconciliation of the channels of calendar `w`: now, or when the running one ends. */
export const REQUEST_RECONCILIATION =
  'reconcile_requests = w.reconcile_requests + 1, ' +
  'reconcile_at = case when w.reconcile_lease_id is null then clock_timestamp() else w.reconcile_at end';

/** $3: new id, $4: calendar, $5: its hash, $6: now. Without a subscription, it is reconciled in a minute. */
export const WATCH = `
  insert into synced_calendar as w (id, application_id, end_user_account_id, calendar_id, calendar_hash, sync_requests, next_sync_at,
         reconcile_requests, reconcile_at, created_at)
  select $3, application_id, id, $4, $5, 0, ${now}, 0, ${now} + interval '1 minute', $6 from end_user_account
   where application_id = $1 and id = $2 for key share
  on conflict (end_user_account_id, calendar_hash) do update set ${KEEP_SYNCED}
  returning w.id`;

/** Locks rows in order of their ids, which prevents deadlocks between notifications. */
export const REQUEST_SYNC = `
  with given as (
    select id, count(*) as sync_requests, max(trace_parent) as trace_parent
      from unnest($1::uuid[], $2::text[]) as asked (id, trace_parent) group by id
  ), watched as materialized (
    select w.id, given.sync_requests, given.trace_parent from synced_calendar w join given using (id) order by w.id for no key update of w
  )
  update synced_calendar w set sync_requests = w.sync_requests + watched.sync_requests, last_notification = w.sync_requests + watched.sync_requests, notified_at = ${now}, ${SYNC_SOON},
         trace_parent = coalesce(watched.trace_parent, w.trace_parent)
    from watched where w.id = watched.id`;

/** $1: application, $2: account, $3: hash of one of its calendars or null for all, $4: trace parent. */
const requestOwnSync = (changes: string) => `
  with mine as materialized (
    select id from synced_calendar where application_id = $1 and end_user_account_id = $2
       and ($3::bytea is null or calendar_hash = $3) order by id for no key update
  )
  update synced_calendar w set sync_requests = w.sync_requests + 1, trace_parent = coalesce($4, w.trace_parent),
         ${changes} from mine where w.id = mine.id`;

export const REQUEST_SYNC_OF_CALENDAR = requestOwnSync(SYNC_SOON);
export const REQUEST_SYNC_OF_ACCOUNT = requestOwnSync(`${SYNC_SOON}, ${REQUEST_RECONCILIATION}`);

/** Counts as a request for a running sync, and as seen at once unless others are pending. */
export const REQUEST_SYNC_AFTER_GAP = `
  update synced_calendar w set sync_requests = w.sync_requests + 1, sync_requests_seen = w.sync_requests_seen + (w.sync_requests_seen = w.sync_requests)::int,
         trace_parent = coalesce($2, w.trace_parent), ${SYNC_SOON} where id = $1`;

const SYNC = `
  w.id as "syncedCalendarId", w.sync_requests::text as "syncRequests", w.application_id as "applicationId", w.calendar_id as "calendarId",
  w.sync_token as "syncToken", w.sync_stalled_count as "stalledCount",
  (extract(epoch from ${now} - w.failing_since) * 1000)::float8 as "failingForMs",
  case when w.last_notification > w.sync_requests_seen then 'notification' when w.sync_requests > w.sync_requests_seen then 'internal' else 'schedule' end as trigger,
  ${READING_PRIORITY} as priority, ${CHANGED_AT} as "changedAt",
  (select ${QUOTA_OWNER} from end_user_account a left join credential cr on cr.end_user_account_id = a.id
    where a.id = w.end_user_account_id) as "quotaOwner"`;

/**
 * $1: limit, $2: lease, $3: its length, $4: coalescing time in ms, $5: syncs per account. Also reschedules accounts
 * that are not ACTIVE or at their limit, so that they never block the head of the index.
 */
export const CLAIM_SYNCS = `
  with due as materialized (
    select id, end_user_account_id as account_id, next_sync_at, trace_parent from synced_calendar
     where next_sync_at <= (select ${now}::timestamptz(3)) order by next_sync_at limit $1 for update skip locked
  ), ranked as (
    select due.id, due.trace_parent, due.next_sync_at as due_at, a.status = 'ACTIVE' as is_active, a.id as account_id, a.provider_type,
           row_number() over (partition by a.id order by due.next_sync_at, due.id) +
           (select count(*) from synced_calendar r where r.end_user_account_id = a.id and r.sync_lease_id is not null
               and r.next_sync_at > ${now}) <= $5 as has_turn
      from due join end_user_account a on a.id = due.account_id
  )
  update synced_calendar w set
         next_sync_at = ${now} + case when not ranked.is_active then interval '1 hour'
                                 when not ranked.has_turn then interval '1 second' else $3 * interval '1 ms' end,
         sync_lease_id = case when ranked.is_active and ranked.has_turn then $2::uuid end,
         sync_stalled_count = case when w.sync_lease_id is null then w.sync_stalled_count else w.sync_stalled_count + 1 end,
         coalesce_until = case when ranked.has_turn then ${now} + $4 * interval '1 ms' else w.coalesce_until end,
         trace_parent = case when ranked.is_active and ranked.has_turn then null else w.trace_parent end,
         change_detected_at = case when ranked.is_active and ranked.has_turn then coalesce(w.change_detected_at, w.sync_requested_at, ranked.due_at)
                           else w.change_detected_at end,
         sync_requested_at = case when ranked.is_active and ranked.has_turn then null else w.sync_requested_at end
    from ranked where w.id = ranked.id
  returning ${SYNC}, ranked.account_id as "accountId", ranked.provider_type as "providerType",
            ranked.is_active and ranked.has_turn as "isMine", ranked.trace_parent as traceparent`;

/** A repeated statement finds its own lease in place when its first answer was lost. */
export const CLAIM_INITIAL_SYNC = `
  update synced_calendar w set next_sync_at = ${now} + $4 * interval '1 ms', sync_lease_id = $3, trace_parent = null
    from end_user_account a
   where w.application_id = $1 and w.id = $2 and a.id = w.end_user_account_id
     and w.sync_token is null and (w.sync_lease_id is null or w.sync_lease_id = $3 or w.next_sync_at <= ${now})
  returning ${SYNC}, a.id as "accountId", a.provider_type as "providerType", true as "isMine", null as traceparent`;

export const EXTEND_SYNC = `
  update synced_calendar set next_sync_at = ${now} + $3 * interval '1 ms' where id = $1 and sync_lease_id = $2`;

export const RELEASE_SYNC = `
  update synced_calendar set sync_lease_id = null, sync_stalled_count = 0, next_sync_at = ${now},
         trace_parent = coalesce(trace_parent, $3) where id = $1 and sync_lease_id = $2`;

/**
 * $2: lease, $3: requests known to the sync, $4: ms to the next one, $5: whether it succeeded, $6: sync token, $7:
 * whether it found a change.
 */
export const END_SYNC = `
  update synced_calendar w set sync_lease_id = null, sync_stalled_count = 0,
         next_sync_at = case when sync_requests = $3::bigint then ${now} + $4 * interval '1 ms'
                        else least(greatest(${now}, coalesce_until), ${now} + $4 * interval '1 ms') end,
         sync_token = case when $5 then $6 else sync_token end,
         sync_requests_seen = case when $5 then greatest(sync_requests_seen, $3::bigint) else sync_requests_seen end,
         synced_at = case when $5 then ${now} else synced_at end,
         changed_at = case when $7 then ${now} else changed_at end,
         failing_since = case when not $5 then coalesce(failing_since, ${now}) end,
         change_detected_at = case when not $5 then change_detected_at end
   where id = $1 and sync_lease_id = $2`;

/** Without subscribers, returns one row without an endpoint. */
export const END_FOR_SUBSCRIBERS = `
  with noticed as materialized (
    select change_detected_at from synced_calendar where id = $1
  ), ended as (${END_SYNC} returning id, application_id)
  select e.id as endpoint_id, e.event_types, a.enriches_webhooks, (select change_detected_at from noticed) as change_detected_at
    from ended join application a on a.id = ended.application_id
    left join webhook_endpoint e on e.synced_calendar_id = ended.id order by e.id`;

export const DUE_RECONCILIATIONS = `
  select id from synced_calendar where reconcile_at <= (select ${now}::timestamptz(3))
   order by reconcile_at limit $1 for update skip locked`;

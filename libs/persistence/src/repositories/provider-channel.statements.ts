import { REQUEST_RECONCILIATION, DUE_RECONCILIATIONS, SYNC_SOON } from './synced-calendar.statements.js';

// Raw: leases use the clock of the server, and each write under a lease checks it in the same statement.

/** Calendar $2 of application $1 while lease $3 of its reconciliation holds. */
const UNDER_LEASE = 'where application_id = $1 and id = $2 and reconcile_lease_id = $3';

/** $3: the new lease, which a repeated statement finds in place when its first answer was lost. */
const IS_FREE = '(reconcile_lease_id is null or reconcile_lease_id = $3 or reconcile_at <= clock_timestamp())';

/** Waits for a holder of the row, then checks the lease. */
const FREE = `
  select id from synced_calendar where application_id = $1 and id = $2 and ${IS_FREE} for update`;

const FREE_OF_ACCOUNT = `
  select id from synced_calendar w where application_id = $1 and end_user_account_id = $2 and ${IS_FREE}
     and exists (select from provider_channel c where c.synced_calendar_id = w.id)
   order by id for update skip locked`;

/** Adds two parameters from `first` on: the lease and its length in ms. */
const lease = (chosen: string, first: number) => `
  with chosen as materialized (${chosen})
  update synced_calendar w set reconcile_lease_id = $${first},
         reconcile_at = clock_timestamp() + $${first + 1} * interval '1 ms'
    from chosen, end_user_account a where w.id = chosen.id and a.id = w.end_user_account_id
  returning w.id as "syncedCalendarId", w.reconcile_requests::text as asks, w.reconcile_failures as failures,
            w.application_id as "applicationId", a.id as "accountId", w.calendar_id as "calendarId",
            a.provider_type as "providerType",
            exists (select from webhook_endpoint e where e.synced_calendar_id = w.id) as "isWanted",
            a.status = 'ACTIVE' as "isActive"`;

export const LEASE_DUE = lease(DUE_RECONCILIATIONS, 2);
export const LEASE_ONE = lease(FREE, 3);
export const LEASE_OF_ACCOUNT = lease(FREE_OF_ACCOUNT, 3);

/** The lock keeps the lease from changing hands before the insert. $4: id, $5: token, $6: now. */
export const OPEN = `
  insert into provider_channel (application_id, synced_calendar_id, id, token, state, created_at)
  select application_id, id, $4, $5, 'opening', $6 from synced_calendar ${UNDER_LEASE} for share`;

export const LOCK_HELD = `
  select from provider_channel c where application_id = $1 and synced_calendar_id = $2 and c.id = $4
     and exists (select from synced_calendar ${UNDER_LEASE} for share) for update`;

/** $3: subscription, $4: resource, $5: its expiry, $6: when to renew it. */
export const MAKE_LIVE = `
  update provider_channel set state = 'live', subscription_id = $3, resource_id = $4, expires_at = $5,
         renew_at = $6, renewed_at = clock_timestamp(), missed_notifications = 0
   where application_id = $1 and id = $2`;

export const CLOSE = `
  delete from provider_channel c where application_id = $1 and synced_calendar_id = $2 and c.id = $4
     and exists (select from synced_calendar ${UNDER_LEASE})`;

/** Runs again at once when requested meanwhile. $4: requests known to this run, $5: delay in ms, $6: failures. */
export const COMPLETE_RECONCILIATION = `
  update synced_calendar set reconcile_lease_id = null, reconcile_failures = $6, reconcile_at = clock_timestamp() +
         case when reconcile_requests = $4::bigint then $5 else 0 end * interval '1 ms' ${UNDER_LEASE}`;

export const LOCK_CALENDAR = `select from synced_calendar ${UNDER_LEASE} for update`;

/** $4: requests known to this run. */
export const FORGET = `
  delete from synced_calendar w ${UNDER_LEASE} and reconcile_requests = $4::bigint
     and not exists (select from webhook_endpoint e where e.synced_calendar_id = w.id)
     and not exists (select from provider_channel c where c.synced_calendar_id = w.id)`;

/** Changes two tables. $1: channel. */
export const LOSE = `
  with gone as (delete from provider_channel where id = $1 and state = 'live' returning synced_calendar_id)
  update synced_calendar w set sync_requests = w.sync_requests + 1, ${SYNC_SOON}, ${REQUEST_RECONCILIATION} from gone
   where w.id = gone.synced_calendar_id`;

/** Changes two tables. $1: channel, $2: ms since the last renewal within which a demand is a repetition. */
export const RENEW_SOON = `
  with demanded as (
    update provider_channel set renew_at = clock_timestamp()
     where id = $1 and state = 'live' and renewed_at < clock_timestamp() - $2 * interval '1 ms'
    returning synced_calendar_id
  )
  update synced_calendar w set ${REQUEST_RECONCILIATION} from demanded where w.id = demanded.synced_calendar_id`;

/** Runs for every change found: prepared once per connection. $2: number of misses after which only a new channel helps. */
export const HEARD = {
  name: 'channel-heard',
  text: `
    update provider_channel set missed_notifications = 0
     where synced_calendar_id = $1 and state = 'live' and missed_notifications > 0 and missed_notifications < $2`,
};

/** Runs for every change found; changes two tables. $2: number of misses that requests a reconciliation, once. */
export const SILENT = {
  name: 'channel-silent',
  text: `
    with silent as (
      update provider_channel set missed_notifications = missed_notifications + 1
       where synced_calendar_id = $1 and state = 'live' and missed_notifications < $2
      returning synced_calendar_id, missed_notifications
    )
    update synced_calendar w set ${REQUEST_RECONCILIATION} from silent
     where w.id = silent.synced_calendar_id and silent.missed_notifications = $2`,
};

/** Runs for every notification: prepared once per connection. */
export const KEYS = {
  name: 'channel-keys',
  text: `
    select id as "channelId", synced_calendar_id as "syncedCalendarId", token from provider_channel where id = any($1)`,
};

/** Runs after every claim: prepared once per connection. $1: application, or null in the system's scope. */
export const OF_CALENDARS = {
  name: 'channels-of-calendars',
  text: `
    select id, synced_calendar_id as "syncedCalendarId", token, state, subscription_id as "subscriptionId",
           resource_id as "resourceId", expires_at as "expiresAt", renew_at as "renewAt",
           missed_notifications as "missedNotifications", created_at as "createdAt"
      from provider_channel where (application_id = $1 or $1::uuid is null) and synced_calendar_id = any($2)
     order by id`,
};

import { ASK_UPKEEP, DUE_UPKEEP, LOOK_SOON } from './watched-calendar.statements.js';

// Raw: leases use the clock of the server, and each write under a lease checks it in the same statement.

/** Calendar $2 of application $1 while lease $3 of its reconciliation holds. */
const HELD = 'where application_id = $1 and id = $2 and upkeep_lease_id = $3';

/** Waits for a holder of the row, then checks the lease. */
const FREE = `
  select id from watched_calendar where application_id = $1 and id = $2
     and (upkeep_lease_id is null or upkeep_at <= clock_timestamp()) for update`;

const FREE_OF_ACCOUNT = `
  select id from watched_calendar w where application_id = $1 and end_user_account_id = $2
     and (upkeep_lease_id is null or upkeep_at <= clock_timestamp())
     and exists (select from provider_channel c where c.watched_calendar_id = w.id)
   order by id for update skip locked`;

/** Adds two parameters from `first` on: the lease and its length in ms. */
const lease = (chosen: string, first: number) => `
  with chosen as materialized (${chosen})
  update watched_calendar w set upkeep_lease_id = $${first},
         upkeep_at = clock_timestamp() + $${first + 1} * interval '1 ms'
    from chosen, end_user_account a where w.id = chosen.id and a.id = w.end_user_account_id
  returning w.id as "watchedCalendarId", w.upkeep_asks::text as asks, w.upkeep_failures as failures,
            w.application_id as "applicationId", a.id as "accountId", w.calendar_id as "calendarId",
            a.provider_type as "providerType",
            exists (select from webhook_endpoint e where e.watched_calendar_id = w.id) as "isWanted",
            a.status = 'ACTIVE' as "isActive"`;

export const LEASE_DUE = lease(DUE_UPKEEP, 2);
export const LEASE_ONE = lease(FREE, 3);
export const LEASE_OF_ACCOUNT = lease(FREE_OF_ACCOUNT, 3);

/** The lock keeps the lease from changing hands before the insert. $4: id, $5: token, $6: now. */
export const OPEN = `
  insert into provider_channel (application_id, watched_calendar_id, id, token, state, created_at)
  select application_id, id, $4, $5, 'opening', $6 from watched_calendar ${HELD} for share`;

export const LOCK_HELD = `
  select from provider_channel c where application_id = $1 and watched_calendar_id = $2 and c.id = $4
     and exists (select from watched_calendar ${HELD} for share) for update`;

/** $3: subscription, $4: resource, $5: its expiry, $6: when to renew it. */
export const MAKE_LIVE = `
  update provider_channel set state = 'live', subscription_id = $3, resource_id = $4, expires_at = $5,
         renew_at = $6, renewed_at = clock_timestamp(), silent_finds = 0
   where application_id = $1 and id = $2`;

export const CLOSE = `
  delete from provider_channel c where application_id = $1 and watched_calendar_id = $2 and c.id = $4
     and exists (select from watched_calendar ${HELD})`;

/** Runs again at once when requested meanwhile. $4: requests known to this run, $5: delay in ms, $6: failures. */
export const FINISH_UPKEEP = `
  update watched_calendar set upkeep_lease_id = null, upkeep_failures = $6, upkeep_at = clock_timestamp() +
         case when upkeep_asks = $4::bigint then $5 else 0 end * interval '1 ms' ${HELD}`;

export const LOCK_CALENDAR = `select from watched_calendar ${HELD} for update`;

/** $4: requests known to this run. */
export const FORGET = `
  delete from watched_calendar w ${HELD} and upkeep_asks = $4::bigint
     and not exists (select from webhook_endpoint e where e.watched_calendar_id = w.id)
     and not exists (select from provider_channel c where c.watched_calendar_id = w.id)`;

/** Changes two tables. $1: channel. */
export const LOSE = `
  with gone as (delete from provider_channel where id = $1 and state = 'live' returning watched_calendar_id)
  update watched_calendar w set hints = w.hints + 1, ${LOOK_SOON}, ${ASK_UPKEEP} from gone
   where w.id = gone.watched_calendar_id`;

/** Changes two tables. $1: channel, $2: ms since the last renewal within which a demand is a repetition. */
export const RENEW_SOON = `
  with demanded as (
    update provider_channel set renew_at = clock_timestamp()
     where id = $1 and state = 'live' and renewed_at < clock_timestamp() - $2 * interval '1 ms'
    returning watched_calendar_id
  )
  update watched_calendar w set ${ASK_UPKEEP} from demanded where w.id = demanded.watched_calendar_id`;

/** Runs for every change found: prepared once per connection. */
export const HEARD = {
  name: 'channel-heard',
  text: `
    update provider_channel set silent_finds = 0
     where watched_calendar_id = $1 and state = 'live' and silent_finds > 0`,
};

/** Runs for every change found; changes two tables. $2: number of misses that requests a reconciliation, once. */
export const SILENT = {
  name: 'channel-silent',
  text: `
    with silent as (
      update provider_channel set silent_finds = silent_finds + 1
       where watched_calendar_id = $1 and state = 'live' and silent_finds < $2
      returning watched_calendar_id, silent_finds
    )
    update watched_calendar w set ${ASK_UPKEEP} from silent
     where w.id = silent.watched_calendar_id and silent.silent_finds = $2`,
};

/** Runs for every notification: prepared once per connection. */
export const KEYS = {
  name: 'channel-keys',
  text: `
    select id as "channelId", watched_calendar_id as "watchedCalendarId", token from provider_channel where id = any($1)`,
};

/** Runs after every claim: prepared once per connection. $1: application, or null in the system's scope. */
export const OF_CALENDARS = {
  name: 'channels-of-calendars',
  text: `
    select id, watched_calendar_id as "watchedCalendarId", token, state, subscription_id as "subscriptionId",
           resource_id as "resourceId", expires_at as "expiresAt", renew_at as "renewAt",
           silent_finds as "silentFinds", created_at as "createdAt"
      from provider_channel where (application_id = $1 or $1::uuid is null) and watched_calendar_id = any($2)
     order by id`,
};

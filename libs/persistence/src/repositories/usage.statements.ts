import { CHANGED_AT, QUOTA_OWNER, READING_PRIORITY } from './synced-calendar.statements.js';

// Raw: the statements use the clock of the server, and count or change all calendars at once.

const OWNED = `
  from synced_calendar w join end_user_account a on a.id = w.end_user_account_id and a.status = 'ACTIVE'
  left join credential cr on cr.end_user_account_id = a.id`;

export const OWNERS = `
  with owned as (
    select a.provider_type, ${QUOTA_OWNER} as quota_owner, count(c.id) as pushed, count(*) - count(c.id) as polled,
           count(c.id) filter (where w.notified_at > now() - interval '10 minutes') as lately,
           count(c.id) filter (where w.notified_at > now() - interval '70 minutes'
                                 and w.notified_at <= now() - interval '10 minutes') as before
      ${OWNED}
      left join provider_channel c on c.synced_calendar_id = w.id and c.state = 'live' and c.expires_at > now()
     group by 1, 2
  ), used as (
    select provider_type, project as quota_owner, sum(requests) as requests,
           sum(requests) filter (where cause in ('call', 'connect')) as calls
      from provider_request_count where hour > now() - interval '24 hours' and project <> '' group by 1, 2
  )
  select provider_type as "providerType", quota_owner as "quotaOwner", coalesce(pushed, 0)::int as pushed,
         coalesce(polled, 0)::int as polled, coalesce(lately, 0)::int as "notifiedLately",
         coalesce(before, 0)::int as "notifiedBefore", coalesce(calls, 0)::float8 as calls,
         coalesce(requests, 0)::float8 as requests, coalesce(p.strained_until > now(), false) as "isStrained",
         coalesce(p.hurried_at > now() - interval '1 hour', false) as "isHurried"
    from owned full join used using (provider_type, quota_owner)
    left join reading_plan p using (provider_type, quota_owner)`;

/** $1: provider, $2: project, $3: number of calendars before. */
export const PRIORITY_OF = `
  select priority, "changedAt" from (
    select ${READING_PRIORITY} as priority, ${CHANGED_AT} as "changedAt" ${OWNED}
     where a.provider_type = $1 and ${QUOTA_OWNER} = $2
  ) ranked where priority is not null order by priority, "changedAt" desc offset $3 limit 1`;

/** Pushed calendars that no sync is reading. $1: provider, $2: project. */
const pushedCalendars = (condition: string) => `
  select w.id ${OWNED}
   where a.provider_type = $1 and ${QUOTA_OWNER} = $2 and w.sync_lease_id is null and ${condition}
     and exists (select from provider_channel c where c.synced_calendar_id = w.id and c.state = 'live')
   order by w.id for no key update of w`;

/** Changes two tables. */
export const HURRY = `
  with hurried as (
    update reading_plan set hurried_at = clock_timestamp()
     where provider_type = $1 and quota_owner = $2
       and (hurried_at is null or hurried_at < clock_timestamp() - interval '1 hour') returning true
  ), found as materialized (${pushedCalendars('exists (select from hurried)')})
  update synced_calendar w
     set next_sync_at = least(w.next_sync_at, clock_timestamp() + (1 + 9 * random()) * interval '1 minute')
    from found where w.id = found.id`;

/** $3, $4: shortest and longest time from now, in ms. */
export const BRING_FORWARD = `
  with found as materialized (
    ${pushedCalendars("w.next_sync_at > clock_timestamp() + $4::float8 * interval '1 millisecond'")}
  )
  update synced_calendar w
     set next_sync_at = clock_timestamp() + ($3 + random() * ($4 - $3)) * interval '1 millisecond'
    from found where w.id = found.id`;

export const STRAIN = `
  update reading_plan set strained_until = clock_timestamp() + interval '10 minutes'
   where provider_type = $1 and quota_owner = $2`;

/**
 * Adds to existing counts, in one order, which prevents deadlocks between processes. $1: application, then lists of:
 * $2: provider, $3: project, $4: cause, $5: requests.
 */
export const ADD_REQUESTS = {
  name: 'request-counts-add',
  text: `
    insert into provider_request_count as c (application_id, hour, provider_type, project, cause, requests)
    select a.id, date_trunc('hour', clock_timestamp()), g.provider_type, g.project, g.cause, g.requests
      from application a, unnest($2::text[], $3::text[], $4::text[], $5::bigint[])
           as g (provider_type, project, cause, requests)
     where a.id = $1 order by g.provider_type, g.project, g.cause
    on conflict (application_id, hour, provider_type, project, cause)
    do update set requests = c.requests + excluded.requests`,
};

const daily = (columns: string, condition: string) => `
  select to_char(hour at time zone 'UTC', 'YYYY-MM-DD') as date, provider_type as "providerType", ${columns} cause,
         sum(requests)::float8 as requests
    from provider_request_count where hour >= $1 ${condition}
   group by date, provider_type, ${columns} cause order by date desc, provider_type, ${columns} cause`;

/** $1: time from which on, $2: application. */
export const DAILY = daily('', 'and application_id = $2');
export const DAILY_BY_PROJECT = daily('project,', '');

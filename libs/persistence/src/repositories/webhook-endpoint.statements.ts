import { REQUEST_RECONCILIATION } from './synced-calendar.statements.js';

/**
 * Raw: the lock prevents a concurrent deletion of the owner. A repetition after a lost answer finds the row that it made.
 * $2: calendar or null, $7: rate, $8: now.
 */
const create = (owner: string) => `
  insert into webhook_endpoint (id, application_id, synced_calendar_id, url, secrets, event_types, rate_limit,
         created_at, updated_at)
  select $3, $1::uuid, $2::uuid, $4, $5, $6, $7, $8, $8 from (${owner} for key share) owner
  on conflict (id) do update set id = excluded.id
  returning id, application_id as "applicationId", synced_calendar_id as "syncedCalendarId", url,
            event_types as "eventTypes", rate_limit as "rateLimit", failing_since as "failingSince",
            disabled_at as "disabledAt", disabled_reason as "disabledReason", created_at as "createdAt",
            updated_at as "updatedAt"`;

export const CREATE_OF_APPLICATION = create('select from application where id = $1::uuid and $2::uuid is null');
export const CREATE_OF_CALENDAR = create(
  'select from synced_calendar where application_id = $1::uuid and id = $2::uuid',
);

/**
 * Raw: changes two tables. An attempt holds the endpoint until it is written. $3: account of a subscription, or null.
 */
export const REMOVE_ENDPOINT = `
  with gone as (
    delete from webhook_endpoint e where application_id = $1 and id = $2 and
           case when $3::uuid is null then synced_calendar_id is null
                else exists (select from synced_calendar w
                              where w.id = e.synced_calendar_id and w.end_user_account_id = $3) end
    returning synced_calendar_id
  ), asked as (
    update synced_calendar w set ${REQUEST_RECONCILIATION} from gone where w.id = gone.synced_calendar_id
  )
  select from gone`;

/** Raw: uses the clock of the server. Granted starts lie less than a second ahead. $3: rate, $4: now. */
export const SET_RATE_LIMIT = `
  update webhook_endpoint set rate_limit = $3, next_send_at = null, updated_at = $4,
         next_start_at = least(next_start_at, clock_timestamp() + interval '1 second')
   where application_id = $1 and id = $2`;

/** Raw: `skip locked` skips messages whose holder waits for the endpoint or is about to send them. */
export const GIVE_UP_TURNS = `
  with waiting as (
    select id from webhook_message where application_id = $1 and endpoint_id = $2
       and rate_limited_until > clock_timestamp() and enqueue_at is not null for update skip locked
  )
  update webhook_message m set rate_limited_until = null, enqueue_at = clock_timestamp() from waiting where m.id = waiting.id`;

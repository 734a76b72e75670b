const ACCOUNT = `
  id, application_id as "applicationId", provider_type as "providerType", email, external_id as "externalId",
  authorized_scopes as "authorizedScopes", provider_account_id as "providerAccountId",
  provider_configuration_id as "providerId", status, status_reason as "statusReason", server_url as "serverUrl",
  provider_state as "providerState", created_at as "createdAt", updated_at as "updatedAt"`;

/** Part of every statement that changes the status, so that no change is without its log entry. */
const RECORD_STATUS = 'insert into account_status_change (id, application_id, account_id, status, reason, changed_at)';

/** Runs on every request: prepared once per connection, mapped without the ORM. */
export const ACCOUNTS_BY_ID = {
  name: 'accounts-by-id',
  text: `select ${ACCOUNT} from end_user_account where application_id = $1 and id = any($2)`,
};

/**
 * Raw: through Kysely a list took 1.4 ms longer, a quarter of the median budget of a request. `position` has no
 * wildcards. $1: application, $2: status, $3: search, $4, $5: time and id before, each null for any; $6: limit.
 */
export const LIST_ACCOUNTS = `
  select ${ACCOUNT} from end_user_account
   where application_id = $1 and ($2::text is null or status = $2)
     and ($3::text is null or position(lower($3) in lower(email)) > 0 or position(lower($3) in lower(external_id)) > 0)
     and ($4::timestamptz is null or (created_at, id) < ($4, $5::uuid))
   order by created_at desc, id desc limit $6`;

/** Raw: writes three tables at once. Does nothing when another process has inserted the account. */
export const INSERT_ACCOUNT = `
  with made as (
    insert into end_user_account (id, application_id, provider_configuration_id, provider_type, email, external_id,
                                  authorized_scopes, provider_account_id, status, server_url, provider_state,
                                  created_at, updated_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, 'ACTIVE', $9, $10, $11, $11)
    on conflict do nothing returning *
  ), watched as (
    insert into credential_check (end_user_account_id, application_id) select id, application_id from made
  ), noted as (
    ${RECORD_STATUS} select $12::uuid, application_id, id, 'CONNECTED', null, created_at from made
  )
  select ${ACCOUNT} from made`;

const LOCK_ACCOUNT = `select ${ACCOUNT} from end_user_account where application_id = $1 and provider_type = $2`;

/** The lock prevents a concurrent reconnect of the account. $3: id at the provider. */
export const LOCK_ACCOUNT_OF_PERSON = `${LOCK_ACCOUNT} and provider_account_id = $3 for update`;

/** Raw: as {@link LOCK_ACCOUNT_OF_PERSON}; compares emails as the unique index does. $3: email, $4: server or null. */
export const LOCK_ACCOUNT_OF_LOGIN = `
  ${LOCK_ACCOUNT} and provider_account_id is null
     and (case when server_url is null then lower(email) else email end) =
         (case when $4::text is null then lower($3::text) else $3::text end)
     and server_url is not distinct from $4 for update`;

/**
 * Raw: writes two tables at once. $4: whether to write $5, the external id; $8: provider state as JSON, $9: now, $10:
 * id of the log entry.
 */
export const RECONNECT_ACCOUNT = `
  with renewed as (
    update end_user_account set email = $3, external_id = case when $4 then $5 else external_id end,
           authorized_scopes = $6, provider_account_id = $7, provider_state = $8, status = 'ACTIVE',
           status_reason = case when status = 'ACTIVE' then status_reason else 'reconnected' end, updated_at = $9
     where application_id = $1 and id = $2 returning *
  ), noted as (
    ${RECORD_STATUS} select $10::uuid, application_id, id, 'CONNECTED', 'reconnected', updated_at from renewed
  )
  select ${ACCOUNT} from renewed`;

/** Raw: writes two tables at once. $4: reason, $5: now, $6: id of the log entry. */
export const SET_STATUS = `
  with changed as (
    update end_user_account set status = $3, status_reason = $4, updated_at = $5
     where application_id = $1 and id = $2 and status <> $3 returning *
  )
  ${RECORD_STATUS} select $6::uuid, application_id, id, status, status_reason, updated_at from changed`;

/** $1, $2: intervals in ms by provider type. Types without one are rescheduled once a day and never checked. */
const WITH_INTERVAL = `
  join end_user_account a on a.id = d.end_user_account_id
  left join unnest($1::text[], $2::float8[]) as i (provider_type, ms) on i.provider_type = a.provider_type`;
const GIVEN_OUT = "(a.status = 'ACTIVE' and i.ms is not null)";
const INTERVAL = "coalesce(i.ms, 86400000) * interval '1 ms'";

// Raw: the sub-queries select by the index on `next_check_at` alone, which PostgreSQL can use only when
// `clock_timestamp()` is evaluated once. `skip locked` lets several processes claim different accounts.

/** $3: limit. Gives each new account a random place in its interval. */
export const PLACE_CHECKS = {
  name: 'health-place',
  text: `
    with fresh as (
      select end_user_account_id from credential_check where next_check_at is null limit $3 for update skip locked
    )
    update credential_check h set next_check_at = clock_timestamp() + random() * ${INTERVAL}
      from fresh d ${WITH_INTERVAL} where h.end_user_account_id = d.end_user_account_id`,
};

/** $3: limit, $4: spread. Reschedules all accounts, so that those not ACTIVE never block the head of the index. */
export const CLAIM_CHECKS = {
  name: 'health-claim',
  text: `
    with due as (
      select end_user_account_id from credential_check
       where next_check_at <= (select clock_timestamp()::timestamptz(3)) order by next_check_at limit $3 for update skip locked
    )
    update credential_check h
       set next_check_at = clock_timestamp() + ${INTERVAL} * (1 + $4::float8 * (2 * random() - 1)),
           checked_at = case when ${GIVEN_OUT} then clock_timestamp() else checked_at end
      from due d ${WITH_INTERVAL} where h.end_user_account_id = d.end_user_account_id
    returning h.application_id as "applicationId", h.end_user_account_id as "accountId", ${GIVEN_OUT} as active`,
};

/** Raw: uses the clock of the server, which all processes share. $3: credential version. */
export const RECORD_REJECTION = `
  update credential_check set rejected_version = $3,
         first_rejected_at = case when rejected_version = $3 then first_rejected_at else clock_timestamp() end
   where application_id = $1 and end_user_account_id = $2
  returning first_rejected_at as "firstRejectedAt",
            greatest(0, extract(epoch from clock_timestamp() - first_rejected_at) * 1000)::float8 as "sinceMs"`;

/** Runs before many requests: prepared once per connection. */
export const REJECTED_ACCOUNTS = {
  name: 'credential-check-rejected',
  text: `
    select end_user_account_id as id from credential_check
     where application_id = $1 and rejected_version is not null`,
};

const CREDENTIAL = `
  id, application_id as "applicationId", end_user_account_id as "endUserAccountId", secret, row_version as "rowVersion",
  created_at as "createdAt", updated_at as "updatedAt"`;

/** Runs on every request to a provider: prepared once per connection, mapped without the ORM. */
export const ACCOUNTS_WITH_CREDENTIALS = {
  name: 'accounts-with-credentials',
  text: `
    select a.*, c.id as "credentialId", c.secret, c.row_version as "rowVersion", c.created_at as "credentialCreatedAt",
           c.updated_at as "credentialUpdatedAt"
      from (${ACCOUNTS_BY_ID.text}) a
      left join credential c on c.application_id = $1 and c.end_user_account_id = a.id`,
};

/** Polled by every caller that waits for a refresh: prepared once per connection. */
export const CREDENTIAL_VERSION = {
  name: 'credential-version',
  text: 'select row_version as "rowVersion" from credential where application_id = $1 and end_user_account_id = $2',
};

/** Raw: the lock prevents a concurrent deletion of the account. $3: id, $4: secret, $5: client, $6: now. */
export const INSERT_CREDENTIAL = `
  insert into credential (id, application_id, end_user_account_id, secret, oauth_client_id, row_version, created_at,
                          updated_at)
  select $3, application_id, id, $4, $5, 1, $6, $6 from end_user_account where application_id = $1 and id = $2
     for key share
  on conflict do nothing returning ${CREDENTIAL}`;

const REPLACED = `
  secret = $4, oauth_client_id = $5, row_version = row_version + 1, lease_id = null, leased_until = null,
  updated_at = $6`;

/** Not an upsert: the insert would violate the primary key, which a conflict on the account does not cover. */
export const OVERWRITE_CREDENTIAL = `
  update credential set ${REPLACED}
   where application_id = $1 and end_user_account_id = $2 and id = $3 returning ${CREDENTIAL}`;

/** Fenced by the version, which it increments. */
export const REPLACE_CREDENTIAL = `
  update credential set ${REPLACED}
   where application_id = $1 and id = $2 and row_version = $3 returning ${CREDENTIAL}`;

/** Raw: one process gets the lease, by the clock of the server. $3: version, $4: lease, $5: its length in ms. */
export const LEASE_CREDENTIAL = `
  update credential set lease_id = $4, leased_until = clock_timestamp() + $5 * interval '1 ms'
   where application_id = $1 and end_user_account_id = $2 and row_version = $3
     and (leased_until is null or leased_until <= clock_timestamp()) returning lease_id as "leaseId"`;

/** Fenced by the lease: keeps the lease of another process. */
export const RELEASE_CREDENTIAL = `
  update credential set lease_id = null, leased_until = null
   where application_id = $1 and end_user_account_id = $2 and lease_id = $3`;

/** `statusSince` falls back to `updated_at` for accounts older than the log of status changes. */
const LISTED = `
  a.id, a.application_id as "applicationId", p.name as "applicationName", a.provider_type as "providerType", a.email,
  a.external_id as "externalId", a.status, a.created_at as "createdAt",
  coalesce((select max(s.changed_at) from account_status_change s where s.account_id = a.id), a.updated_at)
    as "statusSince"`;

/**
 * Raw: selects the page first, so that the joins run for its rows only. `position` has no wildcards. $1: before that
 * id, $2: application, $3: provider, $4: status, $5: search, $6: the search as an id, each null for any; $7: limit.
 */
export const ACCOUNT_SUMMARIES = `
  select ${LISTED}
    from (
      select * from end_user_account a
       where ($2::uuid is null or a.application_id = $2) and ($3::text is null or a.provider_type = $3)
         and ($4::text is null or a.status = $4)
         and ($5::text is null or position(lower($5) in lower(a.email)) > 0 or a.external_id = $5 or a.id = $6::uuid)
         and ($1::uuid is null or a.id < $1)
       order by a.id desc limit $7
    ) a join application p on p.id = a.application_id
   order by a.id desc`;

/** Raw: reads all parts in one snapshot. Ignores a rejection of other credentials than the stored ones. */
export const ACCOUNT_DETAIL = `
  select ${LISTED}, a.status_reason as "statusReason", a.authorized_scopes as "authorizedScopes",
         a.server_url as "serverUrl", h.checked_at as "checkedAt",
         case when a.status = 'ACTIVE' then h.next_check_at end as "nextCheckAt",
         case when c.row_version = h.rejected_version then h.first_rejected_at end as "rejectedAt",
         (select count(*)::int from webhook_endpoint e join synced_calendar w on w.id = e.synced_calendar_id
           where w.end_user_account_id = a.id) as subscriptions
    from end_user_account a join application p on p.id = a.application_id
    left join credential_check h on h.end_user_account_id = a.id
    left join credential c on c.end_user_account_id = a.id where a.id = $1`;

/**
 * Raw: reads all tables in one snapshot, each by an index. A refresh is a change of OAuth credentials after the last
 * connect. $1: account, $2: limit.
 */
export const ACCOUNT_TIMELINE = `
  with calendars as (
    select id, calendar_id, notified_at, synced_at from synced_calendar where end_user_account_id = $1
  ), changes as (
    select changed_at, status, reason from account_status_change where account_id = $1 order by changed_at desc limit $2
  ), entries (at, kind, reason, "calendarId", message) as (
    select changed_at, case status when 'CONNECTED' then 'connected' when 'ACTIVE' then 'recovered' else 'expired' end,
           reason, null, null::json
      from changes
    union all
    select updated_at, 'refreshed', null, null, null from credential
     where end_user_account_id = $1 and oauth_client_id is not null
       and updated_at > coalesce((select max(changed_at) from changes where status = 'CONNECTED'), created_at)
    union all
    select checked_at, 'checked', null, null, null from credential_check where end_user_account_id = $1
    union all
    select h.first_rejected_at, 'rejected', null, null, null
      from credential_check h join credential c using (end_user_account_id)
     where end_user_account_id = $1 and c.row_version = h.rejected_version
    union all
    select notified_at, 'notified', null, calendar_id, null from calendars
    union all
    select synced_at, 'synced', null, calendar_id, null from calendars
    union all
    select sent.created_at, 'message', null, calendars.calendar_id, sent.message
      from calendars join webhook_endpoint e on e.synced_calendar_id = calendars.id
     cross join lateral (
       select created_at, json_build_object('id', id, 'eventType', event_type, 'state', state) as message
         from webhook_message m where m.endpoint_id = e.id order by m.id desc limit $2
     ) sent
  )
  select at::timestamptz(3), kind, reason, "calendarId", message from entries
   where at is not null order by at desc limit $2`;

/** Raw: channels expire by the clock of the server. */
export const CHANGE_DETECTION = `
  select w.calendar_id as "calendarId",
         exists (select from provider_channel c where c.synced_calendar_id = w.id and c.state = 'live'
                    and c.expires_at > clock_timestamp()) as "isPushed"
    from synced_calendar w
   where w.end_user_account_id = $1 and exists (select from webhook_endpoint e where e.synced_calendar_id = w.id)`;

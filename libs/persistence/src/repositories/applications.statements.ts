/**
 * Raw: `skip locked` lets two processes claim two different applications. The column rounds to milliseconds, so the clock
 * is rounded alike.
 */
export const CLAIM_DELETION = `
  update application set deletion_due_at = clock_timestamp() + $1 * interval '1 ms'
   where id = (select id from application where deletion_due_at <= (select clock_timestamp()::timestamptz(3))
                order by deletion_due_at limit 1 for update skip locked)
  returning id`;

/** Raw: uses the clock of the server, which all processes share. */
export const BEGIN_DELETION =
  'update application set deletion_due_at = clock_timestamp() where id = $1 and deletion_due_at is null';

export const CONTINUE_DELETION = `
  update application set deletion_due_at = clock_timestamp() + $2 * interval '1 ms'
   where id = $1 and deletion_due_at is not null`;

/** Raw: deletes a batch, skipping messages that are being delivered. */
export const DELETE_SOME_MESSAGES = `
  delete from webhook_message where application_id = $1 and id in
         (select id from webhook_message where application_id = $1 limit $2 for update skip locked)`;

/** Runs on every cache miss of a request: prepared once per connection, mapped without the ORM. */
export const FIND_APPLICATION = {
  name: 'application-find',
  text: `
    select id, name, environment, rate_limit_rps as "rateLimitRps", enriches_webhooks as "enrichesWebhooks",
           polls_calendars as "pollsCalendars", requires_signed_links as "requiresSignedLinks",
           accent_color as "accentColor", created_at as "createdAt"
      from application where id = $1 and deletion_due_at is null`,
};

/** The one read of every request: prepared once per connection, mapped without the ORM. */
export const FIND_FOR_VERIFICATION = {
  name: 'api-key-verify',
  text: `
    select k.id, k.application_id as "applicationId", k.name, k.scopes, k.expires_at as "expiresAt",
           k.revoked_at as "revokedAt", k.last_used_at as "lastUsedAt", k.created_at as "createdAt",
           k.secret_hash as "secretHash", a.rate_limit_rps as "rateLimitRps"
      from api_key k join application a on a.id = k.application_id
     where k.id = $1 and a.deletion_due_at is null`,
};

/** Prepared once per connection. Keeps the id of an account just deleted if the request on it succeeded. $1: JSON. */
export const ADD_REQUESTS = {
  name: 'request-log-add',
  text: `
    insert into request_record (id, request_id, started_at, method, route, status, error_code, duration_ms,
           application_id, api_key_id, account_id, provider_type, trace_id)
    select r.id, r."requestId", r."startedAt", r.method, r.route, r.status, r."errorCode", r."durationMs",
           r."applicationId", r."apiKeyId", case when r.status < 400 then r."accountId" else a.id end, a.provider_type,
           r."traceId"
      from json_to_recordset($1::json) as r (id uuid, "requestId" text, "startedAt" timestamptz, method text, route text,
           status int, "errorCode" text, "durationMs" int, "applicationId" uuid, "apiKeyId" text, "accountId" uuid,
           "traceId" text)
      left join end_user_account a on a.id = r."accountId" and a.application_id = r."applicationId"`,
};

/** Claims: `skip locked` lets two processes take two different applications. */
export const CLAIM_DELETION = `
  update application set deletion_due_at = clock_timestamp() + $1 * interval '1 ms'
   where id = (select id from application where deletion_due_at <= clock_timestamp()
                order by deletion_due_at limit 1 for update skip locked)
  returning id`;

/** On the server's clock, which all processes share. */
export const BEGIN_DELETION =
  'update application set deletion_due_at = clock_timestamp() where id = $1 and deletion_due_at is null';

export const CONTINUE_DELETION = `
  update application set deletion_due_at = clock_timestamp() + $2 * interval '1 ms'
   where id = $1 and deletion_due_at is not null`;

/** In bites, past the messages that are being delivered. */
export const DELETE_SOME_MESSAGES = `
  delete from webhook_message where application_id = $1 and id in
         (select id from webhook_message where application_id = $1 limit $2 for update skip locked)`;

/** Read by every request that no cache answers: prepared once per connection, and mapped by hand. */
export const FIND_APPLICATION = {
  name: 'application-find',
  text: `
    select id, name, environment, rate_limit_rps as "rateLimitRps", enriches_webhooks as "enrichesWebhooks",
           polls_calendars as "pollsCalendars", requires_signed_links as "requiresSignedLinks", created_at as "createdAt"
      from application where id = $1 and deletion_due_at is null`,
};

/** The one read of every request: prepared once per connection, and mapped by hand. */
export const FIND_FOR_VERIFICATION = {
  name: 'api-key-verify',
  text: `
    select k.id, k.application_id as "applicationId", k.name, k.scopes, k.expires_at as "expiresAt",
           k.revoked_at as "revokedAt", k.last_used_at as "lastUsedAt", k.created_at as "createdAt",
           k.secret_hash as "secretHash", a.rate_limit_rps as "rateLimitRps"
      from api_key k join application a on a.id = k.application_id
     where k.id = $1 and a.deletion_due_at is null`,
};

/**
 * Of every request, many at a time: prepared once per connection. An account counts when it is the application's. One that
 * was just deleted is not any more: then it counts when the request succeeded, which none does on an account of others.
 * $1: JSON of the requests.
 */
export const ADD_REQUESTS = {
  name: 'request-log-add',
  text: `
    insert into request_record (id, request_id, started_at, method, route, status, error_code, duration_ms,
           application_id, api_key_id, account_id, provider_type)
    select r.id, r."requestId", r."startedAt", r.method, r.route, r.status, r."errorCode", r."durationMs",
           r."applicationId", r."apiKeyId", case when r.status < 400 then r."accountId" else a.id end, a.provider_type
      from json_to_recordset($1::json) as r (id uuid, "requestId" text, "startedAt" timestamptz, method text, route text,
           status int, "errorCode" text, "durationMs" int, "applicationId" uuid, "apiKeyId" text, "accountId" uuid)
      left join end_user_account a on a.id = r."accountId" and a.application_id = r."applicationId"`,
};

// Raw: all statements use the clock of the server, which all processes share.

export const TALLY_WINDOW = "interval '5 minutes'";

export const RECORD_OUTCOME = `
  insert into refresh_stats (provider_type, client_id, account_id, refused, decided_at)
  values ($1, $2, $3, $4, clock_timestamp())
  on conflict (provider_type, client_id, account_id) do update
  set refused = excluded.refused, decided_at = excluded.decided_at`;

export const TALLY = `
  select count(*)::int as decided, count(*) filter (where refused)::int as rejected,
         (select breaker_tripped_since from mass_expiry_breaker where provider_type = $1 and client_id = $2) as "breakerTrippedSince"
    from refresh_stats
   where provider_type = $1 and client_id = $2 and decided_at > clock_timestamp() - ${TALLY_WINDOW}`;

/** One of several concurrent callers succeeds. */
export const HOLD = `
  insert into mass_expiry_breaker (provider_type, client_id, breaker_tripped_since) values ($1, $2, clock_timestamp())
  on conflict (provider_type, client_id) do nothing`;

/** Changes both tables at once: no process sees a breaker without its stats. */
export const RELEASE_HOLD = `
  with forgotten as (delete from refresh_stats where provider_type = $1 and client_id = $2)
  delete from mass_expiry_breaker where provider_type = $1 and client_id = $2`;

/** One of several concurrent callers succeeds. $3: probe interval in ms. */
export const MAY_PROBE = `
  update mass_expiry_breaker set probed_at = clock_timestamp() where provider_type = $1 and client_id = $2
     and (probed_at is null or probed_at <= clock_timestamp() - $3 * interval '1 ms')`;

export const IS_SUSPECT = `
  select 1 from refresh_stats join mass_expiry_breaker using (provider_type, client_id)
   where provider_type = $1 and client_id = $2 and account_id = $3 and refused
     and decided_at > breaker_tripped_since - ${TALLY_WINDOW}`;

/** The process that inserts a revocation has it for a minute. */
export const ADD_REVOCATION = `
  insert into grant_revocation (application_id, id, provider_type, provider_account_id, client_id, token, attempts,
                                next_attempt_at)
  values ($1, $2, $3, $4, $5, $6, 0, clock_timestamp() + interval '1 minute')`;

/** Within ten seconds of {@link ADD_REVOCATION}: the request to the provider ends before. */
export const IS_FIRST_REVOCATION_UNDER_WAY = `
  select 1 from grant_revocation
   where provider_type = $1 and provider_account_id is not distinct from $2 and client_id = $3 and attempts = 0
     and next_attempt_at > clock_timestamp() + interval '50 seconds'`;

/** Claims for a minute. The delay doubles with each attempt, up to six hours. $1: limit. */
export const CLAIM_REVOCATIONS = `
  with due as (
    select id from grant_revocation where next_attempt_at <= clock_timestamp()
     order by next_attempt_at limit $1 for update skip locked
  )
  update grant_revocation r set attempts = attempts + 1,
         next_attempt_at = clock_timestamp() + least(power(2, attempts), 360) * interval '1 minute'
    from due where r.id = due.id
  returning r.id, application_id as "applicationId", provider_type as "providerType",
            provider_account_id as "providerAccountId", client_id as "clientId", token, attempts`;

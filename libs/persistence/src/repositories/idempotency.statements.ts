// Raw: claims use the clock of the server. All statements are idempotent, for a retry after a lost connection.

const KEPT = "interval '24 hours'";

/**
 * $4: fingerprint, $5: claim, $6: ms until a takeover is allowed, $7: fingerprint by each encryption key, $8: their
 * ids.
 */
export const TAKE = `
  insert into idempotency_record as r (id, application_id, key, fingerprint, claim_id, locked_until, expires_at)
  values ($1, $2, $3, $4, $5, clock_timestamp() + $6 * interval '1 ms', clock_timestamp() + ${KEPT})
  on conflict (application_id, key) do update
     set fingerprint = excluded.fingerprint, claim_id = excluded.claim_id, locked_until = excluded.locked_until,
         expires_at = excluded.expires_at, response = null
   where r.expires_at <= clock_timestamp() or r.claim_id = excluded.claim_id
      or (r.response is null and r.locked_until <= clock_timestamp()
          and (r.fingerprint = any($7) or split_part(r.fingerprint, ':', 1) <> all($8)))`;

export const FIND_RECORD = `
  select id, fingerprint, response, extract(epoch from locked_until - clock_timestamp())::float8 as "lockedFor"
    from idempotency_record where application_id = $1 and key = $2 and expires_at > clock_timestamp()`;

export const FIND_CLAIMED =
  'select id from idempotency_record where application_id = $1 and key = $2 and claim_id = $3';

export const COMPLETE = `
  update idempotency_record set response = $4
   where application_id = $1 and id = $2 and claim_id = $3 and response is null`;

export const RELEASE = `
  delete from idempotency_record where application_id = $1 and key = $2 and claim_id = $3 and response is null`;

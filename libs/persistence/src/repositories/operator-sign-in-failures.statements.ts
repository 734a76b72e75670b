export const FAILURES_KEPT = "interval '24 hours'";

const PATIENCE = 5;
/** Caps the exponent: ten doublings exceed the longest wait, and an uncapped power would overflow. */
const DOUBLINGS = 10;

const COUNTED = `case when f.last_at <= $2::timestamptz - ${FAILURES_KEPT} then 1 else f.failures + 1 end`;

/** Raw: counts an attempt of all subjects, or of none while one must wait, so that concurrent attempts all count. */
export const CLAIM_ATTEMPT = `
  with login as (
    select * from unnest($1::bytea[], $3::int[], $4::int[]) as l (subject, first_wait, longest_wait)
  )
  insert into operator_sign_in_failure as f (subject_hash, failures, last_at)
  select subject, 1, $2 from login
   where not exists (select from operator_sign_in_failure where subject_hash = any($1) and blocked_until > $2)
   order by subject
      on conflict (subject_hash) do update
     set failures = ${COUNTED}, last_at = $2,
         blocked_until = case when ${COUNTED} >= ${PATIENCE} then $2::timestamptz + make_interval(secs => (
           select least(longest_wait, first_wait * power(2, least(${COUNTED} - ${PATIENCE}, ${DOUBLINGS})))
             from login where login.subject = f.subject_hash)) end
   where f.blocked_until is null or f.blocked_until <= $2`;

/** Raw: increments in the statement that writes, so that concurrent failures all count. */
export const COUNT_FAILURE = `
  insert into operator_sign_in_failure as f (subject_hash, failures, last_at) values ($1, 1, $2)
      on conflict (subject_hash) do update set failures = ${COUNTED}, last_at = $2
  returning failures`;

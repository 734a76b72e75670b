// On the server's clock, which all processes share: they count the same requests and refusals.

const NOW_MS = '(extract(epoch from clock_timestamp()) * 1000)::float8';

/**
 * Moves the row of an account in one statement, so that replicas together keep the limit (GCRA). $1: application,
 * $2: account, $3: time that the requests take up, $4: burst tolerance, $5: longest wait, all in milliseconds. The
 * inserted row is that of an account at rest; `excluded.arrival_ms - $3` is the statement's "now".
 */
export const RESERVE_BUDGET = {
  name: 'provider-budget-take',
  text: `
    insert into provider_budget as b (application_id, account_id, arrival_ms)
    values ($1, $2, ${NOW_MS} + $3::float8) on conflict (application_id, account_id) do update
    set arrival_ms = greatest(b.arrival_ms, excluded.arrival_ms - $3::float8) + $3::float8
    where b.arrival_ms + $3::float8 - $4::float8 - (excluded.arrival_ms - $3::float8) <= $5::float8
    returning arrival_ms - $4::float8 - ${NOW_MS} as wait_ms`,
};

/** $1: application, $2: account, $3: time that a request takes up, $4: burst tolerance, in milliseconds. */
export const BUDGET_WAIT = `
  select arrival_ms + $3::float8 - $4::float8 - ${NOW_MS} as wait_ms from provider_budget
   where application_id = $1 and account_id = $2`;

/** How long a refusal counts. */
export const REFUSAL_WINDOW = "interval '10 minutes'";
/** Refusals of one login, and of all logins that one key tried, before it has to wait (N53). */
const PER_LOGIN = 5;
const PER_ACTOR = 20;

/** When fewer than `limit` refusals will count; null: they do not now. */
const freedAt = (whose: string, limit: number) => `(
  select refused_at + ${REFUSAL_WINDOW} from connect_refusal where application_id = $1 and ${whose}
     and refused_at > clock_timestamp() - ${REFUSAL_WINDOW} order by refused_at desc offset ${limit - 1} limit 1)`;

/** Seconds, null for none. $1: application, $2: hashes that the login may have, $3: actor. */
export const REFUSAL_WAIT = `
  select extract(epoch from greatest(${freedAt('login_hash = any($2)', PER_LOGIN)},
                                     ${freedAt('actor = $3', PER_ACTOR)}) - clock_timestamp())::float8 as wait`;

import { LEASE_MS } from './account-permits.js';

// Raw: all statements use the clock of the server, so that all processes count the same requests and rejections.

const NOW_MS = '(extract(epoch from clock_timestamp()) * 1000)::float8';

/**
 * GCRA in one statement, so that all replicas together keep the limit. $3: interval of the requests, $4: burst
 * tolerance, $5: maximum wait, in ms. The inserted row is that of an idle account; `excluded.arrival_ms - $3` is "now".
 */
export const RESERVE_RATE = {
  name: 'provider-rate-take',
  text: `
    insert into provider_rate as b (application_id, account_id, arrival_ms)
    values ($1, $2, ${NOW_MS} + $3::float8) on conflict (application_id, account_id) do update
    set arrival_ms = greatest(b.arrival_ms, excluded.arrival_ms - $3::float8) + $3::float8
    where b.arrival_ms + $3::float8 - $4::float8 - (excluded.arrival_ms - $3::float8) <= $5::float8
    returning arrival_ms - $4::float8 - ${NOW_MS} as wait_ms`,
};

/** $1: application, $2: account, $3: interval of a request, $4: burst tolerance, in ms. */
export const RATE_WAIT = `
  select arrival_ms + $3::float8 - $4::float8 - ${NOW_MS} as wait_ms from provider_rate
   where application_id = $1 and account_id = $2`;

/** A refused operation is told to come back within this. */
export const MAX_RETRY_MS = 60_000;

/**
 * Takes a place behind the requests that are reserved and the operations that were refused before. Reserves nothing:
 * whoever comes at its time is admitted as any other. Parameters and result as in {@link RATE_WAIT}.
 */
export const REFUSE_OPERATION = `
  update provider_rate
     set refused_ms = least(greatest(arrival_ms, refused_ms) + $3::float8, ${NOW_MS} + $4::float8 + ${MAX_RETRY_MS})
   where application_id = $1 and account_id = $2
  returning refused_ms - $4::float8 - ${NOW_MS} as wait_ms`;

/** $3: interval of the requests that were sent beyond a reservation; negative for unused ones, in ms. */
export const CORRECT_RATE = `
  update provider_rate set arrival_ms = greatest(arrival_ms, ${NOW_MS}) + $3::float8
   where application_id = $1 and account_id = $2`;

export const FAILURE_WINDOW = "interval '10 minutes'";
/** Rejections of one login, and of all logins of one API key, before a wait. */
const PER_LOGIN = 5;
const PER_ACTOR = 20;

/** When fewer than `limit` rejections will count; null when they already do. */
const freedAt = (whose: string, limit: number) => `(
  select rejected_at + ${FAILURE_WINDOW} from failed_connect where application_id = $1 and ${whose}
     and rejected_at > clock_timestamp() - ${FAILURE_WINDOW} order by rejected_at desc offset ${limit - 1} limit 1)`;

/** Wait in seconds, null for none. $1: application, $2: candidate hashes of the login, $3: actor. */
export const FAILURE_WAIT = `
  select extract(epoch from greatest(${freedAt('login_hash = any($2)', PER_LOGIN)},
                                     ${freedAt('actor = $3', PER_ACTOR)}) - clock_timestamp())::float8 as wait`;

/** A process that polls keeps its reservation; one that died blocks the permit no longer than this. */
const WISH_MS = 1_000;
const LEASE = `clock_timestamp() + interval '${LEASE_MS} milliseconds'`;
const WISH = `clock_timestamp() + interval '${WISH_MS} milliseconds'`;

/** Not reserved by another process. $6: this process. */
const isUnwanted = (row: string) => `coalesce(${row}.wanted_by = $6 or ${row}.wanted_until <= clock_timestamp(), true)`;
const isFree = (row: string) => `${row}.leased_until <= clock_timestamp() and ${isUnwanted(row)}`;

/** $3: limit, $4: count, $5: lease, $7: leases of this process. Locks rows in order of slots to prevent deadlocks. */
export const TAKE_PERMIT = `
  with rows as materialized (
    select * from provider_permit where application_id = $1 and account_id = $2 order by slot for update
  ), free as (
    select n.slot from generate_series(1, $3::int) as n (slot) left join rows on rows.slot = n.slot
     where rows.slot is null or ${isFree('rows')} order by n.slot limit $4
  ), taken as (
    insert into provider_permit as s (application_id, account_id, slot, lease_id, leased_until, taken_at)
    select $1, $2, free.slot, $5, ${LEASE}, clock_timestamp() from free order by free.slot
    on conflict (application_id, account_id, slot) do update
       set lease_id = excluded.lease_id, leased_until = excluded.leased_until, taken_at = excluded.taken_at,
           wanted_by = null, wanted_until = null
     where ${isFree('s')}
    returning slot
  ), wished as (
    update provider_permit s set wanted_by = $6, wanted_until = ${WISH}
     where application_id = $1 and account_id = $2 and not exists (select from taken)
       and slot = (select rows.slot from rows where rows.lease_id <> all ($7::uuid[]) and ${isUnwanted('rows')}
                    order by rows.wanted_by = $6 desc nulls last, rows.taken_at limit 1)
  )
  select slot from taken`;

/** Of all applications at once. $1: applications, $2: accounts, $3: slots, $4: leases. */
const OWN = `
  with own as materialized (
    select application_id, account_id, slot from provider_permit join
           unnest($1::uuid[], $2::text[], $3::int[], $4::uuid[]) as held (application_id, account_id, slot, lease_id)
           using (application_id, account_id, slot, lease_id)
     where leased_until > clock_timestamp() order by application_id, account_id, slot for update of provider_permit
  )`;
const IS_OWN = '(s.application_id, s.account_id, s.slot) = (own.application_id, own.account_id, own.slot)';

export const RENEW_PERMITS = `${OWN}
  update provider_permit s set leased_until = ${LEASE} from own where ${IS_OWN}
  returning s.slot, s.lease_id as "leaseId", coalesce(s.wanted_until > clock_timestamp(), false) as "isWanted"`;

/** As {@link OWN}, $5: limits of the accounts. */
export const LACKING_PERMITS = `
  select held.slot, held.lease_id as "leaseId"
    from unnest($1::uuid[], $2::text[], $3::int[], $4::uuid[], $5::int[])
           as held (application_id, account_id, slot, lease_id, most)
   where (select count(*) filter (where s.leased_until > clock_timestamp()) >= held.most
                 or bool_or(s.slot = held.slot and s.lease_id = held.lease_id and s.wanted_until > clock_timestamp())
            from provider_permit s where s.application_id = held.application_id and s.account_id = held.account_id)`;

/** The column rounds to milliseconds, so that the current time could be in the future. */
export const RELEASE_PERMITS = `${OWN}
  update provider_permit s set leased_until = clock_timestamp() - interval '1 millisecond' from own where ${IS_OWN}`;

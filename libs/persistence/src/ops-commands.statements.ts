import type { EncryptedColumn } from './encryption/rotate-keys.js';
import { MISSING_AFTER } from './repositories/provider-channel.repository.js';

// Statements of the ops commands. Raw: settings of the server have no entities, encrypted tables and columns are known at
// run time only, and recovery works without an encryption key, on the clock that later statements use.

export const SERVER = `
  select current_setting('server_version') as version, extract(epoch from clock_timestamp())::float8 * 1000 as "nowMs"`;

/** The header of a ciphertext is a version, the length of the key id, and the key id. */
export const countByKey = ({ table, column }: EncryptedColumn) => `
  select convert_from(substring(${column} from 3 for get_byte(${column}, 1)), 'UTF8') as "keyId", count(*)::int as secrets
    from ${table} where length(${column}) > 2 group by 1`;

/** Locks the batch against concurrent writers. $1: last visited row, null at the start, $2: limit. */
export const lockSecrets = ({ table, column }: EncryptedColumn) => `
  select id, ${column} as sealed from ${table} where ($1::uuid is null or id > $1)
     and ${column} is not null order by id limit $2 for update`;

export const writeSecret = ({ table, column }: EncryptedColumn) => `update ${table} set ${column} = $2 where id = $1`;

export const countUnderOtherKeys = ({ table, column }: EncryptedColumn) =>
  `select count(*)::int as count from ${table} where substring(${column} from 1 for $1) <> $2`;

export const findSecret = ({ table, column }: EncryptedColumn) =>
  `select 1 from ${table} where ${column} is not null limit 1`;

/** The processes that held the leases of the backup are gone. */
export const SYNC_ALL = `
  update synced_calendar set sync_requests = sync_requests + 1, sync_lease_id = null, next_sync_at = clock_timestamp(),
         sync_requested_at = coalesce(sync_requested_at, clock_timestamp()),
         reconcile_requests = reconcile_requests + 1, reconcile_lease_id = null, reconcile_at = clock_timestamp()`;
export const REOPEN_CHANNELS = `update provider_channel set missed_notifications = ${MISSING_AFTER} where state = 'live'`;
export const DROP_SNAPSHOTS = 'delete from sync_snapshot';
export const END_SESSIONS = 'delete from operator_session';
export const WITHDRAW_INVITATIONS = 'delete from operator_invitation where email is not null';

// Raw: session settings and system catalogs have no entities.

export const SET_SCOPE = 'select set_config($1, $2, false)';

/** True on a standby and on a demoted primary. */
const READ_ONLY = "current_setting('transaction_read_only')::bool as is_read_only";
export const IS_READ_ONLY = `select ${READ_ONLY}`;

/**
 * $1, $2: as in {@link SET_SCOPE}, $3: statement timeout, $4: lock timeout, $5: role of row-level security.
 * A transaction that idles for ten seconds belongs to a process that froze or was cut off: its locks are released.
 */
export const PREPARE = `
  select ${READ_ONLY},
         set_config($1, $2, false),
         set_config('statement_timeout', $3, false),
         set_config('lock_timeout', $4, false),
         set_config('idle_in_transaction_session_timeout', '10000', false),
         set_config('timezone', 'UTC', false),
         (select set_config('role', wall.rolname, false)
            from pg_roles me, pg_class tables, pg_roles wall
           where me.rolname = current_user and (me.rolsuper or me.rolbypassrls)
             and tables.oid = to_regclass('application')
             and (wall.rolname = $5 or wall.oid = tables.relowner)
             and not (wall.rolsuper or wall.rolbypassrls) and pg_has_role(me.oid, wall.oid, 'member')
             and has_table_privilege(wall.oid, tables.oid, 'select')
           order by wall.rolname = $5 desc limit 1)`;

export const IS_BOUND = 'select not (rolsuper or rolbypassrls) as bound from pg_roles where rolname = current_user';

export const IDENTITY = `
  select pg_current_xact_id_if_assigned()::text as xid, pg_postmaster_start_time()::text as server`;

/** https://www.postgresql.org/docs/current/functions-info.html#FUNCTIONS-INFO-SNAPSHOT */
export const STATUS = 'select pg_xact_status($1::xid8) as status where pg_postmaster_start_time()::text = $2';

export const LOCK_UNTIL_COMMIT = 'select pg_advisory_xact_lock($1)';

/** Less than `deadlock_timeout`, whose default is one second. */
export const LIMIT_LOCK_WAITS = "set local lock_timeout = '500ms'";

export const LOCK_MIGRATIONS = 'select pg_advisory_lock($1)';

/** MikroORM owns the table, which exists only after the first migration. */
const MIGRATIONS_TABLE = 'mikro_orm_migrations';
export const HAS_MIGRATIONS = `select to_regclass('${MIGRATIONS_TABLE}') is not null as found`;
export const APPLIED_MIGRATIONS = `select name from ${MIGRATIONS_TABLE} order by id`;

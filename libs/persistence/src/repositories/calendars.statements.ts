/** Raw: the lock prevents a concurrent deletion of the account. */
const OWNER = 'from end_user_account where application_id = $1 and id = $2 for key share';

/** Runs on every read of events: prepared once per connection. */
export const LOAD_PROPERTIES = {
  name: 'private-property-load',
  text: `
    select id, ical_uid_hash as "iCalUidHash", instance, properties from private_property
     where application_id = $1 and end_user_account_id = $2 and calendar_hash = $3 and ical_uid_hash = any($4::bytea[])`,
};

/**
 * Changes nothing when the row has another id, for which the properties are not sealed. $5: instance, $6: id, $8: now.
 */
export const SAVE_PROPERTIES = `
  insert into private_property (id, application_id, end_user_account_id, calendar_hash, ical_uid_hash, instance,
         properties, created_at, updated_at)
  select $6, application_id, id, $3, $4, $5, $7, $8, $8 ${OWNER}
  on conflict (end_user_account_id, calendar_hash, ical_uid_hash, instance) do update
     set properties = excluded.properties, updated_at = excluded.updated_at where private_property.id = excluded.id`;

/**
 * Idempotent by id. Deletes the least recently used beyond $8 of the calendar: in the same statement, because each list of
 * a window waits for it. $3: id, $4: calendar, $5: change tag, $6: entries, $7: now.
 */
export const SAVE_SNAPSHOT = {
  name: 'sync-snapshot-save',
  text: `
    with dropped as (
      delete from sync_snapshot where application_id = $1 and id = any(array(
        select id from sync_snapshot
         where application_id = $1 and end_user_account_id = $2 and calendar_hash = $4 and id <> $3
         order by used_at desc, id desc offset $8::integer - 1)))
    insert into sync_snapshot (id, application_id, end_user_account_id, calendar_hash, change_tag, entries, used_at)
    select $3, application_id, id, $4, $5, $6, $7 ${OWNER}
    on conflict (id) do update set used_at = excluded.used_at`,
};

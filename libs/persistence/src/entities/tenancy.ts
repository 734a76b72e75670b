/** Session setting of the visible rows: an application id, or {@link SYSTEM_SCOPE}. */
export const SCOPE_SETTING = 'app.application_id';

/** Scope of work across applications: key lookup, housekeeping, key rotation, ops. */
export const SYSTEM_SCOPE = 'system';

const current = `current_setting('${SCOPE_SETTING}', true)`;

/**
 * Second barrier behind the `application_id` of every statement: a connection without a scope reads and writes nothing.
 * `force` includes the owner of the tables. PostgreSQL estimates that a `case` keeps half of the rows, but an equality
 * one in 200, for which it would sort a whole backlog rather than read its start by an index.
 */
export function ownedByApplication(column = 'application_id') {
  const isVisible = `case ${current} when '${SYSTEM_SCOPE}' then true else ${current} = ${column}::text end`;
  return {
    rowLevelSecurity: 'force' as const,
    policies: [{ name: 'tenant', using: isVisible, check: isVisible }],
  };
}

export function systemOnly() {
  return {
    rowLevelSecurity: 'force' as const,
    policies: [{ name: 'system', using: `${current} = '${SYSTEM_SCOPE}'`, check: `${current} = '${SYSTEM_SCOPE}'` }],
  };
}

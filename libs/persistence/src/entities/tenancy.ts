/** Session setting of the visible rows: an application id, or {@link SYSTEM_SCOPE}. */
export const SCOPE_SETTING = 'app.application_id';

/** Scope of work across applications: key lookup, housekeeping, key rotation, ops. */
export const SYSTEM_SCOPE = 'system';

const current = `current_setting('${SCOPE_SETTING}', true)`;

/**
 * Second barrier behind the `application_id` of every statement. `force` includes the owner of the tables. A `case`,
 * because PostgreSQL estimates that an equality keeps one row in 200, and would sort instead of using an index.
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

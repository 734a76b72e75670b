/** Session setting that says whose rows a connection may see: an application id, or {@link SYSTEM_SCOPE}. */
export const SCOPE_SETTING = 'app.application_id';

/** Value of {@link SCOPE_SETTING} for work that belongs to no application: key lookup, housekeeping, rotation, ops. */
export const SYSTEM_SCOPE = 'system';

const current = `current_setting('${SCOPE_SETTING}', true)`;

/**
 * The second wall behind the `application_id` of every statement: a connection without a scope sees and writes nothing.
 * `force` binds the owner of the tables too. Of a `case` PostgreSQL supposes that it leaves half of the rows; of an
 * equality, one in two hundred, and it would rather sort a whole backlog than read the first ones of it by an index.
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

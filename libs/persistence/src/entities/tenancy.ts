/** Session setting that says whose rows a connection may see: an application id, or {@link SYSTEM_SCOPE}. */
export const SCOPE_SETTING = 'app.application_id';

/** Value of {@link SCOPE_SETTING} for work that belongs to no application: key lookup, housekeeping, rotation, ops. */
export const SYSTEM_SCOPE = 'system';

const current = `current_setting('${SCOPE_SETTING}', true)`;

/**
 * The second wall behind the `application_id` of every statement: a connection without a scope sees and writes nothing.
 * `force` binds the owner of the tables too.
 */
export function ownedByApplication(column = 'application_id') {
  return {
    rowLevelSecurity: 'force' as const,
    policies: [
      {
        name: 'tenant',
        using: `${current} in (${column}::text, '${SYSTEM_SCOPE}')`,
        check: `${current} in (${column}::text, '${SYSTEM_SCOPE}')`,
      },
    ],
  };
}

export function systemOnly() {
  return {
    rowLevelSecurity: 'force' as const,
    policies: [{ name: 'system', using: `${current} = '${SYSTEM_SCOPE}'`, check: `${current} = '${SYSTEM_SCOPE}'` }],
  };
}

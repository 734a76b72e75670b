import pg from 'pg';

// Raw: roles and databases have no entities.

export const FIND_ROLE = 'select 1 from pg_roles where rolname = $1';
export const FIND_DATABASE = 'select 1 from pg_database where datname = $1';

/** `create role` and `create database` take no parameters. */
export const createRole = (name: string, password: string) =>
  `create role ${pg.escapeIdentifier(name)} login password ${pg.escapeLiteral(password)}`;
export const createDatabase = (name: string) =>
  `create database ${pg.escapeIdentifier(name)} owner ${pg.escapeIdentifier(name)}`;

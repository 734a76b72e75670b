import type { EncryptedColumn } from './rotate-keys.js';

// Raw: tables and columns are known at run time only.

/** Locks the batch against concurrent writers. $1: last visited row, null at the start, $2: limit. */
export const lockSecrets = ({ table, column }: EncryptedColumn) => `
  select id, ${column} as sealed from ${table} where ($1::uuid is null or id > $1)
     and ${column} is not null order by id limit $2 for update`;

export const writeSecret = ({ table, column }: EncryptedColumn) => `update ${table} set ${column} = $2 where id = $1`;

export const countUnderOtherKeys = ({ table, column }: EncryptedColumn) =>
  `select count(*)::int as count from ${table} where substring(${column} from 1 for $1) <> $2`;

export const findSecret = ({ table, column }: EncryptedColumn) =>
  `select 1 from ${table} where ${column} is not null limit 1`;

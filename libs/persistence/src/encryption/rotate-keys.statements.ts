import type { EncryptedColumn } from './rotate-keys.js';

// Of tables and columns that are known when the rotation runs: the entities name them, nobody else does.

/** Writers of the same rows wait for the batch. $1: the row to go on after, null for the beginning, $2: most. */
export const lockSecrets = ({ table, column }: EncryptedColumn) => `
  select id, ${column} as sealed from ${table} where ($1::uuid is null or id > $1)
     and ${column} is not null order by id limit $2 for update`;

/** $1: id, $2: secret. */
export const writeSecret = ({ table, column }: EncryptedColumn) => `update ${table} set ${column} = $2 where id = $1`;

/** $1: length of the header, $2: header of the current key. */
export const countUnderOtherKeys = ({ table, column }: EncryptedColumn) =>
  `select count(*)::int as count from ${table} where substring(${column} from 1 for $1) <> $2`;

export const findSecret = ({ table, column }: EncryptedColumn) =>
  `select 1 from ${table} where ${column} is not null limit 1`;

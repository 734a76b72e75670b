import type { EncryptedColumn } from './encryption/rotate-keys.js';

// Raw: settings of the server have no entities; tables and columns are known at run time only.

export const SERVER = `
  select current_setting('server_version') as version, extract(epoch from clock_timestamp())::float8 * 1000 as "nowMs"`;

/** The header of a ciphertext is a version, the length of the key id, and the key id. */
export const countByKey = ({ table, column }: EncryptedColumn) => `
  select convert_from(substring(${column} from 3 for get_byte(${column}, 1)), 'UTF8') as "keyId", count(*)::int as secrets
    from ${table} where length(${column}) > 2 group by 1`;

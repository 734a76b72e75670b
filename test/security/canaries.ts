import { randomBytes } from 'node:crypto';
import { expect } from '@jest/globals';
import { asAdmin } from '../support/postgres.js';

/** A text that occurs nowhere by chance. Letters and digits alone: escaping cannot hide it. */
export const canary = (name: string): string => `canary${name}${randomBytes(9).toString('hex')}`;

/** Every way in which a secret may be written down. `login`: whose it is, where it goes out as a password. */
function spellings(secret: string, login: string | undefined): string[] {
  return [
    secret,
    encodeURIComponent(secret),
    ...[...(login === undefined ? [] : [`${login}:${secret}`]), secret].map((text) =>
      Buffer.from(text).toString('base64'),
    ),
    Buffer.from(secret).toString('base64url'),
    Buffer.from(secret).toString('hex'),
  ];
}

/** Fails with the name of a secret that occurs in a text, and with what stands around it. */
export function expectNowhere(text: string, secrets: Record<string, string>, login?: string): void {
  const lowerCased = text.toLowerCase();
  for (const [name, secret] of Object.entries(secrets)) {
    for (const spelling of spellings(secret, login)) {
      const at = lowerCased.indexOf(spelling.toLowerCase());
      expect([name, at === -1 ? null : text.slice(Math.max(0, at - 200), at + 50)]).toEqual([name, null]);
    }
  }
}

/** Every row of every table, those of the queues included, as text; each after the name of its table. */
export function dump(adminDatabaseUrl: string): Promise<string> {
  return asAdmin(adminDatabaseUrl, async (admin) => {
    const tables = await admin.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
       where schemaname not in ('pg_catalog', 'information_schema')`,
    );
    const rows: string[] = [];
    for (const { name } of tables.rows) {
      const found = await admin.query<{ row: string }>(`select t::text as row from ${name} t`);
      rows.push(...found.rows.map(({ row }) => `${name} ${row}`));
    }
    return rows.join('\n');
  });
}

import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Queue } from 'bullmq';
import { parse } from 'yaml';
import { chooseQueueBackend, migrateQueueSchema } from '#jobs';
import { Database, migrate, SYSTEM } from '#persistence';
import { asAdmin, createTestDatabase, type TestDatabase } from '../support/postgres.js';

const DOCKER = join(import.meta.dirname, '../../docker');
const ROLE_FILE = readFileSync(join(DOCKER, 'database-role.sql'), 'utf8');
const compose = parse(readFileSync(join(DOCKER, 'compose.yaml'), 'utf8'), { merge: true }) as {
  services: Record<string, { environment?: Record<string, string>; volumes?: string[] }>;
};
const NAME = 'calendar';

describe('the role that the Compose file lets the service connect as', () => {
  /** The file's role and database, under a name of their own: others may have this server at the same time. */
  const own = `compose_${randomBytes(6).toString('hex')}`;
  const password = randomBytes(12).toString('hex');
  let server: TestDatabase;
  let url: string;

  beforeAll(async () => {
    server = await createTestDatabase({ migrated: false });
    const statements = ROLE_FILE.split('\n')
      .filter((line) => !line.startsWith('--') && !line.startsWith('\\set'))
      .join('\n')
      .replaceAll(`'password'`, `'${password}'`)
      .replaceAll(`:'`, `'`)
      .replaceAll(new RegExp(`\\b${NAME}\\b`, 'g'), own)
      .split(';')
      .filter((statement) => statement.trim() !== '');
    expect(statements).toHaveLength(2);
    await asAdmin(server.adminUrl, async (admin) => {
      for (const statement of statements) await admin.query(statement);
    });
    const address = new URL(server.adminUrl);
    address.username = own;
    address.password = password;
    address.pathname = `/${own}`;
    url = address.href;
  });

  afterAll(async () => {
    await asAdmin(server.adminUrl, async (admin) => {
      await admin.query(`drop database if exists ${own} with (force)`);
      await admin.query(`drop role if exists ${own}`);
    });
    await server.drop();
  });

  it('is the one of every process, and not the administrator', () => {
    for (const name of ['api', 'worker', 'migrate']) {
      const { DATABASE_URL = '' } = compose.services[name]?.environment ?? {};
      expect(DATABASE_URL).toMatch(
        new RegExp(`^postgresql://${NAME}:\\$\\{DATABASE_PASSWORD:.*@postgres:5432/${NAME}$`),
      );
    }
    const { environment, volumes } = compose.services['postgres'] ?? {};
    expect(environment).not.toHaveProperty('POSTGRES_USER');
    expect(environment).toEqual({ POSTGRES_PASSWORD_FILE: '/run/secrets/postgres-password' });
    expect(volumes).toContain('./database-role.sql:/docker-entrypoint-initdb.d/database-role.sql:ro');
  });

  it('may migrate, and is bound by row-level security', async () => {
    await migrate(url);
    const database = new Database({ databaseUrl: url });
    try {
      expect(await database.isBoundByRowLevelSecurity(SYSTEM)).toBe(true);
    } finally {
      await database.close();
    }
  });

  it('is that of the queues on PostgreSQL too', async () => {
    await migrateQueueSchema(url);
    const connection = chooseQueueBackend({ databaseUrl: url, redisUrl: null, connectionName: own });
    const queue = new Queue('of-ordinary-role', { connection });
    try {
      await queue.add('one', {});
      expect(await queue.getJobCounts('wait')).toEqual({ wait: 1 });
      const { rows } = await asAdmin(server.adminUrl, (admin) =>
        admin.query(
          'select distinct usename, rolsuper, rolbypassrls, rolcreaterole from pg_stat_activity, pg_roles ' +
            'where rolname = usename and datname = $1',
          [own],
        ),
      );
      expect(rows).toEqual([{ usename: own, rolsuper: false, rolbypassrls: false, rolcreaterole: false }]);
    } finally {
      await queue.close();
    }
  });
});

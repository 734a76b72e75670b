import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { MikroORM } from '@mikro-orm/postgresql';
import { Test } from '@nestjs/testing';
import pg from 'pg';
import { awaitSchema, Database, KeyRing, migrate, PersistenceModule, SYSTEM, verifySchema } from '#persistence';
import { MIGRATION_NAMES } from '../../libs/persistence/src/migrations/names.js';
import { ormConfig } from '../../libs/persistence/src/orm.config.js';
import { asAdmin, createTestDatabase, untilAnotherWaitsFor, type TestDatabase } from '../support/postgres.js';

let testDatabase: TestDatabase;

beforeEach(async () => {
  testDatabase = await createTestDatabase({ migrated: false });
});

afterEach(() => testDatabase.drop());

const boot = (databaseUrl = testDatabase.url) =>
  Test.createTestingModule({
    imports: [PersistenceModule.forRoot({ databaseUrl, keyRing: KeyRing.parse(KeyRing.generateEntry('k')) })],
  })
    .compile()
    .then(async (module) => {
      try {
        await module.init();
      } finally {
        await module.close();
      }
    });

describe('schema', () => {
  it('is made by the migrations once, however many processes start them at the same time', async () => {
    const outcomes = await Promise.all(Array.from({ length: 4 }, () => migrate(testDatabase.url)));
    const applied = outcomes.map((outcome) => outcome.applied.length);
    expect(applied.filter((count) => count > 0)).toHaveLength(1);
    expect(await migrate(testDatabase.url)).toEqual({ applied: [] });
    await expect(boot()).resolves.toBeUndefined();
  });

  it('is the one that the entities declare: no migration is missing', async () => {
    await migrate(testDatabase.url);
    const orm = await MikroORM.init(ormConfig(testDatabase.url));
    try {
      expect(await orm.migrator.checkSchema()).toBe(false);
    } finally {
      await orm.close();
    }
  });

  /** What a newer version has done to the database, as this one sees it. */
  const migratedByNewer = (name: string) =>
    asAdmin(testDatabase.adminUrl, (admin) =>
      admin.query('insert into mikro_orm_migrations (name, executed_at) values ($1, now())', [name]),
    );

  it('F40 that is newer is served when it only adds, or contracts what this build does without', async () => {
    await migrate(testDatabase.url);
    await migratedByNewer('Migration29990101000000_adds');
    await migratedByNewer('Migration29990201000000_contract_since_20261125000000_drops');
    await expect(boot()).resolves.toBeUndefined();
    expect(await migrate(testDatabase.url)).toEqual({ applied: [] });
  });

  it('F40 that is newer is refused when it contracts what this build uses, at boot and by migrate', async () => {
    await migrate(testDatabase.url);
    await migratedByNewer('Migration29990201000000_contract_since_29990101000000_drops');
    const message = new RegExp(`29990201000000_contract.* 29990101000000.* up to ${MIGRATION_NAMES.at(-1)}`);
    await expect(boot()).rejects.toThrow(message);
    await expect(migrate(testDatabase.url)).rejects.toThrow(message);
    await expect(verifySchema(testDatabase.url, 2_000)).rejects.toMatchObject({ kind: 'newer' });
  });

  it('that lacks migrations is refused at boot, with what to do', async () => {
    await expect(boot()).rejects.toThrow('run "ops migrate"');
  });

  it('F40 that lacks migrations is waited for, and that is told once', async () => {
    const warnings: string[] = [];
    const waiting = awaitSchema(testDatabase.url, 60_000, ({ message }) => void warnings.push(message));
    await new Promise((done) => setTimeout(done, 500));
    expect((await migrate(testDatabase.url)).applied).toHaveLength(MIGRATION_NAMES.length);
    await waiting;
    expect(warnings).toEqual([expect.stringContaining('run "ops migrate"')]);
  });

  it('F40 that changes under a prepared statement costs nobody a failure', async () => {
    const database = new Database({ databaseUrl: testDatabase.url, poolSize: 3 });
    const all = { name: 'everything', text: 'select * from thing, pg_sleep(0.05)' };
    const readings = () => Promise.all(Array.from({ length: 3 }, () => database.read(SYSTEM, all)));
    try {
      await database.write(SYSTEM, { text: 'create table thing as select 1 as id' });
      await readings();
      await asAdmin(testDatabase.adminUrl, (admin) => admin.query('alter table thing add colour text'));
      expect(await readings()).toEqual(Array.from({ length: 3 }, () => [expect.objectContaining({ colour: null })]));
    } finally {
      await database.close();
    }
  });

  it('F40 that is migrated against the order of a statement, which PostgreSQL ends as a deadlock, costs nobody a failure', async () => {
    const database = new Database({ databaseUrl: testDatabase.url, lockTimeoutMs: 30_000 });
    const migration = new pg.Client({ connectionString: testDatabase.adminUrl });
    await migration.connect();
    try {
      await database.write(SYSTEM, { text: 'create table first as select 1 as id' });
      await database.write(SYSTEM, { text: 'create table second as select 1 as id' });
      for (const send of [database.read.bind(database), database.write.bind(database)]) {
        // The statement is the one that PostgreSQL ends.
        await migration.query("set deadlock_timeout = '1h'; begin; lock table second");
        const statement = send(SYSTEM, { text: 'select first.id from first, second' });
        await untilAnotherWaitsFor(migration, 'second');
        await migration.query('lock table first');
        await migration.query('commit');
        expect(await statement).toBeTruthy();
      }
    } finally {
      await migration.end();
      await database.close();
    }
  });

  it('holds the wall for a superuser that migrated and serves', async () => {
    await migrate(testDatabase.adminUrl);
    const database = new Database({ databaseUrl: testDatabase.adminUrl });
    try {
      expect(await database.isBoundByRowLevelSecurity(SYSTEM)).toBe(true);
      const [role] = await database.read<{ name: string }>(SYSTEM, { text: 'select current_user::text as name' });
      expect(role?.name).toBe('unified_calendar_app');
      await database.write(SYSTEM, {
        text: "insert into application (id, name, created_at) values (gen_random_uuid(), 'a', now())",
      });
    } finally {
      await database.close();
    }
    await expect(boot(testDatabase.adminUrl)).resolves.toBeUndefined();
  });
});

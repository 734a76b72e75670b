import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Database, DatabaseUnavailable, SYSTEM, tenant } from '#persistence';
import { asAdmin } from '../support/postgres.js';
import { openPersistence, type Persistence } from './persistence.js';

let persistence: Persistence;
/** One connection: what a transaction leaves on it, the next statement meets. */
let database: Database;

beforeAll(async () => {
  persistence = await openPersistence();
  database = new Database({ databaseUrl: persistence.testDatabase.url, poolSize: 1, lockTimeoutMs: 200 });
});

afterAll(async () => {
  await database.close();
  await persistence.close();
});

const insert = (name: string) => ({
  text: 'insert into application (id, name, created_at) values ($1, $2, now())',
  values: [randomUUID(), name],
});
const broken = { text: 'select 1 / 0' };
const named = (name: string) =>
  database.read(SYSTEM, { text: 'select 1 from application where name = $1', values: [name] });

describe('a transaction that the server aborted', () => {
  it('is a failure although its work went on and its commit was answered', async () => {
    let hasEnded = false;
    const outcome = database.transaction(SYSTEM, async () => {
      await database.write(SYSTEM, insert('swallowed'));
      await database.read(SYSTEM, broken).catch(() => undefined);
      hasEnded = true;
      return 'done';
    });
    await expect(outcome).rejects.toMatchObject({ name: 'TransactionRolledBack', cause: { code: '22012' } });
    expect(hasEnded).toBe(true);
    expect(await named('swallowed')).toEqual([]);
  });

  it('is a failure of the unit of work', async () => {
    const application = await persistence.newApplication();
    const outcome = persistence.unitOfWork.run(application, async () => {
      await persistence.database.read(tenant(application.applicationId), broken).catch(() => undefined);
    });
    await expect(outcome).rejects.toMatchObject({ name: 'TransactionRolledBack' });
  });

  it('is the unavailability that aborted it', async () => {
    await asAdmin(persistence.testDatabase.adminUrl, async (admin) => {
      await admin.query('begin');
      await admin.query('lock table application in access exclusive mode');
      const outcome = database.transaction(SYSTEM, async () => {
        await named('locked').catch(() => undefined);
      });
      await expect(outcome).rejects.toBeInstanceOf(DatabaseUnavailable);
      await admin.query('rollback');
    });
  });

  it('leaves its connection in nobody else’s scope', async () => {
    const [mine, other] = [await persistence.newApplication(), await persistence.newApplication()];
    const visible = async ({ applicationId }: { applicationId: string }) =>
      (await database.read<{ id: string }>(tenant(applicationId), { text: 'select id from application' })).map(
        ({ id }) => id,
      );
    const outcome = database.transaction(tenant(mine.applicationId), async () => {
      await visible(other);
      await database.read(tenant(other.applicationId), broken).catch(() => undefined);
    });
    await expect(outcome).rejects.toThrow();
    expect(await visible(other)).toEqual([other.applicationId]);
    expect(await visible(mine)).toEqual([mine.applicationId]);
  });

  it('is none when its work met no failure', async () => {
    await database.transaction(SYSTEM, () => database.write(SYSTEM, insert('kept')));
    expect(await named('kept')).toHaveLength(1);
  });
});

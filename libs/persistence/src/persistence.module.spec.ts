import { Database } from './database/database.js';
import { KeyRing } from './encryption/field-cipher.js';
import { DatabaseUnavailable } from './index.js';
import { PersistenceModule, type PersistenceOptions } from './persistence.module.js';

const options: PersistenceOptions = {
  databaseUrl: 'postgres://127.0.0.1:1/none',
  applicationName: 'test',
  keyRing: KeyRing.parse(KeyRing.generateEntry('a')),
};

describe('the start of a process', () => {
  it.each([
    ['goes on while the database is busy', new DatabaseUnavailable('noConnection'), null],
    ['ends with any other failure', new Error('broken'), 'broken'],
  ])('%s', async (_, failure, message) => {
    const database = new Database(options);
    jest.spyOn(database, 'isBoundByRowLevelSecurity').mockRejectedValue(failure);
    const persistence = new PersistenceModule(options, database);
    const error = await persistence.onApplicationBootstrap().catch((reason: Error) => reason.message);
    await persistence.onApplicationShutdown();
    expect(error ?? null).toBe(message);
  });
});

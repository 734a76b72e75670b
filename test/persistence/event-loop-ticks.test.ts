import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { turns } from '#platform/event-loop';
import { Database, SYSTEM } from '#persistence';
import { TickCounter, work } from '#platform/testing/tick-counter';
import { createTestDatabase, type TestDatabase } from '../support/postgres.js';

const READERS = 8;

describe('F39 answers of the database that come together', () => {
  let testDatabase: TestDatabase;
  let database: Database;
  beforeAll(async () => {
    testDatabase = await createTestDatabase();
    database = new Database({ databaseUrl: testDatabase.url, poolSize: READERS });
  });
  afterAll(async () => {
    await database.close();
    await testDatabase.drop();
  });

  it('are worked on in a turn of the event loop each', async () => {
    const read = () => database.read(SYSTEM, { text: 'select pg_sleep(0.2)' });
    const all = () => Array.from({ length: READERS }, read);
    await Promise.all(all());
    const loop = new TickCounter();
    const workedOnIn = all().map(async (response) => {
      await response;
      const { count } = loop;
      work(3);
      return count;
    });
    await sleep(50);
    // When the loop turns again, all answers are there.
    work(400);
    const seen = await Promise.all(workedOnIn);
    loop.stop();
    expect(new Set(seen).size).toBe(READERS);
  });

  it('do not wait inside of a transaction, nor beside one: others wait for its locks', async () => {
    const waits = jest.spyOn(turns, 'next');
    const read = () => database.read(SYSTEM, { text: 'select 1' });
    await database.transaction(SYSTEM, async () => {
      await read();
      await database.detached(read);
    });
    expect(waits).not.toHaveBeenCalled();
    await read();
    expect(waits).toHaveBeenCalledTimes(1);
    waits.mockRestore();
  });
});

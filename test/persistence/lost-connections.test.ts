import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Database, SYSTEM } from '#persistence';
import { asAdmin, createTestDatabase, type TestDatabase } from '../support/postgres.js';
import { eventually } from '../support/processes.js';
import { openPersistence, type Persistence } from './persistence.js';

/** How a connection ends whose backend is terminated: https://www.postgresql.org/docs/current/protocol-message-formats.html */
const TERMINATED = errorResponse('SFATAL', 'VFATAL', 'C57P01', 'Mterminating connection due to administrator command');
const READY_FOR_QUERY = Buffer.from('5a0000000549', 'hex');

let testDatabase: TestDatabase;
let way: Server;
let database: Database;
/** Of the connections by number, the first one 1: not to be let in, and where what makes one ready waits. */
let rejected: Set<number>;
let held: Map<number, Promise<unknown>>;
let connections: number;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
});

afterAll(() => testDatabase.drop());

beforeEach(async () => {
  [rejected, held, connections] = [new Set(), new Map(), 0];
  const target = new URL(testDatabase.url);
  way = createServer((client) => {
    connections += 1;
    const waitsFor = held.get(connections);
    client.on('error', () => undefined);
    if (rejected.has(connections)) {
      client.once('data', () => client.end(TERMINATED));
      return;
    }
    const server = connect(Number(target.port), target.hostname);
    server.on('error', () => client.destroy());
    client.pipe(server);
    server.on('data', (bytes: Buffer) => {
      const mayPass = bytes.includes(READY_FOR_QUERY) ? waitsFor : undefined;
      void Promise.resolve(mayPass).then(() => client.write(bytes));
    });
    server.on('close', () => client.end());
    client.on('close', () => server.destroy());
  });
  way.listen(0, '127.0.0.1');
  await once(way, 'listening');
  const databaseUrl = new URL(testDatabase.url);
  databaseUrl.host = `127.0.0.1:${(way.address() as AddressInfo).port}`;
  database = new Database({ databaseUrl: databaseUrl.href, poolSize: 3, applicationName: 'lost-connections' });
});

afterEach(async () => {
  await database.close();
  way.close();
});

const backendPid = { text: 'select pg_backend_pid() as pid' };

describe('F18 the backends of PostgreSQL are killed while connections are made', () => {
  it('one that is ended before it is ready is made once more, for reads and writes', async () => {
    rejected.add(1);
    expect(await database.read(SYSTEM, { text: 'select 1 as one' })).toEqual([{ one: 1 }]);
    await expireIdle();
    rejected.add(connections + 1);
    expect(await database.write(SYSTEM, { text: 'delete from application' })).toMatchObject({ count: 0 });
  });

  it('a database that lets nobody in is unavailable', async () => {
    for (let at = 1; at < 10; at += 1) rejected.add(at);
    await expect(database.read(SYSTEM, backendPid)).rejects.toMatchObject({ reason: 'noConnection' });
    expect(connections).toBeLessThanOrEqual(4);
  });

  it('one that was being made when another was lost is not used', async () => {
    const gate = Promise.withResolvers<void>();
    held.set(2, gate.promise);
    const [first] = await database.read<{ pid: number }>(SYSTEM, backendPid);
    const reading = database.read(SYSTEM, { text: 'select pg_sleep(1)' });
    const other = database.read<{ pid: number }>(SYSTEM, backendPid);
    const second = await eventually('the second backend is ready', async () => (await backends(`state = 'idle'`))[0]);
    await asAdmin(testDatabase.adminUrl, (admin) => admin.query('select pg_terminate_backend($1)', [first?.pid]));
    await eventually('the read is sent again', () => connections === 3 || undefined);
    gate.resolve();
    expect(await other).not.toEqual([second]);
    await reading;
  });
});

describe('F18 a connection is lost under a statement that a read of events makes', () => {
  let persistence: Persistence;
  let scope: { applicationId: string; accountId: string; calendarId: string };

  beforeAll(async () => {
    persistence = await openPersistence();
    const application = await persistence.newApplication();
    const account = await persistence.newAccount(application);
    scope = { ...application, accountId: account.id, calendarId: 'c' };
  });

  afterAll(() => persistence?.close());

  /** Every backend that waits for the table of snapshots is killed, once one does. */
  async function losing<T>(work: () => Promise<T>): Promise<T> {
    const { adminUrl } = persistence.testDatabase;
    return asAdmin(adminUrl, async (owner) => {
      await owner.query('begin; lock table sync_snapshot in access exclusive mode');
      const working = work();
      await asAdmin(adminUrl, (admin) =>
        eventually('it waits', async () => {
          const { rowCount } = await admin.query(
            `select pg_terminate_backend(pid) from pg_stat_activity
              where datname = current_database() and wait_event_type = 'Lock' and query ilike '%sync_snapshot%'`,
          );
          return rowCount === 0 ? undefined : true;
        }),
      );
      await owner.query('commit');
      return working;
    });
  }

  it('a snapshot is saved, found and replaced all the same, each once', async () => {
    const { snapshots } = persistence;
    const id = await losing(() => snapshots.save(scope, { entries: { a: '1' }, changeTag: null }));
    expect(await losing(() => snapshots.find(scope, id))).toEqual({ entries: { a: '1' }, changeTag: null });
    expect(await losing(() => snapshots.replace(scope, id, { entries: { a: '2' }, changeTag: 't' }))).toBe(true);
    expect(await snapshots.find(scope, id)).toEqual({ entries: { a: '2' }, changeTag: 't' });
    expect(await persistence.admin('select id from sync_snapshot')).toEqual([{ id }]);
  });
});

function backends(which: string): Promise<{ pid: number }[]> {
  return asAdmin(testDatabase.adminUrl, async (admin) => {
    const { rows } = await admin.query<{ pid: number }>(
      `select pid from pg_stat_activity where application_name = 'lost-connections' and ${which}`,
    );
    return rows;
  });
}

/** Has the next statement make a connection. */
async function expireIdle(): Promise<void> {
  for (const { pid } of await backends('true')) {
    await asAdmin(testDatabase.adminUrl, (admin) => admin.query('select pg_terminate_backend($1)', [pid]));
  }
  await eventually('the pool has heard of it', () => database.usage().idle === 0 || undefined);
}

function errorResponse(...fields: string[]): Buffer {
  const body = Buffer.from(`${fields.map((field) => `${field}\0`).join('')}\0`);
  const head = Buffer.alloc(5, 'E');
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

// 40 s: processes are killed, and their leases of slots have to end.
import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApplicationRef } from '#domain/applications';
import type { ProviderConcurrencyLimiter } from '#domain/providers';
import { Database } from '#persistence';
import { SqlProviderConcurrencyLimiter } from '../../libs/persistence/src/repositories/provider-concurrency-limiter.js';
import { PermitLeases } from '../../libs/persistence/src/repositories/permit-leases.js';
import { compileLibs, type CompiledLibs } from '../support/compiled-libs.js';
import { KEY_ENTRY, openPersistence, type Persistence } from '../persistence/persistence.js';

const LIMIT = 3;
const ROOT = join(import.meta.dirname, '..', '..');

/** Four replicas on one database. */
let replicas: Persistence[];
let application: ApplicationRef;
let libs: CompiledLibs;
let accounts = 0;
let statements = 0;

beforeAll(async () => {
  const first = await openPersistence({ onStatement: () => void (statements += 1) });
  const others = [1, 2, 3].map(() => openPersistence({ testDatabase: first.testDatabase }));
  replicas = [first, ...(await Promise.all(others))];
  application = await first.newApplication();
  libs = await compileLibs(['persistence']);
  await copyFile(join(import.meta.dirname, 'permit-process.mjs'), join(libs.directory, 'permit-process.mjs'));
});

afterAll(async () => {
  await libs.remove();
  for (const replica of replicas.toReversed()) await replica.close();
});

const forever = new AbortController().signal;
const replica = (n: number) => replicas[n] as Persistence;
const newScope = () => ({ ...application, accountId: `account ${(accounts += 1)}` });
type Scope = ReturnType<typeof newScope>;

/** Counts what is under way at once, as the provider would. */
class Provider {
  underWay = 0;
  most = 0;
  /** Names of callers in the order in which they came. */
  readonly came: string[] = [];

  /** A call that takes that long. */
  call(name: string, ms: number): () => Promise<void> {
    return async () => {
      this.came.push(name);
      this.underWay += 1;
      this.most = Math.max(this.most, this.underWay);
      await sleep(ms);
      this.underWay -= 1;
    };
  }
}

/** Work that ends on the test's word, once it has begun. */
async function occupy(slots: ProviderConcurrencyLimiter, scope: Scope): Promise<() => Promise<void>> {
  const begun = Promise.withResolvers<void>();
  const over = Promise.withResolvers<void>();
  const held = slots.withPermit(scope, LIMIT, forever, async () => {
    begun.resolve();
    await over.promise;
  });
  await Promise.race([begun.promise, held]);
  return async () => {
    over.resolve();
    await held;
  };
}

/** By the database: slots that are leased now. */
async function leased({ accountId }: Scope): Promise<number> {
  const rows = await replica(0).admin(
    'select 1 from provider_permit where account_id = $1 and leased_until > clock_timestamp()',
    [accountId],
  );
  return rows.length;
}

describe('provider slots', () => {
  it('are never held by more than the limit over replicas, and everybody gets one', async () => {
    const scope = newScope();
    const provider = new Provider();
    await Promise.all(
      replicas.flatMap(({ slots }, n) =>
        Array.from({ length: 30 }, () => slots.withPermit(scope, LIMIT, forever, provider.call(`${n}`, 5))),
      ),
    );
    expect(provider.came).toHaveLength(120);
    expect(provider.most).toBe(LIMIT);
  });

  it('are counted for each account of each application', async () => {
    const [scope, other] = [newScope(), newScope()];
    const elsewhere = { ...scope, ...(await replica(0).newApplication()) };
    const ends = await Promise.all([
      ...Array.from({ length: LIMIT }, () => occupy(replica(0).slots, scope)),
      occupy(replica(0).slots, other),
      occupy(replica(1).slots, elsewhere),
    ]);
    expect(await Promise.all([leased(scope), leased(other)])).toEqual([LIMIT + 1, 1]);
    await Promise.all(ends.map((end) => end()));
  });

  it('serve callers of one process in the order in which they came', async () => {
    const scope = newScope();
    const provider = new Provider();
    const names = Array.from({ length: 12 }, (_, n) => `${n}`);
    await Promise.all(
      names.map((name) => replica(0).slots.withPermit(scope, LIMIT, forever, provider.call(name, 5 + Number(name)))),
    );
    expect(provider.came).toEqual(names);
  });

  it('give every process its turn while another one never rests', async () => {
    const scope = newScope();
    const provider = new Provider();
    let isOver = false;
    const busy = Array.from({ length: 12 }, async () => {
      while (!isOver) await replica(0).slots.withPermit(scope, LIMIT, forever, provider.call('busy', 20));
    });
    while (provider.most < LIMIT) await sleep(5);
    await Promise.all(
      [1, 2, 3].flatMap((n) =>
        Array.from({ length: 4 }, () => replica(n).slots.withPermit(scope, LIMIT, forever, provider.call('late', 20))),
      ),
    );
    isOver = true;
    await Promise.all(busy);
    expect(provider.most).toBe(LIMIT);
  });

  it('cost a busy account far less than a statement per call', async () => {
    const scope = newScope();
    statements = 0;
    const provider = new Provider();
    for (let call = 0; call < 100; call += 1) {
      await replica(0).slots.withPermit(scope, LIMIT, forever, provider.call('one', 1));
    }
    await Promise.all(
      Array.from({ length: 100 }, () => replica(0).slots.withPermit(scope, LIMIT, forever, provider.call('many', 1))),
    );
    expect(statements).toBeLessThan(20);
  });

  it('of all applications are tended together', async () => {
    const scopes = await Promise.all(
      Array.from({ length: 20 }, async () => ({ ...newScope(), ...(await replica(0).newApplication()) })),
    );
    const ends = await Promise.all(scopes.map((scope) => occupy(replica(0).slots, scope)));
    statements = 0;
    await sleep(3_000);
    // Each is renewed once a second.
    expect(statements).toBeLessThan(40);
    expect(await Promise.all(scopes.map(leased))).toEqual(scopes.map(() => 1));
    await Promise.all(ends.map((end) => end()));
    await eventually(async () => expect(await Promise.all(scopes.map(leased))).toEqual(scopes.map(() => 0)));
  });

  it('are given back when they are not used any more', async () => {
    const scope = newScope();
    const ends = await Promise.all(Array.from({ length: LIMIT }, () => occupy(replica(0).slots, scope)));
    await Promise.all(ends.map((end) => end()));
    await eventually(async () => expect(await leased(scope)).toBe(0));
  });

  it('stay leased between the calls of an account that leaves one to others, for longer than a lease', async () => {
    const scope = newScope();
    const takenAt = async () =>
      (
        await replica(0).admin<{ taken_at: Date }>('select taken_at from provider_permit where account_id = $1', [
          scope.accountId,
        ])
      ).map(({ taken_at: at }) => Number(at));
    await (
      await occupy(replica(0).slots, scope)
    )();
    const before = await takenAt();
    for (let call = 0; call < 20; call += 1) {
      await sleep(300);
      await (
        await occupy(replica(0).slots, scope)
      )();
    }
    expect(await takenAt()).toEqual(before);
  });

  it('are lacked by others when none is free, or when one of them is waited for', async () => {
    const scope = newScope();
    const database = new Database({ databaseUrl: replica(0).testDatabase.url });
    const [mine, theirs] = [new PermitLeases(database), new PermitLeases(database)];
    const take = async (leases: PermitLeases, count: number) =>
      (await leases.take(scope, LIMIT, count, [])).map((lease) => ({ ...lease, ...scope, limit: LIMIT }));
    const lacked = async (slots: Awaited<ReturnType<typeof take>>) =>
      (await mine.lacking(slots)).map(({ slot }) => slot);
    const own = await take(mine, 2);
    expect(await lacked(own)).toEqual([]);
    const third = await take(theirs, 1);
    expect(await lacked(own)).toEqual([1, 2]);
    await mine.release(own.slice(1));
    expect(await lacked(own.slice(0, 1))).toEqual([]);
    const unlimited = own.slice(0, 1).map((lease) => ({ ...lease, limit: 9 }));
    expect(
      await theirs.take(
        scope,
        1,
        1,
        third.map(({ leaseId }) => leaseId),
      ),
    ).toEqual([]);
    expect(await lacked(unlimited)).toEqual([1]);
    expect(await lacked(unlimited.map((lease) => ({ ...lease, leaseId: third[0]!.leaseId })))).toEqual([]);
    await database.close();
  });

  it('stay with a call that takes longer than a lease', async () => {
    const scope = newScope();
    const ends = await Promise.all(Array.from({ length: LIMIT }, () => occupy(replica(0).slots, scope)));
    await sleep(6_500);
    expect(await leased(scope)).toBe(LIMIT);
    await expect(
      replica(1).slots.withPermit(scope, LIMIT, AbortSignal.timeout(200), async () => undefined),
    ).rejects.toMatchObject({ code: 'RateLimited' });
    await Promise.all(ends.map((end) => end()));
  });

  it("say when to come back at the caller's deadline, and leave others in the queue alone", async () => {
    const scope = newScope();
    const ends = await Promise.all(Array.from({ length: LIMIT }, () => occupy(replica(0).slots, scope)));
    const gone = new AbortController();
    let worked = false;
    const rejected = replica(0).slots.withPermit(scope, LIMIT, gone.signal, async () => void (worked = true));
    const next = replica(0).slots.withPermit(scope, LIMIT, forever, async () => 'served');
    gone.abort();
    await expect(rejected).rejects.toMatchObject({ code: 'RateLimited', retryAfterSeconds: 5 });
    await expect(
      replica(0).slots.withPermit(scope, LIMIT, gone.signal, async () => void (worked = true)),
    ).rejects.toMatchObject({ code: 'RateLimited' });
    await Promise.all(ends.map((end) => end()));
    expect(await next).toBe('served');
    expect(worked).toBe(false);
  });

  it('say so after the longest wait, when the caller has no deadline', async () => {
    const scope = newScope();
    const database = new Database({ databaseUrl: replica(0).testDatabase.url });
    const ends = await Promise.all(Array.from({ length: LIMIT }, () => occupy(replica(0).slots, scope)));
    const impatient = new SqlProviderConcurrencyLimiter(database, 300);
    await expect(impatient.withPermit(scope, LIMIT, forever, async () => undefined)).rejects.toMatchObject({
      code: 'RateLimited',
      retryAfterSeconds: 5,
    });
    await Promise.all(ends.map((end) => end()));
    await database.close();
  });

  it('pass on what the work throws, and go on', async () => {
    const scope = newScope();
    for (let call = 0; call < 2 * LIMIT; call += 1) {
      const failed = replica(0).slots.withPermit(scope, LIMIT, forever, () =>
        Promise.reject(new Error(`call ${call}`)),
      );
      await expect(failed).rejects.toThrow(`call ${call}`);
    }
  });

  it('are not held up by a transaction around them', async () => {
    const scope = newScope();
    await replica(0).unitOfWork.run(application, async () => {
      const end = await occupy(replica(0).slots, scope);
      const other = replica(1).slots.withPermit(scope, LIMIT, AbortSignal.timeout(5_000), async () => 'served');
      await expect(other).resolves.toBe('served');
      await end();
    });
  });

  it('know no application that is not there', async () => {
    const scope = { ...newScope(), applicationId: '0197a000-0000-7000-8000-000000000000' };
    const outcome = replica(0).slots.withPermit(scope, LIMIT, forever, async () => undefined);
    await expect(outcome).rejects.toMatchObject({ code: 'NotFound' });
  });

  it('fail with the database, for everybody who waits', async () => {
    const database = new Database({ databaseUrl: replica(0).testDatabase.url, connectTimeoutMs: 500 });
    const slots = new SqlProviderConcurrencyLimiter(database);
    await database.close();
    const scope = newScope();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 5 }, () => slots.withPermit(scope, LIMIT, forever, async () => undefined)),
    );
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { name: 'DatabaseUnavailable' } });
    }
  });
});

describe('slots of processes that stop', () => {
  const children: ChildProcess[] = [];

  afterEach(async () => {
    for (const child of children.splice(0)) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  });

  /** A process, and the names of the work that it has begun. */
  async function start({ applicationId, accountId }: Scope): Promise<{ child: ChildProcess; began: string[] }> {
    const child = fork(join(libs.directory, 'permit-process.mjs'), {
      cwd: ROOT,
      env: {
        PATH: process.env['PATH'],
        DATABASE_URL: replica(0).testDatabase.url,
        ENCRYPTION_KEYS: KEY_ENTRY,
        APPLICATION_ID: applicationId,
        ACCOUNT_ID: accountId,
      },
      execPath: join(ROOT, 'node_modules/node/bin/node'),
      execArgv: [],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    children.push(child);
    const began: string[] = [];
    child.on('message', ({ began: name }: { began?: string }) => {
      if (name !== undefined) began.push(name);
    });
    await once(child, 'message');
    return { child, began };
  }

  it('are free within seconds after a process was killed', async () => {
    const scope = newScope();
    const { child, began } = await start(scope);
    for (const begin of ['a', 'b', 'c']) child.send({ begin });
    await eventually(async () => expect(began).toHaveLength(LIMIT));
    child.kill('SIGKILL');
    const served = replica(0).slots.withPermit(scope, LIMIT, AbortSignal.timeout(15_000), async () => 'served');
    await expect(served).resolves.toBe('served');
  });

  it('are not used by a process that was paused for longer than its lease', async () => {
    const scope = newScope();
    const { child, began } = await start(scope);
    for (const begin of ['a', 'b', 'c', 'waits']) child.send({ begin });
    await eventually(async () => expect(began).toHaveLength(LIMIT));
    child.kill('SIGSTOP');
    const ends = await Promise.all(Array.from({ length: LIMIT }, () => occupy(replica(0).slots, scope)));
    child.kill('SIGCONT');
    // All of its leases ended meanwhile: whoever waits there needs a new one.
    for (const end of ['a', 'b', 'c']) child.send({ end });
    child.send({ begin: 'also waits' });
    await sleep(1_000);
    expect(began).toEqual(['a', 'b', 'c']);
    expect(await leased(scope)).toBe(LIMIT);
    await Promise.all(ends.map((end) => end()));
    await eventually(async () => expect(began).toEqual(['a', 'b', 'c', 'waits', 'also waits']));
  });
});

/** Tries until it holds; the test's own limit ends what never does. */
async function eventually(check: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (!(error instanceof Error) || !('matcherResult' in error)) throw error;
      await sleep(20);
    }
  }
}

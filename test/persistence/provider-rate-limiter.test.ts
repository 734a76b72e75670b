import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ApplicationRef } from '#domain/applications';
import { openPersistence, type Persistence } from './persistence.js';

/** Two replicas on one database. */
let replicas: Persistence[];
let application: ApplicationRef;
let statements = 0;

beforeAll(async () => {
  const first = await openPersistence({ onStatement: () => void (statements += 1) });
  replicas = [first, await openPersistence({ testDatabase: first.testDatabase })];
  application = await first.newApplication();
});

afterAll(async () => {
  await replicas[1]?.close();
  await replicas[0]?.close();
});

const forever = new AbortController().signal;

/** Asks as fast as possible on all replicas until the deadline. @returns when requests went, in ms from the start */
async function hammer(accountId: string, perMinute: number, forMs: number): Promise<number[]> {
  const start = performance.now();
  const times: number[] = [];
  const signal = AbortSignal.timeout(forMs);
  await Promise.all(
    replicas.flatMap(({ budget }) =>
      Array.from({ length: 4 }, async () => {
        while (performance.now() - start < forMs) {
          try {
            await budget.take({ ...application, accountId }, perMinute, signal);
          } catch {
            return;
          }
          if (performance.now() - start < forMs) times.push(performance.now() - start);
        }
      }),
    ),
  );
  return times;
}

describe('provider budget', () => {
  it('holds over replicas: a burst, then the sustained rate', async () => {
    // 1200 a minute: 300 at once, then one every 68.9 ms.
    const times = await hammer('hammered', 1_200, 3_000);
    const allowed = 300 + 3_000 / (62_000 / 900);
    expect(times.length).toBeLessThanOrEqual(Math.ceil(allowed) + 1);
    expect(times.length).toBeGreaterThan(allowed * 0.85);
    const late = times.filter((ms) => ms > 1_500);
    expect(late.length).toBeLessThanOrEqual(1_500 / (62_000 / 900) + 17);
  });

  it('leaves other accounts alone', async () => {
    const start = performance.now();
    await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        (replicas[0] as Persistence).budget.take({ ...application, accountId: `calm-${n}` }, 240, forever),
      ),
    );
    expect(performance.now() - start).toBeLessThan(5_000);
  });

  it('costs a busy account far less than a round trip per request', async () => {
    const { budget } = replicas[0] as Persistence;
    statements = 0;
    for (let count = 0; count < 60; count += 1) {
      await budget.take({ ...application, accountId: 'leased' }, 240, forever);
    }
    expect(statements).toBeLessThanOrEqual(20);
  });

  it('counts a quiet account one by one: what it does not use is not lost', async () => {
    const { budget, admin } = replicas[0] as Persistence;
    await budget.take({ ...application, accountId: 'quiet' }, 240, forever);
    const [row] = await admin<{ ahead: number }>(
      'select arrival_ms - extract(epoch from clock_timestamp()) * 1000 as ahead from provider_rate where account_id = $1',
      ['quiet'],
    );
    expect(Number(row?.ahead)).toBeLessThanOrEqual(62_000 / 180);
  });

  it('waits for a turn that is near', async () => {
    const { budget, admin } = replicas[0] as Persistence;
    await budget.take({ ...application, accountId: 'near' }, 240, forever);
    await fillUpTo('near', 700, admin);
    const start = performance.now();
    await (replicas[1] as Persistence).budget.take({ ...application, accountId: 'near' }, 240, forever);
    expect(performance.now() - start).toBeGreaterThan(400);
    expect(performance.now() - start).toBeLessThan(5_000);
  });

  it('says when to come back to a caller whose turn is more than 20 s off, without queueing it', async () => {
    const { budget, admin } = replicas[1] as Persistence;
    await budget.take({ ...application, accountId: 'far' }, 240, forever);
    await fillUpTo('far', 40_000, admin);
    const arrival = () => admin('select arrival_ms from provider_rate where account_id = $1', ['far']);
    const before = await arrival();
    const start = performance.now();
    const rejected: unknown = await (replicas[0] as Persistence).budget
      .take({ ...application, accountId: 'far' }, 240, forever)
      .catch((error: unknown) => error);
    expect(performance.now() - start).toBeLessThan(5_000);
    expect(rejected).toMatchObject({ code: 'RateLimited' });
    expect((rejected as { retryAfterSeconds: number }).retryAfterSeconds).toBeGreaterThanOrEqual(30);
    expect((rejected as { retryAfterSeconds: number }).retryAfterSeconds).toBeLessThanOrEqual(41);
    expect(await arrival()).toEqual(before);
  });

  it("ends the wait at the caller's deadline", async () => {
    const { budget, admin } = replicas[0] as Persistence;
    await budget.take({ ...application, accountId: 'deadline' }, 240, forever);
    await fillUpTo('deadline', 10_000, admin);
    const start = performance.now();
    await expect(
      (replicas[1] as Persistence).budget.take(
        { ...application, accountId: 'deadline' },
        240,
        AbortSignal.timeout(200),
      ),
    ).rejects.toMatchObject({ code: 'RateLimited' });
    expect(performance.now() - start).toBeLessThan(5_000);
  });

  it('is not held up by a transaction around it', async () => {
    const { unitOfWork, budget } = replicas[0] as Persistence;
    await unitOfWork.run(application, async () => {
      await budget.take({ ...application, accountId: 'in-transaction' }, 240, forever);
      const other = (replicas[1] as Persistence).budget.take(
        { ...application, accountId: 'in-transaction' },
        240,
        AbortSignal.timeout(2_000),
      );
      await expect(other).resolves.toBeUndefined();
    });
  });
});

describe('admission of operations', () => {
  const PER_MINUTE = 240;
  const admit = (accountId: string, requests: number, { replica = 0, isBackground = false, signal = forever } = {}) =>
    (replicas[replica] as Persistence).budget.admit(
      { ...application, accountId },
      PER_MINUTE,
      { requests, isBackground },
      signal,
    );
  const outcome = async (work: Promise<unknown>) => {
    const start = performance.now();
    const error: any = await work.then(
      () => null,
      (reason: unknown) => reason,
    );
    return { error, ms: performance.now() - start };
  };

  it('lets the burst and three seconds of the rate in, and refuses the others at once', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, (_, at) => outcome(admit('rush', 1, { replica: at % 2 }))),
    );
    const admitted = outcomes.filter(({ error }) => error === null);
    const decidedMs = Math.max(...outcomes.map(({ error, ms }) => (error === null ? 0 : ms)));
    expect(admitted.length).toBeGreaterThanOrEqual(65);
    // Four more come in with each second that the decisions take.
    expect(admitted.length).toBeLessThanOrEqual(70 + Math.floor((4 * decidedMs) / 1_000));
    expect(Math.max(...admitted.map(({ ms }) => ms))).toBeLessThan(5_000);
    const waits = outcomes.flatMap(({ error }) => (error === null ? [] : [error.retryAfterSeconds]));
    for (const { error } of outcomes) if (error !== null) expect(error).toMatchObject({ code: 'RateLimited' });
    // Those that were refused later come later.
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(3);
    expect(Math.max(...waits)).toBeLessThanOrEqual(15);
    expect(new Set(waits).size).toBeGreaterThan(5);
  });

  it('admits those that obey', async () => {
    const start = performance.now();
    let asked = 0;
    await Promise.all(
      Array.from({ length: 90 }, async () => {
        for (;;) {
          asked += 1;
          const { error } = await outcome(admit('obedient', 1));
          if (error === null) return;
          await new Promise((resolve) => setTimeout(resolve, error.retryAfterSeconds * 1_000));
        }
      }),
    );
    expect(performance.now() - start).toBeLessThan(20_000);
    expect(asked).toBeLessThanOrEqual(90 + 30);
  });

  it('reserves all requests of an operation, and takes unused ones back', async () => {
    await admit('whole', 20);
    await admit('whole', 20);
    await admit('whole', 20);
    expect((await outcome(admit('whole', 20))).error).toMatchObject({ code: 'RateLimited' });
    await (replicas[1] as Persistence).budget.correct({ ...application, accountId: 'whole' }, PER_MINUTE, -40);
    expect((await outcome(admit('whole', 20))).error).toBeNull();
    await (replicas[1] as Persistence).budget.correct({ ...application, accountId: 'whole' }, PER_MINUTE, 30);
    expect((await outcome(admit('whole', 20))).error).toMatchObject({ code: 'RateLimited' });
  });

  it('reserves no more than may be sent at once, and says so', async () => {
    const scope = { ...application, accountId: 'small' };
    const operation = { requests: 20, isBackground: false };
    expect(await (replicas[0] as Persistence).budget.admit(scope, 40, operation, forever)).toBe(10);
  });

  it('gives the place of a caller that went away to the others', async () => {
    await admit('gone', 60);
    await expect(admit('gone', 8, { signal: AbortSignal.timeout(100) })).rejects.toMatchObject({ code: 'RateLimited' });
    const { error, ms } = await outcome(admit('gone', 1));
    expect([error, ms < 1_500]).toEqual([null, true]);
  });

  it('leaves half of the burst to callers while background work waits', async () => {
    for (let at = 0; at < 30; at += 1) await admit('shared', 1, { isBackground: true });
    const waiting = outcome(admit('shared', 10, { isBackground: true, signal: AbortSignal.timeout(500) }));
    expect((await waiting).error).toMatchObject({ code: 'RateLimited' });
    const { error, ms } = await outcome(admit('shared', 25));
    expect([error, ms < 1_000]).toEqual([null, true]);
  });
});

/** Moves the account's budget so that its next request may go in `waitMs`, at 240 a minute. */
async function fillUpTo(accountId: string, waitMs: number, admin: Persistence['admin']): Promise<void> {
  const intervalMs = 62_000 / 180;
  await admin(
    'update provider_rate set arrival_ms = extract(epoch from clock_timestamp()) * 1000 + $2 where account_id = $1',
    [accountId, waitMs + 60 * intervalMs - intervalMs],
  );
}

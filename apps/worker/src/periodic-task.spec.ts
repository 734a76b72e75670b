import { once } from 'node:events';
import { PeriodicTask } from './periodic-task.js';

const HOUR_MS = 3_600_000;

describe('PeriodicTask', () => {
  it('goes on at once while there is more to do, then pauses; a stop ends the pause', async () => {
    let runs = 0;
    const paused = Promise.withResolvers<void>();
    const task = new PeriodicTask(
      'sync_due',
      HOUR_MS,
      async () => {
        runs += 1;
        if (runs === 3) setImmediate(paused.resolve);
        return runs < 3;
      },
      () => undefined,
    );
    task.start();
    await paused.promise;
    await task.stop();
    expect(runs).toBe(3);
  });

  it('reports what a turn throws, and goes on after the pause', async () => {
    const errors: unknown[] = [];
    const recovered = Promise.withResolvers<void>();
    const fault = new Error('database away');
    const task = new PeriodicTask(
      'sync_due',
      1,
      async () => {
        if (errors.length === 0) throw fault;
        recovered.resolve();
        return false;
      },
      (error) => errors.push(error),
    );
    task.start();
    await recovered.promise;
    await task.stop();
    expect(errors).toEqual([fault]);
  });

  it('tells the turn under way to stop, and waits for it', async () => {
    const begun = Promise.withResolvers<void>();
    let isDone = false;
    const task = new PeriodicTask(
      'sync_due',
      HOUR_MS,
      async (signal) => {
        begun.resolve();
        await once(signal, 'abort');
        isDone = true;
        return true;
      },
      () => undefined,
    );
    task.start();
    await begun.promise;
    await task.stop();
    expect(isDone).toBe(true);
  });

  it('takes another turn at once when it is woken, in a turn or in the pause', async () => {
    const runs: PromiseWithResolvers<void>[] = [];
    const begun = [Promise.withResolvers<void>(), Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const task = new PeriodicTask(
      'sync_due',
      HOUR_MS,
      async () => {
        const run = Promise.withResolvers<void>();
        runs.push(run);
        begun[runs.length - 1]?.resolve();
        await run.promise;
        return false;
      },
      () => undefined,
    );
    task.start();
    await begun[0]?.promise;
    task.wake();
    runs[0]?.resolve();
    await begun[1]?.promise;
    runs[1]?.resolve();
    await new Promise((done) => setImmediate(done));
    task.wake();
    await begun[2]?.promise;
    runs[2]?.resolve();
    await task.stop();
    expect(runs).toHaveLength(3);
  });
});

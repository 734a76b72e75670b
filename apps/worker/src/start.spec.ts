import { randomBytes } from 'node:crypto';
import { mock } from 'node:test';
import { jest } from '@jest/globals';
import { NestFactory } from '@nestjs/core';
import { Logger } from 'nestjs-pino';
import { ServiceState } from '#platform';
import { GracefulShutdown } from './graceful-shutdown.js';

// What the entry point loads, as this suite alone has it: what it would connect to and compose is not there.
const ENTRY_POINT = './start.js?without-parts';

const SHUTDOWN_TIMEOUT_MS = 120_000;
const ENVIRONMENT = {
  DATABASE_URL: 'postgresql://calendar@db.example.com/calendar',
  ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
  METRICS_PORT: 'off',
  SHUTDOWN_TIMEOUT_MS: String(SHUTDOWN_TIMEOUT_MS),
};

beforeAll(() => {
  mock.module('#persistence', { exports: { awaitSchema: async () => undefined } });
  mock.module('#jobs', {
    exports: { QueueSchemaMismatch: class extends Error {}, verifyQueueSchema: async () => undefined },
  });
  mock.module('./worker.module.js', { exports: { WorkerModule: { forRoot: () => ({}) } } });
});

afterAll(() => mock.reset());

afterEach(() => {
  jest.useRealTimers();
  jest.restoreAllMocks();
});

/** Starts what the entry point starts, whose connections never close. @returns what SIGTERM does */
async function startWorker(drain: GracefulShutdown): Promise<() => void> {
  const logger = { log: jest.fn(), warn: jest.fn(), error: jest.fn() };
  const parts = new Map<unknown, unknown>([
    [Logger, logger],
    [ServiceState, new ServiceState()],
    [GracefulShutdown, drain],
  ]);
  const app = {
    get: (token: unknown) => parts.get(token),
    useLogger: () => undefined,
    listen: async () => undefined,
    close: () => new Promise<void>(() => undefined),
  };
  jest.spyOn(NestFactory, 'create').mockResolvedValue(app as never);
  jest.replaceProperty(process, 'env', { ...process.env, ...ENVIRONMENT });
  const listening = jest.spyOn(process, 'on').mockReturnThis();
  const { run } = (await import(ENTRY_POINT)) as typeof import('./start.js');
  await run();
  const [, terminate] = listening.mock.calls.find(([signal]) => signal === 'SIGTERM') ?? [];
  if (terminate === undefined) throw new Error('nobody listens to SIGTERM');
  return () => terminate();
}

describe('the worker, told to stop', () => {
  it('F2 lets its work run for SHUTDOWN_TIMEOUT_MS but for what closing needs, however long that is', async () => {
    const exit = jest.spyOn(process, 'exit').mockReturnValue(undefined as never);
    const drain = new GracefulShutdown();
    const letGo = jest.fn();
    drain.add({
      stop: (late) =>
        new Promise((done) =>
          late.addEventListener('abort', () => {
            letGo();
            done();
          }),
        ),
    });
    const terminate = await startWorker(drain);
    jest.useFakeTimers();
    terminate();
    await jest.advanceTimersByTimeAsync(SHUTDOWN_TIMEOUT_MS - 4_001);
    expect([letGo.mock.calls.length, exit.mock.calls]).toEqual([0, []]);
    await jest.advanceTimersByTimeAsync(1);
    expect(letGo).toHaveBeenCalledTimes(1);
    await jest.advanceTimersByTimeAsync(3_999);
    expect(exit).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(1);
    expect(exit.mock.calls).toEqual([[1]]);
  });
});

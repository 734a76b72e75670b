import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { Queue } from 'bullmq';
import { BullSyncWakeup, calendarSync } from './sync-wakeup.js';

const warnings = jest.spyOn(Logger.prototype, 'warn');
jest.spyOn(Logger.prototype, 'log').mockReturnValue(undefined);
beforeEach(() => {
  jest.useFakeTimers();
  warnings.mockReset();
  warnings.mockReturnValue(undefined);
});
afterEach(() => void jest.useRealTimers());

/** A syncWakeup whose queue answers as told, one answer after the other. */
function fixture(...responses: (() => Promise<unknown>)[]) {
  const add = jest.fn((_name: string, _data: unknown, _options: unknown) => (responses.shift() ?? (async () => {}))());
  const disconnect = jest.fn(async () => undefined);
  const listeners: ((error: Error) => void)[] = [];
  const on = (_event: string, listener: (error: Error) => void) => listeners.push(listener);
  const openQueue = jest.fn(() => ({ add, disconnect, on }) as unknown as Queue);
  return { syncWakeup: new BullSyncWakeup(openQueue), add, disconnect, openQueue, listeners };
}

const away = async () => {
  throw new Error('queue away');
};
const turn = () => jest.advanceTimersByTimeAsync(0);

describe('BullSyncWakeup', () => {
  it('puts one job into the queue, that stands for all that wait', async () => {
    const { syncWakeup, add } = fixture();
    syncWakeup.wake();
    await turn();
    expect(add.mock.calls).toEqual([['look', {}, calendarSync.options]]);
    expect(calendarSync.options.deduplication).toEqual({ id: 'due', keepLastIfActive: true });
  });

  it('F13 asks a queue that hangs once, and once more when it is back, however many changes there are', async () => {
    const hanging = Promise.withResolvers<unknown>();
    const { syncWakeup, add } = fixture(() => hanging.promise);
    for (let count = 0; count < 1_000; count += 1) syncWakeup.wake();
    await turn();
    expect(add).toHaveBeenCalledTimes(1);
    hanging.resolve({});
    await turn();
    expect(add).toHaveBeenCalledTimes(2);
  });

  it('F9 leaves a queue that is away alone for a second, says so once, and connects anew', async () => {
    const { syncWakeup, add, openQueue, disconnect } = fixture(away, away);
    syncWakeup.wake();
    await turn();
    syncWakeup.wake();
    await jest.advanceTimersByTimeAsync(999);
    expect(add).toHaveBeenCalledTimes(1);
    await jest.advanceTimersByTimeAsync(1);
    expect(add).toHaveBeenCalledTimes(2);
    syncWakeup.wake();
    await jest.advanceTimersByTimeAsync(1_000);
    expect([add, openQueue].map(({ mock }) => mock.calls.length)).toEqual([3, 3]);
    expect(disconnect).toHaveBeenCalledTimes(2);
    expect(warnings).toHaveBeenCalledTimes(1);
  });

  it('F9 connects anew, whether its old connection ends or not', async () => {
    const { syncWakeup, add, openQueue, disconnect } = fixture(away);
    disconnect.mockReturnValue(new Promise(() => undefined));
    syncWakeup.wake();
    await turn();
    syncWakeup.wake();
    await jest.advanceTimersByTimeAsync(1_000);
    expect([add, openQueue].map(({ mock }) => mock.calls.length)).toEqual([2, 2]);
    const stopped = syncWakeup.onApplicationShutdown();
    await jest.advanceTimersByTimeAsync(1_000);
    await stopped;
  });

  it('survives what its connection says, and warns again of the next outage', async () => {
    const { syncWakeup, listeners } = fixture();
    syncWakeup.wake();
    await turn();
    listeners[0]?.(new Error('ECONNRESET'));
    syncWakeup.wake();
    await turn();
    listeners[0]?.(new Error('ECONNRESET'));
    expect(warnings).toHaveBeenCalledTimes(2);
  });

  it('lets go of its connection in the end, without waiting for what hangs', async () => {
    const { syncWakeup, disconnect } = fixture(() => new Promise(() => undefined));
    syncWakeup.wake();
    await turn();
    await syncWakeup.onApplicationShutdown();
    expect(disconnect).toHaveBeenCalledTimes(1);
    expect(warnings).not.toHaveBeenCalled();
  });
});

import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { Queue } from 'bullmq';
import { BullLookout, calendarLooks } from './lookout.js';

const warnings = jest.spyOn(Logger.prototype, 'warn');
jest.spyOn(Logger.prototype, 'log').mockReturnValue(undefined);
beforeEach(() => {
  jest.useFakeTimers();
  warnings.mockReset();
  warnings.mockReturnValue(undefined);
});
afterEach(() => void jest.useRealTimers());

/** A lookout whose queue answers as told, one answer after the other. */
function world(...answers: (() => Promise<unknown>)[]) {
  const add = jest.fn((_name: string, _data: unknown, _options: unknown) => (answers.shift() ?? (async () => {}))());
  const disconnect = jest.fn(async () => undefined);
  const listeners: ((error: Error) => void)[] = [];
  const on = (_event: string, listener: (error: Error) => void) => listeners.push(listener);
  const openQueue = jest.fn(() => ({ add, disconnect, on }) as unknown as Queue);
  return { lookout: new BullLookout(openQueue), add, disconnect, openQueue, listeners };
}

const away = async () => {
  throw new Error('queue away');
};
const turn = () => jest.advanceTimersByTimeAsync(0);

describe('BullLookout', () => {
  it('puts one job into the queue, that stands for all that wait', async () => {
    const { lookout, add } = world();
    lookout.wake();
    await turn();
    expect(add.mock.calls).toEqual([['look', {}, calendarLooks.options]]);
    expect(calendarLooks.options.deduplication).toEqual({ id: 'due', keepLastIfActive: true });
  });

  it('F13 asks a queue that hangs once, and once more when it is back, however many changes there are', async () => {
    const hanging = Promise.withResolvers<unknown>();
    const { lookout, add } = world(() => hanging.promise);
    for (let count = 0; count < 1_000; count += 1) lookout.wake();
    await turn();
    expect(add).toHaveBeenCalledTimes(1);
    hanging.resolve({});
    await turn();
    expect(add).toHaveBeenCalledTimes(2);
  });

  it('F9 leaves a queue that is away alone for a second, says so once, and connects anew', async () => {
    const { lookout, add, openQueue, disconnect } = world(away, away);
    lookout.wake();
    await turn();
    lookout.wake();
    await jest.advanceTimersByTimeAsync(999);
    expect(add).toHaveBeenCalledTimes(1);
    await jest.advanceTimersByTimeAsync(1);
    expect(add).toHaveBeenCalledTimes(2);
    lookout.wake();
    await jest.advanceTimersByTimeAsync(1_000);
    expect([add, openQueue].map(({ mock }) => mock.calls.length)).toEqual([3, 3]);
    expect(disconnect).toHaveBeenCalledTimes(2);
    expect(warnings).toHaveBeenCalledTimes(1);
  });

  it('F9 connects anew, whether its old connection ends or not', async () => {
    const { lookout, add, openQueue, disconnect } = world(away);
    disconnect.mockReturnValue(new Promise(() => undefined));
    lookout.wake();
    await turn();
    lookout.wake();
    await jest.advanceTimersByTimeAsync(1_000);
    expect([add, openQueue].map(({ mock }) => mock.calls.length)).toEqual([2, 2]);
    const stopped = lookout.onApplicationShutdown();
    await jest.advanceTimersByTimeAsync(1_000);
    await stopped;
  });

  it('survives what its connection says, and warns again of the next outage', async () => {
    const { lookout, listeners } = world();
    lookout.wake();
    await turn();
    listeners[0]?.(new Error('ECONNRESET'));
    lookout.wake();
    await turn();
    listeners[0]?.(new Error('ECONNRESET'));
    expect(warnings).toHaveBeenCalledTimes(2);
  });

  it('lets go of its connection in the end, without waiting for what hangs', async () => {
    const { lookout, disconnect } = world(() => new Promise(() => undefined));
    lookout.wake();
    await turn();
    await lookout.onApplicationShutdown();
    expect(disconnect).toHaveBeenCalledTimes(1);
    expect(warnings).not.toHaveBeenCalled();
  });
});

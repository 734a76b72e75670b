import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { MemoryRequestLedger } from '#domain/testing/memory-usage';
import { RequestLedger } from './request-ledger.js';

const APP = { applicationId: 'app' };
const OF = { providerType: 'GOOGLE', project: '1', cause: 'call' } as const;

describe('RequestLedger', () => {
  it('writes sums, once', async () => {
    const stored = new MemoryRequestLedger();
    const ledger = new RequestLedger(stored);
    const accepted = jest.fn();
    const observer = ledger.observer(APP, OF, accepted);
    observer.sent(1);
    observer.sent(2);
    observer.accepted();
    ledger.observer(APP, { ...OF, cause: 'sync' }).sent(5);
    await ledger.write();
    await ledger.write();
    expect(stored.counts).toEqual([
      { ...APP, ...OF, requests: 3 },
      { ...APP, ...OF, cause: 'sync', requests: 5 },
    ]);
    expect(accepted).toHaveBeenCalledTimes(1);
  });

  it('keeps what could not be written', async () => {
    const warnings = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    const stored = new MemoryRequestLedger();
    const ledger = new RequestLedger(stored);
    const add = jest.spyOn(stored, 'add').mockRejectedValueOnce(new Error('database away'));
    ledger.observer(APP, OF).sent(1);
    ledger.observer({ applicationId: 'other' }, OF).sent(1);
    await ledger.write();
    expect(stored.counts).toEqual([{ applicationId: 'other', ...OF, requests: 1 }]);
    ledger.observer(APP, OF).sent(1);
    await ledger.write();
    expect(stored.counts).toContainEqual({ ...APP, ...OF, requests: 2 });
    expect(stored.counts).toHaveLength(2);
    expect(warnings).toHaveBeenCalledTimes(1);
    add.mockRestore();
    warnings.mockRestore();
  });

  it('writes every ten seconds, and a last time before the process ends', async () => {
    jest.useFakeTimers();
    const stored = new MemoryRequestLedger();
    const ledger = new RequestLedger(stored);
    ledger.onApplicationBootstrap();
    ledger.observer(APP, OF).sent(1);
    await jest.advanceTimersByTimeAsync(10_000);
    expect(stored.counts).toHaveLength(1);
    ledger.observer(APP, OF).sent(1);
    await ledger.beforeApplicationShutdown();
    expect(stored.counts).toHaveLength(2);
    jest.useRealTimers();
  });
});

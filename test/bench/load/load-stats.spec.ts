import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { openLoad, quantile } from './open-load.js';
import { growthAMinute } from '../../support/resident-memory.js';

describe('the figures of a load', () => {
  it('count a request from when it was due, though it had to wait for the one before', async () => {
    const server = createServer((_request, response) => void setTimeout(() => response.end('x'), 100));
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const call = () => ({ method: 'GET' as const, path: '/', headers: {} });
    const answered = await openLoad({ origin, call, perSecond: 50, forMs: 200, connections: 1 });
    server.close();
    expect(answered.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
    // The last one was due after 180 ms, and has nine before it on the only connection.
    const last = answered.toSorted((one, other) => one.dueMs - other.dueMs).at(-1)!;
    expect(last.dueMs).toBeCloseTo(180, 0);
    expect(last.tookMs).toBeGreaterThan(700);
  });

  it('are of this machine alone', async () => {
    const call = () => ({ method: 'GET' as const, path: '/', headers: {} });
    await expect(
      openLoad({ origin: 'http://192.0.2.1', call, perSecond: 1, forMs: 1_000, connections: 1 }),
    ).rejects.toThrow('this machine alone');
  });

  it('have quantiles', () => {
    expect(quantile([5, 1, 3], 0.5)).toBe(3);
    expect(quantile([5, 1, 3], 1)).toBe(5);
    expect(quantile([], 0.5)).toBeNaN();
  });

  it('tell growth from going up and down', () => {
    const at = (minute: number, mib: number) => ({ atMs: minute * 60_000, mib });
    expect(growthAMinute([at(0, 100), at(1, 110), at(2, 120)])).toBeCloseTo(10);
    expect(growthAMinute([at(0, 100), at(1, 120), at(2, 120), at(3, 100)])).toBeCloseTo(0);
  });
});

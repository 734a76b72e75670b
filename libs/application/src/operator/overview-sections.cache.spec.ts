import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { CachedSection } from './overview-sections.js';

let warnings: jest.SpiedFunction<Logger['warn']>;
let nowMs = 0;

beforeEach(() => {
  nowMs = 0;
  warnings = jest.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
});
afterEach(() => void jest.restoreAllMocks());

function partOf(load: () => Promise<string>, deadlineMs = 60_000) {
  return new CachedSection('queues', load, { ttlMs: 2_000, deadlineMs, monotonicMs: () => nowMs });
}

describe('a part of the overview', () => {
  it('is read once for ten dashboards, and again when two seconds are over', async () => {
    const responses = ['old', 'new'];
    const load = jest.fn(async () => responses.shift() ?? 'newest');
    const part = partOf(load);
    expect(await Promise.all(Array.from({ length: 10 }, () => part.read()))).toEqual(Array(10).fill('old'));
    nowMs = 1_999;
    expect(await part.read()).toBe('old');
    nowMs = 2_000;
    expect(await part.read()).toBe('new');
    expect(load).toHaveBeenCalledTimes(2);
  });

  it('is null when it cannot be read, which is told once, and there again with the next answer', async () => {
    let isDown = true;
    const part = partOf(async () => {
      if (isDown) throw new Error('away');
      return 'here';
    });
    expect([await part.read(), await part.read()]).toEqual([null, null]);
    expect(warnings).toHaveBeenCalledTimes(1);
    isDown = false;
    expect(await part.read()).toBe('here');
    nowMs = 2_000;
    isDown = true;
    expect(await part.read()).toBeNull();
    expect(warnings).toHaveBeenCalledTimes(2);
  });

  it('is null when it takes too long, and not asked a second time meanwhile', async () => {
    const slow = Promise.withResolvers<string>();
    const load = jest.fn(() => slow.promise);
    const part = partOf(load, 1);
    expect(await part.read()).toBeNull();
    expect(await part.read()).toBeNull();
    expect(load).toHaveBeenCalledTimes(1);
    slow.resolve('late');
    expect(await part.read()).toBe('late');
    expect(load).toHaveBeenCalledTimes(1);
  });
});

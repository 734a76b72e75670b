import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { StallDetector } from './stall-detector.js';

describe('F6 the watch over the event loop', () => {
  let watch: StallDetector;
  let warn: ReturnType<typeof jest.spyOn>;

  beforeEach(() => {
    jest.useFakeTimers();
    warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
    watch = new StallDetector();
    watch.onApplicationBootstrap();
  });

  afterEach(() => {
    watch.onApplicationShutdown();
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  /** Time passes without a timer. */
  function stall(ms: number): void {
    const stalledUntilMs = performance.now() + ms;
    jest.spyOn(performance, 'now').mockReturnValueOnce(stalledUntilMs);
  }

  it('says nothing while the loop turns', () => {
    jest.advanceTimersByTime(60_000);
    expect(warn).not.toHaveBeenCalled();
  });

  it('says for how long it stood still, once', () => {
    stall(20_500);
    jest.advanceTimersByTime(500);
    expect(warn).toHaveBeenCalledTimes(1);
    expect(warn).toHaveBeenCalledWith({ msg: 'event loop stalled', stalledMs: 20_000 });
  });

  it('says nothing of what a busy machine does', () => {
    stall(1_200);
    jest.advanceTimersByTime(500);
    expect(warn).not.toHaveBeenCalled();
  });

  it('keeps nothing alive that has ended', () => {
    watch.onApplicationShutdown();
    expect(jest.getTimerCount()).toBe(0);
  });
});

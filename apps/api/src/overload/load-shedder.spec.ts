import { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { turns } from '#platform/event-loop';
import { LoadShedder, type OverloadSettings } from './load-shedder.js';

const API = '/api/v1/events/a/c';
const PUSH = '/api/v1/providers/google/notifications';
const OPERATOR = '/api/operator/v1/overview';

describe('F39 the shedder', () => {
  let warn: ReturnType<typeof jest.spyOn>;
  let refused: string[];
  let shedder: LoadShedder;

  beforeEach(() => {
    jest.useFakeTimers();
    warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
    refused = [];
  });

  afterEach(() => {
    shedder.stop();
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  function begin(settings: Partial<OverloadSettings> = {}, onShed?: () => void): void {
    const refuse = ({ url }: IncomingMessage) => void refused.push(url as string);
    shedder = new LoadShedder({ overloadTargetDelayMs: 10, maxRequestsInFlight: 16, ...settings }, refuse, onShed);
  }

  /** @returns its end, or null when it was turned away */
  function request(url: string): (() => void) | null {
    const response = new EventEmitter();
    const isIn = shedder.admits({ url } as IncomingMessage, response as unknown as ServerResponse);
    return isIn ? () => void response.emit('close') : null;
  }

  function requests(url: string, count: number): (() => void)[] {
    return Array.from({ length: count }, () => request(url)).filter((end) => end !== null);
  }

  /** Every timer of the next `ms` is late by 100 ms. */
  function late(ms: number): void {
    const startMs = performance.now();
    const now = jest.spyOn(performance, 'now');
    for (let tick = 1; tick * 110 < ms; tick += 1) {
      now.mockReturnValue(startMs + tick * 110);
      jest.advanceTimersByTime(10);
    }
    now.mockRestore();
  }

  it('lets in as many at a time as it is told, and the next when one has left', () => {
    begin();
    const inside = requests(API, 20);
    expect(inside).toHaveLength(16);
    expect(refused).toEqual([API, API, API, API]);
    inside[0]!();
    expect(request(API)).not.toBeNull();
    expect(request(API)).toBeNull();
  });

  it('always lets probes in', () => {
    begin();
    requests(API, 20);
    expect(requests('/health/live', 100)).toHaveLength(100);
    expect(request(API)).toBeNull();
  });

  it('lets in pushes, twice as many, and operators, whatever applications do', () => {
    begin();
    requests(API, 20);
    expect(requests(PUSH, 40)).toHaveLength(32);
    expect(requests(OPERATOR, 10)).toHaveLength(10);
    expect(requests('/dashboard/queues', 10)).toHaveLength(6);
  });

  it('lets in applications, whatever comes as pushes', () => {
    begin();
    requests(PUSH, 100);
    expect(requests(API, 20)).toHaveLength(16);
  });

  it('lets in fewer while the event loop is late, and all again when it is not', () => {
    begin({ maxRequestsInFlight: 1_000 });
    request(API);
    late(1_900);
    const inside = requests(API, 100);
    expect(inside).toHaveLength(1);
    inside.forEach((end) => end());
    for (let second = 0; second < 4; second += 1) {
      request(API)!();
      jest.advanceTimersByTime(1_000);
    }
    expect(requests(API, 100)).toHaveLength(100);
  });

  it('lets in fewer while callers wait for the database, though the event loop is on time', () => {
    let waitMs = 90;
    begin({ maxRequestsInFlight: 1_000 });
    shedder.watchWait(() => waitMs);
    request(API);
    jest.advanceTimersByTime(1_900);
    expect(requests(API, 100)).toHaveLength(100);
    waitMs = 1_000;
    jest.advanceTimersByTime(1_900);
    expect(requests(API, 100)).toHaveLength(0);
  });

  it('keeps nobody out because of the long answers of others', () => {
    begin({ maxRequestsInFlight: 1_000 });
    for (let count = 0; count < 100; count += 1) void turns.next(true);
    request(API)!();
    jest.advanceTimersByTime(1_900);
    expect(requests(API, 100)).toHaveLength(100);
  });

  it('lets in fewer while those who have an answer wait for their turn', () => {
    begin({ maxRequestsInFlight: 1_000 });
    const waits = jest.spyOn(turns, 'waitMs').mockReturnValue(9);
    request(API)!();
    jest.advanceTimersByTime(1_900);
    expect(requests(API, 100)).toHaveLength(100);
    waits.mockReturnValue(100);
    jest.advanceTimersByTime(1_900);
    expect(requests(API, 100)).toHaveLength(0);
  });

  it('lets in as few in a beat while it is late, though each of them is answered before the next one comes', () => {
    begin({ maxRequestsInFlight: 1_000 });
    request(API)!();
    late(1_900);
    const answered = Array.from({ length: 100 }, () => request(API)?.()).length - refused.length;
    expect(answered).toBe(2);
    jest.advanceTimersByTime(10);
    expect(request(API)).not.toBeNull();
  });

  it('lets in as many as come, one after the other, while it is not', () => {
    begin();
    for (let turn = 0; turn < 100; turn += 1) request(API)!();
    expect(refused).toEqual([]);
  });

  it('does not look at the event loop when it is told not to', () => {
    begin({ maxRequestsInFlight: 1_000, overloadTargetDelayMs: 0 });
    request(API);
    late(1_900);
    expect(requests(API, 100)).toHaveLength(100);
  });

  it('says how many it turned away, at once and then every ten seconds', () => {
    begin();
    requests(API, 20);
    jest.advanceTimersByTime(10);
    expect(warn.mock.calls).toEqual([[{ msg: 'requests shed: process overloaded', shed: 4, limit: 16 }]]);
    for (let second = 0; second < 9; second += 1) {
      requests(API, 1);
      jest.advanceTimersByTime(1_000);
    }
    expect(warn).toHaveBeenCalledTimes(1);
    requests(API, 1);
    jest.advanceTimersByTime(1_100);
    expect(warn).toHaveBeenCalledTimes(2);
    expect(warn.mock.calls[1]![0]).toMatchObject({ shed: 10 });
  });

  it('says what it has not said yet when it has become quiet, and asks for no time then', () => {
    begin();
    requests(API, 20);
    jest.advanceTimersByTime(500);
    requests(API, 5);
    jest.advanceTimersByTime(2_100);
    expect(warn.mock.calls.map(([{ shed }]: any) => shed)).toEqual([4, 5]);
    expect(jest.getTimerCount()).toBe(0);
    requests(API, 1);
    jest.advanceTimersByTime(10);
    expect(jest.getTimerCount()).toBe(1);
  });

  it('tells the metrics of each', () => {
    const onShed = jest.fn();
    begin({}, onShed);
    requests(API, 20);
    expect(onShed).toHaveBeenCalledTimes(4);
  });

  it('keeps nothing alive that has ended', () => {
    begin();
    request(API);
    shedder.stop();
    expect(jest.getTimerCount()).toBe(0);
  });
});

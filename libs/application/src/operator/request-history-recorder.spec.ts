import { Logger } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { RequestHistoryRepository, type CompletedRequest, type RecordedRequest } from '#domain/system';
import { MAX_ANONYMOUS, MAX_WAITING, RequestHistoryRecorder } from './request-history-recorder.js';

class MemoryLog extends RequestHistoryRepository {
  readonly batches: CompletedRequest[][] = [];
  /** What happens to a batch, instead of being taken. */
  meddle: ((batch: readonly CompletedRequest[]) => Promise<void>) | null = null;

  override async add(batch: readonly CompletedRequest[]): Promise<void> {
    await this.meddle?.(batch);
    this.batches.push([...batch]);
  }

  override async search(): Promise<RecordedRequest[]> {
    return [];
  }

  get rows(): CompletedRequest[] {
    return this.batches.flat();
  }
}

const request = (requestId: string, applicationId: string | null = 'a'): CompletedRequest => ({
  requestId,
  startedAt: new Date(0),
  method: 'GET',
  route: '/v1/x',
  status: 200,
  errorCode: null,
  durationMs: 1,
  applicationId,
  apiKeyId: null,
  accountId: null,
  traceId: null,
});
const many = (count: number, from = 0) => Array.from({ length: count }, (_, n) => request(String(from + n)));

describe('RequestHistoryRecorder', () => {
  let log: MemoryLog;
  let recorder: RequestHistoryRecorder;
  const warnings: unknown[] = [];
  const record = (requests: CompletedRequest[]) => requests.forEach((each) => recorder.record(each));

  beforeEach(() => {
    log = new MemoryLog();
    recorder = new RequestHistoryRecorder(log, true);
    warnings.length = 0;
    jest.spyOn(Logger.prototype, 'warn').mockImplementation((line: unknown) => void warnings.push(line));
  });
  afterEach(() => void jest.restoreAllMocks());

  it('writes nothing while a request waits for its answer, and many with one statement later', async () => {
    record(many(1_200));
    expect(log.rows).toEqual([]);
    await recorder.flush();
    expect(log.batches.map(({ length }) => length)).toEqual([500, 500, 200]);
    expect(log.rows).toEqual(many(1_200));
    await recorder.flush();
    expect(log.batches).toHaveLength(3);
    expect(warnings).toEqual([]);
  });

  it('writes by itself, and no more once the process stops', async () => {
    jest.useFakeTimers();
    try {
      recorder.onApplicationBootstrap();
      record(many(1));
      await jest.advanceTimersByTimeAsync(1_000);
      expect(log.rows).toHaveLength(1);
      await recorder.beforeApplicationShutdown();
      record(many(1));
      await jest.advanceTimersByTimeAsync(60_000);
      expect(log.rows).toHaveLength(1);
    } finally {
      jest.useRealTimers();
    }
  });

  it('has no timer when it is switched off', () => {
    jest.useFakeTimers();
    try {
      new RequestHistoryRecorder(log, false).onApplicationBootstrap();
      expect(jest.getTimerCount()).toBe(0);
    } finally {
      jest.useRealTimers();
    }
  });

  it('writes what waits before the process stops', async () => {
    record(many(3));
    await recorder.beforeApplicationShutdown();
    expect(log.rows).toEqual(many(3));
  });

  it('writes one batch at a time, and takes along what comes meanwhile', async () => {
    const gate = Promise.withResolvers<void>();
    let atOnce = 0;
    log.meddle = async () => {
      atOnce += 1;
      expect(atOnce).toBe(1);
      await gate.promise;
      atOnce -= 1;
    };
    record(many(2));
    const first = recorder.flush();
    record(many(1, 2));
    const second = recorder.flush();
    gate.resolve();
    await Promise.all([first, second]);
    expect(log.rows).toEqual(many(3));
  });

  it('leaves out what the database does not take, and says how much, once for an outage', async () => {
    const away = new Error('away');
    log.meddle = () => Promise.reject(away);
    for (let n = 0; n < 3; n++) {
      record(many(10));
      await recorder.flush();
    }
    expect(warnings).toEqual([]);
    log.meddle = null;
    record(many(5));
    await recorder.flush();
    expect(log.rows).toEqual(many(5));
    expect(warnings).toEqual([{ msg: 'request history incomplete', missing: 30, err: away }]);
    record(many(5));
    await recorder.flush();
    expect(warnings).toHaveLength(1);
  });

  it('keeps no more than it has room for while the database is slow', async () => {
    const gate = Promise.withResolvers<void>();
    log.meddle = () => gate.promise;
    record(many(500));
    const writing = recorder.flush();
    record(many(MAX_WAITING + 7));
    gate.resolve();
    await writing;
    expect(log.rows).toHaveLength(500 + MAX_WAITING);
    expect(warnings).toEqual([]);
    await recorder.flush();
    expect(warnings).toEqual([expect.objectContaining({ missing: 7 })]);
  });

  it('tells of what is lost when the process stops without a database', async () => {
    log.meddle = () => Promise.reject(new Error('away'));
    record(many(700));
    await recorder.beforeApplicationShutdown();
    expect(warnings).toEqual([expect.objectContaining({ missing: 700 })]);
  });

  it('does not let those fill the log who have no key', async () => {
    record(Array.from({ length: MAX_ANONYMOUS + 50 }, () => request('nobody', null)));
    record(many(3));
    await recorder.flush();
    expect(log.rows).toHaveLength(MAX_ANONYMOUS + 3);
    record([request('nobody', null)]);
    await recorder.flush();
    expect(log.rows).toHaveLength(MAX_ANONYMOUS + 4);
    expect(warnings).toEqual([expect.objectContaining({ missing: 50 })]);
  });
});

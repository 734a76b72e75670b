import type { IncomingMessage, ServerResponse } from 'node:http';
import { Logger } from '@nestjs/common';
import { turns } from '#platform/event-loop';
import { requestIdFrom, type Config } from '#platform';
import { envelopeOf, failure } from '../errors/envelope.js';
import { AdaptiveConcurrencyLimit } from './concurrency-limit.js';

const TICK_MS = 10;
/** Milliseconds of waiting for a connection that weigh as much as one of timer lateness, which delays all requests. */
const QUEUE_WAIT_DIVISOR = 10;
/** Longer than {@link AdaptiveConcurrencyLimit} needs to reset. */
const IDLE_TICKS = 200;
const LINE_EVERY_MS = 10_000;

const PROBES = '/health/';
const NOTIFICATIONS = '/api/v1/providers/';
const OPERATORS = ['/api/operator/', '/dashboard'];

export type OverloadSettings = Pick<Config, 'overloadTargetDelayMs' | 'maxRequestsInFlight'>;

export type ShedHandler = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Sheds requests, before any work, that this process could not answer in time. Each kind of request has its own bulkhead,
 * so a flood of one kind does not block the others. Provider notifications are cheap and decide how fresh data are, so
 * their bulkhead is the widest. Probes always pass.
 */
export class LoadShedder {
  private readonly logger = new Logger('Overload');
  private readonly limit: AdaptiveConcurrencyLimit;
  private readonly watchesDelay: boolean;
  private readonly api = new Bulkhead(1);
  private readonly operators = new Bulkhead(1);
  private readonly notifications = new Bulkhead(2);
  private readonly bulkheads = [this.api, this.operators, this.notifications];
  private timer: NodeJS.Timeout | undefined;
  /** Since the last log line. */
  private shedCount = 0;
  private lineAtMs = 0;
  private queueMs: () => number = () => 0;
  /** Since the last request. */
  private idleTicks = 0;

  /** @param shed must be cheap: an overloaded process mostly does this */
  constructor(
    { overloadTargetDelayMs, maxRequestsInFlight }: OverloadSettings,
    private readonly shed: ShedHandler,
    private readonly onShed: () => void = () => undefined,
  ) {
    this.watchesDelay = overloadTargetDelayMs > 0;
    this.limit = new AdaptiveConcurrencyLimit({ most: maxRequestsInFlight, targetMs: overloadTargetDelayMs });
  }

  /** @param waitMs returns the current waiting time of the first request in a shared queue */
  watchWait(waitMs: () => number): void {
    this.queueMs = waitMs;
  }

  /** Counts a request until its response ends. @returns false when the request was shed */
  admits(request: IncomingMessage, response: ServerResponse): boolean {
    const url = request.url as string;
    if (url.startsWith(PROBES)) return true;
    this.idleTicks = 0;
    if (this.timer === undefined) this.watch();
    const bulkhead = this.bulkheadOf(url);
    if (bulkhead.hasCapacity(this.limit.current, this.limit.isLowered)) {
      bulkhead.enter();
      response.on('close', bulkhead.leave);
      return true;
    }
    this.limit.recordReached();
    this.shedCount += 1;
    this.onShed();
    this.shed(request, response);
    return false;
  }

  /** Runs only while requests arrive: the timer costs as much as a few requests a second. */
  private watch(): void {
    const startMs = performance.now();
    let dueMs = startMs + TICK_MS;
    this.limit.begin(startMs);
    this.timer = setInterval(() => {
      const nowMs = performance.now();
      if (this.watchesDelay) this.limit.tick(nowMs, Math.max(nowMs - dueMs, this.waitMs()));
      for (const bulkhead of this.bulkheads) bulkhead.tick();
      dueMs = nowMs + TICK_MS;
      this.idleTicks += 1;
      const isIdle = this.idleTicks >= IDLE_TICKS;
      if (this.shedCount > 0 && (isIdle || nowMs >= this.lineAtMs)) this.logShed(nowMs);
      if (isIdle) this.stop();
    }, TICK_MS).unref();
  }

  /** Milliseconds of timer lateness. Excludes long responses, which wait for their turn and delay no short ones. */
  private waitMs(): number {
    return Math.max(turns.waitMs(), this.queueMs() / QUEUE_WAIT_DIVISOR);
  }

  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private logShed(nowMs: number): void {
    const { shedCount } = this;
    this.shedCount = 0;
    this.lineAtMs = nowMs + LINE_EVERY_MS;
    this.logger.warn({
      msg: 'requests shed: process overloaded',
      shed: shedCount,
      limit: Math.floor(this.limit.current),
    });
  }

  private bulkheadOf(url: string): Bulkhead {
    if (url.startsWith(NOTIFICATIONS)) return this.notifications;
    return OPERATORS.some((path) => url.startsWith(path)) ? this.operators : this.api;
  }
}

class Bulkhead {
  private inFlight = 0;
  /** Since the last tick. Requests that only compute finish before the next one is read, so `inFlight` misses them. */
  private entered = 0;

  /** @param share of the limit for requests of this kind */
  constructor(private readonly share: number) {}

  /** Returns whether one more request fits. While the process is late, the limit also applies to requests per tick. */
  hasCapacity(limit: number, isLate: boolean): boolean {
    const most = limit * this.share;
    return this.inFlight < most && (!isLate || this.entered < most);
  }

  enter(): void {
    this.inFlight += 1;
    this.entered += 1;
  }

  tick(): void {
    this.entered = 0;
  }

  readonly leave = (): void => {
    this.inFlight -= 1;
  };
}

const RETRY_AFTER_SECONDS = 1;
const OVERLOADED = failure('Overloaded', 'More requests came than this instance can answer. Try again.');
/** Bytes. A connection with a longer unread body is closed. */
const MAX_UNREAD_BYTES = 65_536;

/** @param headers of every response, names and values alternating */
export function overloadResponse(headers: readonly string[]): ShedHandler {
  const always = [
    ...headers,
    ...['content-type', 'application/json; charset=utf-8'],
    ...['retry-after', String(RETRY_AFTER_SECONDS)],
  ];
  return (request, response) => {
    const requestId = requestIdFrom(request.headers['x-request-id']);
    const body = JSON.stringify(envelopeOf(OVERLOADED, requestId));
    const own = ['x-request-id', requestId, 'content-length', String(Buffer.byteLength(body))];
    const { 'content-length': length = '0', 'transfer-encoding': chunked } = request.headers;
    // Node reads the rest of a body after the response.
    if (chunked !== undefined || Number(length) > MAX_UNREAD_BYTES) own.push('connection', 'close');
    response.writeHead(OVERLOADED.status, always.concat(own));
    response.end(body);
  };
}

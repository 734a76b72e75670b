import type { IncomingMessage, ServerResponse } from 'node:http';
import { Logger } from '@nestjs/common';
import { turns } from '#platform/event-loop';
import type { Config } from '#platform';
import { ConcurrencyLimit } from './concurrency-limit.js';

const BEAT_MS = 10;
/**
 * Whoever waits for a connection to the database waits for what others do, but does not keep everybody waiting: so many
 * milliseconds in that line are as bad as one of a late timer.
 */
const AS_BAD_AS_ONE = 10;
/** Longer than the limit takes to forget. */
const IDLE_BEATS = 200;
/** Of lines in the log, while it lasts. */
const LINE_EVERY_MS = 10_000;

const PROBES = '/health/';
const PUSHES = '/api/v1/providers/';
const OPERATORS = ['/api/operator/', '/dashboard'];

export type OverloadSettings = Pick<Config, 'overloadDelayMs' | 'requestsInFlight'>;

/** Answers a request that is turned away. */
export type Refusal = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Turns requests away, before any work is done for them, that this process could only answer late: more than it can answer
 * at a time, and as long as its event loop is late, more than it keeps up with. Each kind of request has a lane of its own,
 * so that a flood of one does not keep out the others: pushes of providers, which cost little and are what freshness hangs
 * on, have the widest one; operators, who come to see what is wrong, one that applications cannot fill. Probes always come in.
 */
export class LoadShedder {
  private readonly logger = new Logger('Overload');
  private readonly limit: ConcurrencyLimit;
  private readonly watchesDelay: boolean;
  private readonly api = new Lane(1);
  private readonly operators = new Lane(1);
  private readonly pushes = new Lane(2);
  private readonly lanes = [this.api, this.operators, this.pushes];
  private timer: NodeJS.Timeout | undefined;
  /** Since the last line. */
  private refused = 0;
  private lineAtMs = 0;
  private queueMs: () => number = () => 0;
  /** Since the last request. */
  private idleBeats = 0;

  /**
   * @param refuse has to be cheap: it is what an overloaded process does most
   * @param onRefused for the metrics
   */
  constructor(
    { overloadDelayMs, requestsInFlight }: OverloadSettings,
    private readonly refuse: Refusal,
    private readonly onRefused: () => void = () => undefined,
  ) {
    this.watchesDelay = overloadDelayMs > 0;
    this.limit = new ConcurrencyLimit({ most: requestsInFlight, targetMs: overloadDelayMs });
  }

  /** @param waitMs how long the first one has waited at this moment, in a line for what all requests share */
  alsoWatch(waitMs: () => number): void {
    this.queueMs = waitMs;
  }

  /** Requests that come in are counted until their answer is out. @returns false: it has been answered */
  admits(request: IncomingMessage, response: ServerResponse): boolean {
    const url = request.url as string;
    if (url.startsWith(PROBES)) return true;
    this.idleBeats = 0;
    if (this.timer === undefined) this.watch();
    const lane = this.laneOf(url);
    if (lane.hasRoom(this.limit.current, this.limit.isLowered)) {
      lane.enter();
      response.on('close', lane.leave);
      return true;
    }
    this.limit.noteReached();
    this.refused += 1;
    this.onRefused();
    this.refuse(request, response);
    return false;
  }

  /** Timers cost as much as a few requests a second: without requests there are none. */
  private watch(): void {
    const startMs = performance.now();
    let dueMs = startMs + BEAT_MS;
    this.limit.begin(startMs);
    this.timer = setInterval(() => {
      const nowMs = performance.now();
      if (this.watchesDelay) this.limit.beat(nowMs, Math.max(nowMs - dueMs, this.waitMs()));
      for (const lane of this.lanes) lane.beat();
      dueMs = nowMs + BEAT_MS;
      this.idleBeats += 1;
      const isIdle = this.idleBeats >= IDLE_BEATS;
      if (this.refused > 0 && (isIdle || nowMs >= this.lineAtMs)) this.tell(nowMs);
      if (isIdle) this.stop();
    }, BEAT_MS).unref();
  }

  /**
   * How long those who are inside wait for each other, in milliseconds of a late timer. Long answers that wait for their turn
   * are no part of it: they are one tenant's, and keep no short one waiting.
   */
  private waitMs(): number {
    return Math.max(turns.waitMs(), this.queueMs() / AS_BAD_AS_ONE);
  }

  stop(): void {
    clearInterval(this.timer);
    this.timer = undefined;
  }

  private tell(nowMs: number): void {
    const { refused } = this;
    this.refused = 0;
    this.lineAtMs = nowMs + LINE_EVERY_MS;
    this.logger.warn({
      msg: 'requests are turned away: more come than this process can answer',
      refused,
      limit: Math.floor(this.limit.current),
    });
  }

  private laneOf(url: string): Lane {
    if (url.startsWith(PUSHES)) return this.pushes;
    return OPERATORS.some((path) => url.startsWith(path)) ? this.operators : this.api;
  }
}

/** Requests of one kind, which only keep out others of their kind. */
class Lane {
  private inFlight = 0;
  /** Since the last beat. What needs no one else's answer is over before the next request is read, and never in flight. */
  private entered = 0;

  /** @param share of the limit that requests of this kind may use up */
  constructor(private readonly share: number) {}

  /** Whether one more may come in, when `limit` at a time are right for the process; when it is late, also in a beat. */
  hasRoom(limit: number, isLate: boolean): boolean {
    const most = limit * this.share;
    return this.inFlight < most && (!isLate || this.entered < most);
  }

  enter(): void {
    this.inFlight += 1;
    this.entered += 1;
  }

  beat(): void {
    this.entered = 0;
  }

  /** A listener, the same one for every request. */
  readonly leave = (): void => {
    this.inFlight -= 1;
  };
}

import { setTimeout as sleep } from 'node:timers/promises';
import { DomainError } from '#domain';
import { EgressError } from '#egress';
import { CircuitBreaker, type Verdict } from './circuit-breaker.js';
import { GoogleFault, type Repeat } from './contract.js';
import { isRateLimit, transportFailure, unexpectedCondition } from './errors.js';
import { RetryBudget } from './retry-budget.js';
import type { Attempt } from './transport.js';

/** Tries of one call, the first one included. */
const MAX_TRIES = 3;
/** Before the first repeat after a failure, then twice as long; half of it is chance. */
const FAILURE_PAUSE_MS = 400;
/** The same after a rate limit that does not say how long it lasts. */
const RATE_LIMIT_PAUSE_MS = 2_000;
/** At most added to a wait that Google asked for, so that the calls it turned away together do not come back together. */
const SPREAD_MS = 500;
/** A repeat that has less time than this is not worth its request. */
const SHORTEST_TRY_MS = 200;

export interface CallPolicyOptions {
  /** For all tries of one call together, milliseconds. */
  timeoutMs: number;
  /** Tests run through their waits. */
  monotonicMs?: () => number;
  random?: () => number;
  pause?: (ms: number, signal: AbortSignal) => Promise<void>;
}

export interface Call<T> {
  repeat: Repeat;
  signal: AbortSignal;
  /** Waits for the account's turn, before each try. @throws DomainError RateLimited */
  admit: () => Promise<void>;
  send: (attempt: Attempt) => Promise<T>;
}

/** When a call is repeated, how long it may take, and when it is not made at all. One for all accounts. */
export class CallPolicy {
  private readonly timeoutMs: number;
  private readonly monotonicMs: () => number;
  private readonly random: () => number;
  private readonly pause: (ms: number, signal: AbortSignal) => Promise<void>;
  private readonly breaker: CircuitBreaker;
  private readonly retries: RetryBudget;

  constructor(options: CallPolicyOptions) {
    this.timeoutMs = options.timeoutMs;
    this.monotonicMs = options.monotonicMs ?? (() => performance.now());
    this.random = options.random ?? Math.random;
    this.pause = options.pause ?? ((ms, signal) => sleep(ms, undefined, { signal }));
    this.breaker = new CircuitBreaker(verdictOn, this.monotonicMs);
    this.retries = new RetryBudget(this.monotonicMs);
  }

  /** @throws GoogleFault with what Google answered last; DomainError for everything else */
  async run<T>({ repeat, signal, admit, send }: Call<T>): Promise<T> {
    this.breaker.check();
    await admit();
    this.retries.earn();
    const endsAtMs = this.monotonicMs() + this.timeoutMs;
    for (let tries = 1; ; tries += 1) {
      const attempt: Attempt = { timeoutMs: Math.max(1, endsAtMs - this.monotonicMs()), isConditional: false };
      try {
        return await this.breaker.run(() => send(attempt));
      } catch (error) {
        const waitMs = signal.aborted || tries === MAX_TRIES ? null : this.waitBefore(error, attempt, repeat, tries);
        const isInTime = waitMs !== null && this.monotonicMs() + waitMs + SHORTEST_TRY_MS <= endsAtMs;
        if (!isInTime || !this.mayRepeat(error)) throw final(error, attempt);
        await this.rest(waitMs, signal);
        await admit();
      }
    }
  }

  /** @throws DomainError ProviderTimeout when the signal aborts first */
  async rest(ms: number, signal: AbortSignal): Promise<void> {
    try {
      await this.pause(ms, signal);
    } catch (cause) {
      throw transportFailure(new EgressError('aborted', { cause }));
    }
  }

  /** How long to wait before the next try, milliseconds; null: there must not be one. */
  private waitBefore(error: unknown, attempt: Attempt, repeat: Repeat, tries: number): number | null {
    if (error instanceof GoogleFault && isRateLimit(error)) {
      return error.retryAfterMs === null
        ? this.growing(RATE_LIMIT_PAUSE_MS, tries)
        : error.retryAfterMs + this.random() * SPREAD_MS;
    }
    if (repeat === 'once' || !isTransient(error, attempt)) return null;
    const askedMs = error instanceof GoogleFault ? (error.retryAfterMs ?? 0) : 0;
    return Math.max(askedMs, this.growing(FAILURE_PAUSE_MS, tries));
  }

  /** Waits that Google asks for are no repeats of failures. */
  private mayRepeat(error: unknown): boolean {
    return (error instanceof GoogleFault && isRateLimit(error)) || this.retries.take();
  }

  private growing(ms: number, tries: number): number {
    return ms * 2 ** (tries - 1) * (0.5 + this.random() / 2);
  }
}

/** Some time later the same request may well succeed. */
function isTransient(error: unknown, { isConditional }: Attempt): boolean {
  if (error instanceof GoogleFault) return error.status >= 500 || (error.status === 412 && !isConditional);
  return verdictOn(error) === 'failure';
}

function verdictOn(error: unknown): Verdict {
  if (error instanceof GoogleFault) return error.status >= 500 ? 'failure' : 'alive';
  if (!(error instanceof EgressError)) return 'unknown';
  switch (error.failure) {
    case 'dns':
    case 'connect':
    case 'tls':
    case 'timeout':
    case 'reset':
    case 'bad-answer':
      return 'failure';
    case 'too-large':
      return 'alive';
    case 'aborted':
    case 'address-blocked':
    case 'bad-url':
      return 'unknown';
  }
}

function final(error: unknown, { isConditional }: Attempt): unknown {
  if (error instanceof DomainError) return error;
  if (error instanceof GoogleFault && error.status === 412 && !isConditional) return unexpectedCondition();
  return transportFailure(error);
}

import { setTimeout as sleep } from 'node:timers/promises';
import { EgressError } from '#egress';
import { withRetryCount, type CallOutcome } from '#platform/telemetry';
import { CircuitBreaker, type CallHealth } from './circuit-breaker.js';
import { instrumentTry, outcomeOfStatus } from './measured-try.js';
import { ProviderResponseError } from './provider-error.js';
import { RetryBudget } from './retry-budget.js';
import { FAILURES, transportFailure } from './http.js';

/** Pause before the first repeat after a failure; it doubles with each one. Half of it is random. */
const FAILURE_PAUSE_MS = 400;
/** The same pause after a rate limit that names no duration. */
const RATE_LIMIT_PAUSE_MS = 2_000;
/** Minimum pause after a rate limit, even when the provider names a shorter one. */
const MIN_RATE_LIMIT_PAUSE_MS = 500;
/** Random addition to a pause of the provider, so that rejected calls do not return together. */
const SPREAD_MS = 500;
/** Minimum time that must be left for a repeat. */
const MIN_TRY_MS = 200;

/** `once`: not repeated when the provider may have carried it out. After a rate limit every call is repeated. */
export type RetrySafety = 'read' | 'idempotent' | 'once';

export interface Try {
  /** Time left for the call, milliseconds. */
  timeoutMs: number;
  /** Whether the request named a version. Set when it is sent. */
  isConditional: boolean;
  /** Set by providers that report errors as results. */
  status?: number;
}

export interface ErrorRules {
  /** Name in messages. */
  provider: string;
  /** Whether the provider did nothing and the call may be repeated after a pause. */
  isRateLimit(rejection: ProviderResponseError): boolean;
  isTransient(rejection: ProviderResponseError, attempt: Try): boolean;
  /** Whether a status counts as no answer; by default 500 and above. */
  isDown?(status: number): boolean;
  /** Translates the last refusal; by default it stays unchanged. */
  final?(rejection: ProviderResponseError, attempt: Try): Error;
}

export interface CallPolicyOptions {
  rules: ErrorRules;
  /** For all tries together. */
  timeoutMs: number;
  maxTries?: number;
  monotonicMs?: () => number;
  random?: () => number;
  pause?: (ms: number, signal: AbortSignal) => Promise<void>;
}

const DEFAULTS = {
  maxTries: 3,
  monotonicMs: () => performance.now(),
  random: () => Math.random(),
  pause: (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }),
};

export interface Call<T> {
  repeat: RetrySafety;
  signal: AbortSignal;
  /** Runs each try when the account's limits allow. @throws DomainError RateLimited; errors of the try */
  admit: <R>(attempt: () => Promise<R>) => Promise<R>;
  send: (attempt: Try) => Promise<T>;
}

export class CallPolicy {
  private readonly options: Required<CallPolicyOptions>;
  private readonly rules: ErrorRules;
  private readonly breaker: CircuitBreaker;
  private readonly retries: RetryBudget;

  constructor(options: CallPolicyOptions) {
    this.options = { ...DEFAULTS, ...options };
    const { rules, monotonicMs } = this.options;
    this.rules = rules;
    this.breaker = new CircuitBreaker(rules.provider, (error) => this.healthOf(error), monotonicMs);
    this.retries = new RetryBudget(monotonicMs);
  }

  get provider(): string {
    return this.rules.provider;
  }

  /** @throws ProviderResponseError of the last try; otherwise DomainError */
  async run<T>({ repeat, signal, admit, send }: Call<T>): Promise<T> {
    const { timeoutMs, maxTries, monotonicMs } = this.options;
    this.breaker.check();
    let endsAtMs: number | null = null;
    for (let tries = 1; ; tries += 1) {
      const attempt: Try = { timeoutMs, isConditional: false };
      const measured = async (reportStatus: (status: number) => void) => {
        const result = await withRetryCount(tries - 1, () => send(attempt));
        if (attempt.status !== undefined) reportStatus(attempt.status);
        return result;
      };
      try {
        return await admit(() => {
          // The deadline starts here, so waiting for the account's limits does not count.
          if (endsAtMs === null) {
            endsAtMs = monotonicMs() + timeoutMs;
            this.retries.earn();
          }
          attempt.timeoutMs = Math.max(1, endsAtMs - monotonicMs());
          return this.breaker.run(
            () => instrumentTry(measured, (error) => this.outcomeOf(error)),
            () => (attempt.status === undefined ? 'alive' : this.healthOfStatus(attempt.status)),
          );
        });
      } catch (error) {
        const isLast = signal.aborted || tries === maxTries;
        const waitMs = isLast ? null : this.waitBefore(error, attempt, repeat, tries);
        const isInTime = waitMs !== null && monotonicMs() + waitMs + MIN_TRY_MS <= (endsAtMs ?? 0);
        // The retry budget covers failures, not pauses that the provider asks for.
        if (!isInTime || !(this.isRateLimit(error) || this.retries.take())) throw this.final(error, attempt);
        await this.rest(waitMs, signal);
      }
    }
  }

  /** @throws DomainError ProviderTimeout when the signal aborts first */
  async rest(ms: number, signal: AbortSignal): Promise<void> {
    try {
      await this.options.pause(ms, signal);
    } catch (cause) {
      throw transportFailure(this.provider, new EgressError('aborted', { cause }));
    }
  }

  /** Returns the wait before the next try in milliseconds; null when the call must not be repeated. */
  private waitBefore(error: unknown, attempt: Try, repeat: RetrySafety, tries: number): number | null {
    const askedMs = error instanceof ProviderResponseError ? error.retryAfterMs : null;
    if (this.isRateLimit(error)) {
      if (askedMs === null) return this.growing(RATE_LIMIT_PAUSE_MS, tries);
      return Math.max(askedMs, MIN_RATE_LIMIT_PAUSE_MS) + this.options.random() * SPREAD_MS;
    }
    const isTransient =
      error instanceof ProviderResponseError
        ? this.rules.isTransient(error, attempt)
        : healthOfFailure(error) === 'failure';
    if (repeat === 'once' || !isTransient) return null;
    return Math.max(askedMs ?? 0, this.growing(FAILURE_PAUSE_MS, tries));
  }

  private isRateLimit(error: unknown): error is ProviderResponseError {
    return error instanceof ProviderResponseError && this.rules.isRateLimit(error);
  }

  private healthOf(error: unknown): CallHealth {
    return error instanceof ProviderResponseError ? this.healthOfStatus(error.status) : healthOfFailure(error);
  }

  private healthOfStatus(status: number): CallHealth {
    return (this.rules.isDown?.(status) ?? status >= 500) ? 'failure' : 'alive';
  }

  private final(error: unknown, attempt: Try): unknown {
    if (error instanceof ProviderResponseError) return this.rules.final?.(error, attempt) ?? error;
    return transportFailure(this.provider, error);
  }

  private outcomeOf(error: unknown): CallOutcome | undefined {
    if (this.isRateLimit(error)) return 'rate_limited';
    return error instanceof ProviderResponseError ? outcomeOfStatus(error.status) : undefined;
  }

  private growing(ms: number, tries: number): number {
    return ms * 2 ** (tries - 1) * (0.5 + this.options.random() / 2);
  }
}

function healthOfFailure(error: unknown): CallHealth {
  return error instanceof EgressError ? FAILURES[error.failure].health : 'unknown';
}

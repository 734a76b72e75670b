import { setTimeout as sleep } from 'node:timers/promises';
import { EgressError } from '#egress';
import { asRepeat, type CallOutcome } from '#platform/telemetry';
import { CircuitBreaker, type Verdict } from './circuit-breaker.js';
import { measuredTry, outcomeOfStatus } from './measured-try.js';
import { ProviderRefusal } from './provider-refusal.js';
import { RetryBudget } from './retry-budget.js';
import { FAILURES, transportFailure } from './transport-failure.js';

/** Before the first repeat after a failure, then twice as long; half of it is chance. */
const FAILURE_PAUSE_MS = 400;
/** The same after a rate limit that does not say how long it lasts. */
const RATE_LIMIT_PAUSE_MS = 2_000;
/** The least that is waited after a rate limit, whatever the provider says of it. */
const LEAST_RATE_LIMIT_PAUSE_MS = 500;
/** At most added to a wait that the provider asked for, so that the calls it turned away together do not come back together. */
const SPREAD_MS = 500;
/** A repeat that has less time than this is not worth its request. */
const SHORTEST_TRY_MS = 200;

/**
 * What may be repeated after a failure that does not say whether it was done: `read` and `idempotent` calls may, `once`
 * may not. A refusal that says it was not done (a rate limit) may be repeated in any case.
 */
export type Repeat = 'read' | 'idempotent' | 'once';

export interface Attempt {
  /** What is left of the call's time, milliseconds. */
  timeoutMs: number;
  /** Whether the request named a version; known once it is sent. */
  isConditional: boolean;
  /** Of an answer that is a result, whatever it says: for providers whose refusals are values. */
  status?: number;
}

/** What a provider means by its refusals. */
export interface RefusalRules {
  /** As it is called in messages. */
  provider: string;
  /** Nothing was done, and it may be asked for again after a while. */
  isRateLimit(refusal: ProviderRefusal): boolean;
  /** Some time later the same request may well succeed. */
  isTransient(refusal: ProviderRefusal, attempt: Attempt): boolean;
  /** Whether a status is as good as no answer; by default those from 500 on are. */
  isDown?(status: number): boolean;
  /** What is told when a refusal is the end of it; itself, as a rule. */
  final?(refusal: ProviderRefusal, attempt: Attempt): Error;
}

export interface CallPolicyOptions {
  rules: RefusalRules;
  /** For all tries of one call together, milliseconds. */
  timeoutMs: number;
  /** Of one call, the first one included. */
  maxTries?: number;
  /** Tests run through their waits. */
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
  repeat: Repeat;
  signal: AbortSignal;
  /** Runs each try when it is the account's turn. @throws DomainError RateLimited; what the try throws */
  admit: <R>(attempt: () => Promise<R>) => Promise<R>;
  send: (attempt: Attempt) => Promise<T>;
}

/** When a call is repeated, how long it may take, and when it is not made at all. One for all accounts. */
export class CallPolicy {
  private readonly options: Required<CallPolicyOptions>;
  private readonly rules: RefusalRules;
  private readonly breaker: CircuitBreaker;
  private readonly retries: RetryBudget;

  constructor(options: CallPolicyOptions) {
    this.options = { ...DEFAULTS, ...options };
    const { rules, monotonicMs } = this.options;
    this.rules = rules;
    this.breaker = new CircuitBreaker(rules.provider, (error) => this.verdictOn(error), monotonicMs);
    this.retries = new RetryBudget(monotonicMs);
  }

  /** As the provider is called in messages. */
  get provider(): string {
    return this.rules.provider;
  }

  /** @throws ProviderRefusal with what was answered last; DomainError for everything else */
  async run<T>({ repeat, signal, admit, send }: Call<T>): Promise<T> {
    const { timeoutMs, maxTries, monotonicMs } = this.options;
    this.breaker.check();
    let endsAtMs: number | null = null;
    for (let tries = 1; ; tries += 1) {
      const attempt: Attempt = { timeoutMs, isConditional: false };
      const measured = async (answered: (status: number) => void) => {
        const result = await asRepeat(tries - 1, () => send(attempt));
        if (attempt.status !== undefined) answered(attempt.status);
        return result;
      };
      try {
        return await admit(() => {
          // Waiting for the account's turn is not the provider's time.
          if (endsAtMs === null) {
            endsAtMs = monotonicMs() + timeoutMs;
            this.retries.earn();
          }
          attempt.timeoutMs = Math.max(1, endsAtMs - monotonicMs());
          return this.breaker.run(
            () => measuredTry(measured, (error) => this.outcomeOf(error)),
            () => (attempt.status === undefined ? 'alive' : this.verdictOnStatus(attempt.status)),
          );
        });
      } catch (error) {
        const isLast = signal.aborted || tries === maxTries;
        const waitMs = isLast ? null : this.waitBefore(error, attempt, repeat, tries);
        const isInTime = waitMs !== null && monotonicMs() + waitMs + SHORTEST_TRY_MS <= (endsAtMs ?? 0);
        // Waits that the provider asks for are no repeats of failures.
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

  /** How long to wait before the next try, milliseconds; null when the call must not be repeated. */
  private waitBefore(error: unknown, attempt: Attempt, repeat: Repeat, tries: number): number | null {
    const askedMs = error instanceof ProviderRefusal ? error.retryAfterMs : null;
    if (this.isRateLimit(error)) {
      if (askedMs === null) return this.growing(RATE_LIMIT_PAUSE_MS, tries);
      return Math.max(askedMs, LEAST_RATE_LIMIT_PAUSE_MS) + this.options.random() * SPREAD_MS;
    }
    const isTransient =
      error instanceof ProviderRefusal ? this.rules.isTransient(error, attempt) : verdictOnFailure(error) === 'failure';
    if (repeat === 'once' || !isTransient) return null;
    return Math.max(askedMs ?? 0, this.growing(FAILURE_PAUSE_MS, tries));
  }

  private isRateLimit(error: unknown): error is ProviderRefusal {
    return error instanceof ProviderRefusal && this.rules.isRateLimit(error);
  }

  private verdictOn(error: unknown): Verdict {
    return error instanceof ProviderRefusal ? this.verdictOnStatus(error.status) : verdictOnFailure(error);
  }

  private verdictOnStatus(status: number): Verdict {
    return (this.rules.isDown?.(status) ?? status >= 500) ? 'failure' : 'alive';
  }

  private final(error: unknown, attempt: Attempt): unknown {
    if (error instanceof ProviderRefusal) return this.rules.final?.(error, attempt) ?? error;
    return transportFailure(this.provider, error);
  }

  private outcomeOf(error: unknown): CallOutcome | undefined {
    if (this.isRateLimit(error)) return 'rateLimited';
    return error instanceof ProviderRefusal ? outcomeOfStatus(error.status) : undefined;
  }

  private growing(ms: number, tries: number): number {
    return ms * 2 ** (tries - 1) * (0.5 + this.options.random() / 2);
  }
}

/** What an error that is no refusal says of the provider. */
function verdictOnFailure(error: unknown): Verdict {
  return error instanceof EgressError ? FAILURES[error.failure].verdict : 'unknown';
}

import { Injectable } from '@nestjs/common';
import { Clock, DomainError } from '#domain';
import { mayPass } from './passing-failure.js';

const FIRST_DELAY_S = 1;
const LONGEST_DELAY_S = 30;
/** Failures remembered before those that have lapsed are cleared out. */
const CROWDED = 10_000;

interface Failure {
  error: DomainError;
  delayS: number;
  untilMs: number;
}

/** Keeps callers from asking a token endpoint that has just failed, over and over. Of this process alone. */
@Injectable()
export class RefreshBackoff {
  private readonly failures = new Map<string, Failure>();

  constructor(private readonly clock: Clock) {}

  /** @throws DomainError the last failure, while it is too early to try again */
  check(key: string): void {
    const failure = this.failures.get(key);
    if (failure === undefined) return;
    const leftMs = failure.untilMs - this.clock.nowMs();
    // A clock that was set back must not make the wait longer.
    if (leftMs > 0 && leftMs <= failure.delayS * 1_000) throw withRetryAfter(failure.error, Math.ceil(leftMs / 1_000));
  }

  /** @returns what to throw: with a `retryAfterSeconds` when the failure may pass, as it is otherwise */
  note(key: string, error: unknown): unknown {
    if (!mayPass(error)) return error;
    const before = this.failures.get(key)?.delayS;
    const ownDelayS = before === undefined ? FIRST_DELAY_S : Math.min(before * 2, LONGEST_DELAY_S);
    const delayS = error.retryAfterSeconds ?? ownDelayS;
    const nowMs = this.clock.nowMs();
    if (this.failures.size >= CROWDED) this.forgetLapsed(nowMs);
    this.failures.set(key, { error, delayS, untilMs: nowMs + delayS * 1_000 });
    return withRetryAfter(error, delayS);
  }

  clear(key: string): void {
    this.failures.delete(key);
  }

  private forgetLapsed(nowMs: number): void {
    for (const [key, { untilMs }] of this.failures) if (untilMs <= nowMs) this.failures.delete(key);
  }
}

function withRetryAfter({ code, message, details, provider, cause }: DomainError, seconds: number): DomainError {
  return new DomainError(code, message, { details, provider, cause, retryAfterSeconds: seconds });
}

import { mapToDomainError } from './provider-error.js';

/** The circuit opens after this many consecutive failures that span at least SPAN_MS. */
const FAILURES = 10;
const SPAN_MS = 5_000;
/** After this time without a failure, earlier failures no longer count. */
const STALE_MS = 30_000;
const FIRST_PAUSE_MS = 5_000;
const MAX_PAUSE_MS = 30_000;

/** `failure`: no answer; `alive`: any answer; `unknown`: no information about the provider. */
export type CallHealth = 'failure' | 'alive' | 'unknown';

/** Fails calls at once after consecutive failures, then lets one call at a time probe. Shared by all accounts. */
export class CircuitBreaker {
  #failures = 0;
  #firstFailureMs = 0;
  #lastFailureMs = 0;
  #open: { untilMs: number; pauseMs: number } | null = null;
  #isProbing = false;

  constructor(
    private readonly provider: string,
    private readonly classify: (error: unknown) => CallHealth,
    private readonly monotonicMs: () => number,
  ) {}

  /** @throws DomainError ProviderUnavailable with retryAfterSeconds while the circuit is open */
  check(): void {
    if (this.#open === null) return;
    const leftMs = this.#open.untilMs - this.monotonicMs();
    if (leftMs <= 0 && !this.#isProbing) return;
    const message = `${this.provider} cannot be reached at the moment.`;
    throw mapToDomainError(['ProviderUnavailable', message, true], { status: null, code: null, retryAfterMs: leftMs });
  }

  async run<T>(work: () => Promise<T>, classifyResult: (result: T) => CallHealth = () => 'alive'): Promise<T> {
    this.check();
    const isProbe = this.#open !== null;
    this.#isProbing ||= isProbe;
    try {
      const result = await work();
      this.#take(classifyResult(result), isProbe);
      return result;
    } catch (error) {
      this.#take(this.classify(error), isProbe);
      throw error;
    } finally {
      if (isProbe) this.#isProbing = false;
    }
  }

  #take(health: CallHealth, isProbe: boolean): void {
    if (health === 'failure') this.#fail(isProbe);
    if (health !== 'alive') return;
    this.#failures = 0;
    this.#open = null;
  }

  #fail(isProbe: boolean): void {
    const nowMs = this.monotonicMs();
    if (this.#open !== null) {
      // Other calls started before the circuit opened and show nothing new.
      if (isProbe) this.#pause(nowMs, Math.min(2 * this.#open.pauseMs, MAX_PAUSE_MS));
      return;
    }
    if (this.#failures === 0 || nowMs - this.#lastFailureMs > STALE_MS) {
      this.#failures = 0;
      this.#firstFailureMs = nowMs;
    }
    this.#failures += 1;
    this.#lastFailureMs = nowMs;
    if (this.#failures >= FAILURES && nowMs - this.#firstFailureMs >= SPAN_MS) this.#pause(nowMs, FIRST_PAUSE_MS);
  }

  #pause(nowMs: number, pauseMs: number): void {
    this.#open = { untilMs: nowMs + pauseMs, pauseMs };
  }
}

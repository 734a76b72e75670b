import { Injectable } from '@nestjs/common';

/** Thrown for a request that arrives when the service no longer takes any. */
export class ServerIsDraining extends Error {
  override readonly name = 'ServerIsDraining';

  constructor() {
    super('This instance is shutting down.');
  }
}

/**
 * `starting` → `serving` → `draining` (readiness says no so that traffic moves away, requests are still answered) →
 * `stopped` (only what is in flight is finished).
 */
export type ServicePhase = 'starting' | 'serving' | 'draining' | 'stopped';

@Injectable()
export class ServiceState {
  private current: ServicePhase = 'starting';
  private readonly leaving = new AbortController();

  get phase(): ServicePhase {
    return this.current;
  }

  started(): void {
    if (this.current === 'starting') this.current = 'serving';
  }

  drain(): void {
    if (this.current !== 'stopped') this.current = 'draining';
    this.leaving.abort();
  }

  stop(): void {
    this.current = 'stopped';
    this.leaving.abort();
  }

  /** Calls back once, when traffic is to move to other instances. */
  onLeaving(listener: () => void): void {
    this.leaving.signal.addEventListener('abort', listener, { once: true });
  }

  /** @throws ServerIsDraining */
  assertTakesRequests(): void {
    if (this.current === 'stopped') throw new ServerIsDraining();
  }
}

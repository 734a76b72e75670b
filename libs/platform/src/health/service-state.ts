import { Injectable } from '@nestjs/common';

export class ServerIsDraining extends Error {
  override readonly name = 'ServerIsDraining';

  constructor() {
    super('This instance is shutting down.');
  }
}

/** `draining`: readiness fails, requests are still served. `stopped`: only requests in flight are finished. */
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

  /** Calls back once, when traffic should move to other replicas. */
  onLeaving(listener: () => void): void {
    this.leaving.signal.addEventListener('abort', listener, { once: true });
  }

  /** @throws ServerIsDraining */
  assertTakesRequests(): void {
    if (this.current === 'stopped') throw new ServerIsDraining();
  }
}

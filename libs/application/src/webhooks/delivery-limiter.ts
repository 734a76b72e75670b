import { LRUCache } from 'lru-cache';

/** An attempt that takes longer moves to the larger pool of long permits, for which no message waits. */
const LONG_AFTER_MS = 250;
/** Longest wait for a permit of an endpoint. Longer ones are deferred. */
const MAX_WAIT_MS = 300;
/** Assumed duration of the first attempt at an endpoint. */
const FIRST_HOLD_MS = 50;
const MIN_PUT_OFF_MS = 100;
const MAX_PUT_OFF_MS = 5 * 60_000;
const LONG_FOR_SHORT = 8;
const KNOWN_ENDPOINTS = 10_000;

export type AttemptKind = 'first' | 'repeated';

export interface Permit {
  /** After an attempt. Updates the average duration of the endpoint's attempts. */
  release(): void;
  /** Without an attempt. */
  cancel(): void;
}

export interface Deferral {
  busyMs: number;
}

interface Endpoint {
  /** Attempts that have a permit, or wait for one of the process. */
  running: number;
  begun: Set<{ atMs: number }>;
  waiting: Waiter[];
  tookMs: number;
  /** When the next deferred message may come back. */
  nextTurnMs: number;
}

interface Waiter {
  attemptKind: AttemptKind;
  /** The endpoint admitted it, so the wait must not time out: its permit would be lost. */
  admitted(): void;
  settle(slot: Permit | Deferral): void;
}

interface Places {
  short: number;
  long: number;
  /** Attempts admitted by their endpoint, waiting for a short permit. */
  queue: (() => void)[];
}

export interface SlotLimits {
  concurrency: number;
  perEndpoint: number;
}

/** Slow endpoints use a separate pool of permits, so that they never delay fast ones. */
export class DeliveryLimiter {
  private readonly endpoints = new LRUCache<string, Endpoint>({ max: KNOWN_ENDPOINTS });
  private readonly lanes: Record<AttemptKind, Places> = {
    first: { short: 0, long: 0, queue: [] },
    repeated: { short: 0, long: 0, queue: [] },
  };
  private readonly waiters = new Set<Waiter>();
  private isClosed = false;

  constructor(
    private readonly limits: SlotLimits,
    private readonly nowMs: () => number,
    private readonly random: () => number,
  ) {}

  /** Resolves soon with a permit or a deferral, but waits without limit while all short permits are in use. */
  take(endpointId: string, attemptKind: AttemptKind): Promise<Permit | Deferral> {
    const endpoint = this.endpointOf(endpointId);
    if (this.isClosed) return Promise.resolve({ busyMs: 0 });
    if (endpoint.running < this.limits.perEndpoint) return this.admit(endpoint, attemptKind);
    const waitMs = ((endpoint.waiting.length + 1) * this.permitMs(endpoint)) / this.limits.perEndpoint;
    if (waitMs > MAX_WAIT_MS) return Promise.resolve(this.busy(endpoint));
    return this.wait(endpoint, attemptKind);
  }

  isFree(endpointId: string, attemptKind: AttemptKind): boolean {
    const endpoint = this.endpointOf(endpointId);
    if (this.isClosed || endpoint.running >= this.limits.perEndpoint) return false;
    const { short, long } = this.lanes[attemptKind];
    return this.isSlow(endpoint) ? long < this.maxLong() : short < this.limits.concurrency;
  }

  close(): void {
    this.isClosed = true;
    for (const waiting of this.waiters) waiting.settle({ busyMs: 0 });
    for (const { queue } of Object.values(this.lanes)) for (const proceed of queue.splice(0)) proceed();
  }

  private endpointOf(id: string): Endpoint {
    let endpoint = this.endpoints.get(id);
    if (endpoint === undefined) {
      endpoint = { running: 0, begun: new Set(), waiting: [], tookMs: FIRST_HOLD_MS, nextTurnMs: 0 };
      this.endpoints.set(id, endpoint);
    }
    return endpoint;
  }

  private permitMs({ tookMs, begun }: Endpoint): number {
    const [oldest] = begun;
    return oldest === undefined ? tookMs : Math.max(tookMs, this.nowMs() - oldest.atMs);
  }

  private isSlow(endpoint: Endpoint): boolean {
    return this.permitMs(endpoint) > LONG_AFTER_MS;
  }

  private maxLong(): number {
    return this.limits.concurrency * LONG_FOR_SHORT;
  }

  private wait(endpoint: Endpoint, attemptKind: AttemptKind): Promise<Permit | Deferral> {
    const { promise, resolve } = Promise.withResolvers<Permit | Deferral>();
    const waiting: Waiter = {
      attemptKind,
      admitted: () => clearTimeout(timer),
      settle: (outcome) => {
        clearTimeout(timer);
        this.waiters.delete(waiting);
        resolve(outcome);
      },
    };
    const timer = setTimeout(() => {
      endpoint.waiting = endpoint.waiting.filter((other) => other !== waiting);
      waiting.settle(this.busy(endpoint));
    }, MAX_WAIT_MS);
    endpoint.waiting.push(waiting);
    this.waiters.add(waiting);
    return promise;
  }

  private async admit(endpoint: Endpoint, attemptKind: AttemptKind): Promise<Permit | Deferral> {
    const places = this.lanes[attemptKind];
    endpoint.running += 1;
    if (this.isSlow(endpoint)) {
      if (places.long < this.maxLong()) {
        places.long += 1;
        return this.slot(endpoint, places, true);
      }
      endpoint.running -= 1;
      return this.busy(endpoint);
    }
    if (places.short < this.limits.concurrency) places.short += 1;
    // `passOn` hands over a permit that stays counted in `short`.
    else await new Promise<void>((proceed) => places.queue.push(proceed));
    if (!this.isClosed) return this.slot(endpoint, places, false);
    this.leave(endpoint, places, false);
    return { busyMs: 0 };
  }

  private slot(endpoint: Endpoint, places: Places, startsLong: boolean): Permit {
    const begun = { atMs: this.nowMs() };
    endpoint.begun.add(begun);
    let isLong = startsLong;
    let timer: NodeJS.Timeout | undefined;
    const grow = () => {
      this.turnAway(endpoint);
      if (places.long < this.maxLong()) {
        isLong = true;
        places.long += 1;
        this.release(places);
      } else timer = setTimeout(grow, LONG_AFTER_MS);
    };
    if (!isLong) timer = setTimeout(grow, LONG_AFTER_MS + 1);
    const end = () => {
      clearTimeout(timer);
      endpoint.begun.delete(begun);
      this.leave(endpoint, places, isLong);
    };
    return {
      release: () => {
        const tookMs = this.nowMs() - begun.atMs;
        if (tookMs < endpoint.tookMs / 2) endpoint.nextTurnMs = 0;
        endpoint.tookMs = (endpoint.tookMs + tookMs) / 2;
        end();
      },
      cancel: end,
    };
  }

  private leave(endpoint: Endpoint, places: Places, isLong: boolean): void {
    endpoint.running -= 1;
    if (isLong) places.long -= 1;
    else this.release(places);
    if (this.isClosed) return;
    const next = endpoint.waiting.shift();
    if (next === undefined) return;
    next.admitted();
    void this.admit(endpoint, next.attemptKind).then((outcome) => next.settle(outcome));
  }

  private release(places: Places): void {
    const proceed = places.queue.shift();
    if (proceed === undefined) places.short -= 1;
    else proceed();
  }

  private turnAway(endpoint: Endpoint): void {
    const most = Math.floor((MAX_WAIT_MS * this.limits.perEndpoint) / this.permitMs(endpoint));
    for (const waiting of endpoint.waiting.splice(most)) waiting.settle(this.busy(endpoint));
  }

  /** Spreads deferred messages at the pace of the endpoint, in order. */
  private busy(endpoint: Endpoint): Deferral {
    const nowMs = this.nowMs();
    const paceMs = this.permitMs(endpoint) / this.limits.perEndpoint;
    const tickMs = Math.max(endpoint.nextTurnMs, nowMs + MIN_PUT_OFF_MS) + paceMs;
    if (tickMs - nowMs > MAX_PUT_OFF_MS) return { busyMs: MAX_PUT_OFF_MS * (0.5 + this.random() / 2) };
    endpoint.nextTurnMs = tickMs;
    return { busyMs: tickMs - nowMs };
  }
}

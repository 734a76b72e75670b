import { LRUCache } from 'lru-cache';

/** A receiver that takes longer holds a slot of the second kind: there are many of these, and nobody waits for one. */
const LONG_AFTER_MS = 250;
/** Longest wait for a slot of an endpoint; what would have to wait longer is put off. */
const MAX_WAIT_MS = 300;
/** Taken for granted of an endpoint that was not seen yet. */
const FIRST_HOLD_MS = 50;
const MIN_PUT_OFF_MS = 100;
const MAX_PUT_OFF_MS = 5 * 60_000;
/** Long slots for each short one. */
const LONG_FOR_SHORT = 8;
const KNOWN_ENDPOINTS = 10_000;

/** First attempts and repeats do not wait for each other. */
export type Lane = 'first' | 'repeated';

/** The right to make one attempt now. Ends once, by either method. */
export interface Slot {
  /** The attempt was made, or tried. */
  release(): void;
  /** There was no attempt to make. */
  giveBack(): void;
}

/** No slot is free soon. */
export interface Busy {
  /** When to ask again. */
  busyMs: number;
}

interface Endpoint {
  /** Attempts that have a slot, or wait for one of the process. */
  running: number;
  /** When those that have one began, oldest first. */
  begun: Set<{ atMs: number }>;
  waiting: Waiting[];
  /** How long its attempts took lately. */
  tookMs: number;
  /** When the next one that is put off may come back. */
  nextTurnMs: number;
}

interface Waiting {
  lane: Lane;
  /** It has a slot of the endpoint: nobody sends it away any more, or that slot would be lost. */
  admitted(): void;
  settle(slot: Slot | Busy): void;
}

interface Places {
  short: number;
  long: number;
  /** Those that have a slot of their endpoint, in the order of their coming. */
  queue: (() => void)[];
}

export interface SlotLimits {
  /** Attempts at receivers that answer soon, at a time, in each lane. */
  concurrency: number;
  /** Attempts at one endpoint at a time, all lanes together. */
  perEndpoint: number;
}

/**
 * Which attempts this process makes at a time. An endpoint that hangs has its few slots, of a kind that nobody else needs,
 * and no message waits for them here: it costs others nothing, however many messages it has.
 */
export class DeliverySlots {
  private readonly endpoints = new LRUCache<string, Endpoint>({ max: KNOWN_ENDPOINTS });
  private readonly lanes: Record<Lane, Places> = {
    first: { short: 0, long: 0, queue: [] },
    repeated: { short: 0, long: 0, queue: [] },
  };
  private readonly waiters = new Set<Waiting>();
  private isClosed = false;

  constructor(
    private readonly limits: SlotLimits,
    private readonly nowMs: () => number,
    private readonly random: () => number,
  ) {}

  /** Resolves soon with a slot, or with when to ask again; waits as long as it takes while all short slots are in use. */
  take(endpointId: string, lane: Lane): Promise<Slot | Busy> {
    const endpoint = this.endpointOf(endpointId);
    if (this.isClosed) return Promise.resolve({ busyMs: 0 });
    if (endpoint.running < this.limits.perEndpoint) return this.admit(endpoint, lane);
    const waitMs = ((endpoint.waiting.length + 1) * this.holdMs(endpoint)) / this.limits.perEndpoint;
    if (waitMs > MAX_WAIT_MS) return Promise.resolve(this.busy(endpoint));
    return this.wait(endpoint, lane);
  }

  /** Whether {@link take} would give a slot without a wait. */
  isFree(endpointId: string, lane: Lane): boolean {
    const endpoint = this.endpointOf(endpointId);
    if (this.isClosed || endpoint.running >= this.limits.perEndpoint) return false;
    const { short, long } = this.lanes[lane];
    return this.isSlow(endpoint) ? long < this.mostLong() : short < this.limits.concurrency;
  }

  /** Nobody gets a slot any more; who waits for one is told to come back at once, to another process. */
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

  /** How long an attempt holds its slot, as far as is known. */
  private holdMs({ tookMs, begun }: Endpoint): number {
    const [oldest] = begun;
    return oldest === undefined ? tookMs : Math.max(tookMs, this.nowMs() - oldest.atMs);
  }

  private isSlow(endpoint: Endpoint): boolean {
    return this.holdMs(endpoint) > LONG_AFTER_MS;
  }

  private mostLong(): number {
    return this.limits.concurrency * LONG_FOR_SHORT;
  }

  private wait(endpoint: Endpoint, lane: Lane): Promise<Slot | Busy> {
    const { promise, resolve } = Promise.withResolvers<Slot | Busy>();
    const waiting: Waiting = {
      lane,
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

  /** The endpoint has a slot; now for one of the process. */
  private async admit(endpoint: Endpoint, lane: Lane): Promise<Slot | Busy> {
    const places = this.lanes[lane];
    endpoint.running += 1;
    if (this.isSlow(endpoint)) {
      if (places.long < this.mostLong()) {
        places.long += 1;
        return this.slot(endpoint, places, true);
      }
      endpoint.running -= 1;
      return this.busy(endpoint);
    }
    if (places.short < this.limits.concurrency) places.short += 1;
    // Whoever leaves hands the place on: it is taken when the wait is over.
    else await new Promise<void>((proceed) => places.queue.push(proceed));
    if (!this.isClosed) return this.slot(endpoint, places, false);
    this.leave(endpoint, places, false);
    return { busyMs: 0 };
  }

  private slot(endpoint: Endpoint, places: Places, startsLong: boolean): Slot {
    const begun = { atMs: this.nowMs() };
    endpoint.begun.add(begun);
    let isLong = startsLong;
    let timer: NodeJS.Timeout | undefined;
    const grow = () => {
      this.turnAway(endpoint);
      if (places.long < this.mostLong()) {
        isLong = true;
        places.long += 1;
        this.passOn(places);
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
      giveBack: end,
    };
  }

  private leave(endpoint: Endpoint, places: Places, isLong: boolean): void {
    endpoint.running -= 1;
    if (isLong) places.long -= 1;
    else this.passOn(places);
    if (this.isClosed) return;
    const next = endpoint.waiting.shift();
    if (next === undefined) return;
    next.admitted();
    void this.admit(endpoint, next.lane).then((outcome) => next.settle(outcome));
  }

  private passOn(places: Places): void {
    const proceed = places.queue.shift();
    if (proceed === undefined) places.short -= 1;
    else proceed();
  }

  /** Those that wait for more than they were told. */
  private turnAway(endpoint: Endpoint): void {
    const most = Math.floor((MAX_WAIT_MS * this.limits.perEndpoint) / this.holdMs(endpoint));
    for (const waiting of endpoint.waiting.splice(most)) waiting.settle(this.busy(endpoint));
  }

  /** Messages come back at the pace at which the endpoint has taken them, in the order in which they were put off. */
  private busy(endpoint: Endpoint): Busy {
    const nowMs = this.nowMs();
    const paceMs = this.holdMs(endpoint) / this.limits.perEndpoint;
    const turnMs = Math.max(endpoint.nextTurnMs, nowMs + MIN_PUT_OFF_MS) + paceMs;
    if (turnMs - nowMs > MAX_PUT_OFF_MS) return { busyMs: MAX_PUT_OFF_MS * (0.5 + this.random() / 2) };
    endpoint.nextTurnMs = turnMs;
    return { busyMs: turnMs - nowMs };
  }
}

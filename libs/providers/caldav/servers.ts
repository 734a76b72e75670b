import { LRUCache } from 'lru-cache';
import { CircuitBreaker, RetryBudget, verdictOn, type Verdict } from '#providers/kit/calls';
import { DavStatusError } from './dav/dav-errors.js';
import { XmlRefused } from './dav/xml-reader.js';

/** Whether a server is asked at all, and how often a failure of it may be answered with a repeat. */
export interface Server {
  breaker: CircuitBreaker;
  retries: RetryBudget;
}

const MAX_SERVERS = 5_000;
/** Of a server that nobody asked meanwhile. */
const KEPT_FOR_MS = 10 * 60_000;

/**
 * The servers that accounts of this process use, by application and origin: the addresses are users' own, and what the
 * accounts of one application run into must not keep those of another from their server.
 */
export class Servers {
  readonly #servers: LRUCache<string, Server>;

  constructor(private readonly monotonicMs: () => number = () => performance.now()) {
    this.#servers = new LRUCache({
      max: MAX_SERVERS,
      ttl: KEPT_FOR_MS,
      updateAgeOnGet: true,
      perf: { now: monotonicMs },
    });
  }

  of({ applicationId }: { applicationId: string }, { origin }: URL): Server {
    const key = `${applicationId} ${origin}`;
    const known = this.#servers.get(key);
    if (known !== undefined) return known;
    const server = newServer(this.monotonicMs);
    this.#servers.set(key, server);
    return server;
  }
}

/** One that nothing is known about. */
export function newServer(monotonicMs: () => number = () => performance.now()): Server {
  return {
    breaker: new CircuitBreaker('The calendar server', verdictOnFailure, monotonicMs),
    retries: new RetryBudget(monotonicMs),
  };
}

function verdictOnFailure(error: unknown): Verdict {
  if (error instanceof DavStatusError) return verdictOnStatus(error.status);
  return error instanceof XmlRefused ? 'alive' : verdictOn(error);
}

/**
 * A gateway answers for a server that is down (RFC 9110 §15.6.3 to 15.6.5; 520 to 530 are those of Cloudflare). A 500 is
 * the server's own, and often about one object that it cannot process.
 */
export function verdictOnStatus(status: number): Verdict {
  return (status >= 502 && status <= 504) || (status >= 520 && status <= 530) ? 'failure' : 'alive';
}

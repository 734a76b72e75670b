import { LRUCache } from 'lru-cache';
import { CallPolicy, type CallPolicyOptions, type ProviderResponseError, type ErrorRules } from '#providers/kit/calls';
import { davFailure, DavStatusError, isGateway, isRead, isThrottled, THE_SERVER } from './dav/dav-errors.js';

const CALL_MS = 60_000;
/** A second try tells a lost connection from a server that is down. */
const MAX_TRIES = 2;
const MAX_SERVERS = 5_000;
const KEPT_FOR_MS = 10 * 60_000;

type PolicyOptions = Omit<CallPolicyOptions, 'rules' | 'timeoutMs'>;

/**
 * Keeps one policy per application and origin. Users choose the addresses, so failures of one application's accounts
 * must not block another's.
 */
export class Servers {
  readonly #policies: LRUCache<string, CallPolicy>;

  constructor(options: PolicyOptions = {}) {
    const { monotonicMs = () => performance.now() } = options;
    this.#policies = new LRUCache({
      max: MAX_SERVERS,
      ttl: KEPT_FOR_MS,
      updateAgeOnGet: true,
      perf: { now: monotonicMs },
      memoMethod: () => serverPolicy({ maxTries: MAX_TRIES, ...options }),
    });
  }

  of({ applicationId }: { applicationId: string }, { origin }: URL): CallPolicy {
    return this.#policies.memo(`${applicationId} ${origin}`);
  }
}

export function serverPolicy(options: PolicyOptions): CallPolicy {
  return new CallPolicy({ rules: REFUSALS, timeoutMs: CALL_MS, ...options });
}

/** Reads wait when a server asks for it; writes fail at once (docs/development/caldav-cases.md). */
const REFUSALS: ErrorRules = {
  provider: THE_SERVER,
  isRateLimit: (rejection) => rejection.status === 429 && isReadRejected(rejection),
  isTransient: (rejection) => isGateway(rejection.status) && isReadRejected(rejection),
  isDown: isGateway,
  final: (rejection) => (isThrottled(rejection.status) ? throttled(rejection) : rejection),
};

function isReadRejected(rejection: ProviderResponseError): boolean {
  return rejection instanceof DavStatusError && isRead(rejection.method);
}

/** 429 and 503 say nothing about the requested resource, so the client throws them. */
export function throttled({ status, retryAfterMs }: ProviderResponseError): Error {
  const hint = retryAfterMs === null ? undefined : Math.ceil(retryAfterMs / 1_000);
  const retryAfterSeconds = status === 429 ? (hint ?? 60) : hint;
  return davFailure({ status, retryAfterSeconds }, 'read');
}

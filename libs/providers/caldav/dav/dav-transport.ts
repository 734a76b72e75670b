import pLimit, { type LimitFunction } from 'p-limit';
import { DomainError } from '#domain/system';
import { EgressError, type Egress, type OutboundStream, type Trust } from '#egress';
import { unlessAborted } from '#platform/deadline';
import { retryAfterMs, transportFailure, type Try, type CallPolicy } from '#providers/kit/calls';
import { throttled } from '../servers.js';
import {
  DavStatusError,
  isGateway,
  isRead,
  isThrottled,
  THE_SERVER,
  unreadableResponse,
  unusableResponse,
} from './dav-errors.js';
import { pathAndQuery, resolveHref } from './hrefs.js';
import type { Authenticator } from './http-authentication.js';

export interface DavTransportOptions {
  egress: Egress;
  authenticator: Authenticator;
  trust: (url: URL) => Trust | undefined;
  /** Returns true when credentials may go to another origin than the requested one. */
  mayFollow: (to: URL) => Promise<boolean>;
  /** Runs one try when the limits of the account allow it. */
  admit: <R>(attempt: () => Promise<R>) => Promise<R>;
  /** Called when the server accepted the credentials. */
  onAccepted?: (() => void) | undefined;
  policyOf: (url: URL) => CallPolicy;
  semaphore: Semaphore;
  poolKey: string;
  signal: AbortSignal;
  nowMs: () => number;
  timeoutMs: () => number;
}

export interface DavRequest {
  method: string;
  url: URL;
  headers?: Record<string, string>;
  body?: Buffer | string;
  maxBytes: number;
}

/** Head of a response. Its receiver reads the body to the end or not at all. */
export interface Arrival extends OutboundStream {
  url: URL;
}

/** Semaphore. Waiting work starts in order and gives up when its signal aborts. */
export class Semaphore {
  readonly #limit: LimitFunction;

  constructor(width: number) {
    this.#limit = pLimit(width);
  }

  /** @throws the signal's reason when it aborts */
  run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const turn = this.#limit(() => {
      signal.throwIfAborted();
      return work();
    });
    return unlessAborted(turn, signal);
  }
}

type Outcome<T> = { kind: 'done'; value: T } | { kind: 'redirect'; to: URL } | { kind: 'again' };

const MAX_REDIRECTS = 5;
/** Bytes read of an unwanted body, so that the connection stays reusable. */
const DRAINED_BYTES = 64 * 1024;

/** Sends authenticated requests under the policy of their server, with budget, redirects and Digest. */
export class DavTransport {
  constructor(private readonly options: DavTransportOptions) {}

  /**
   * Passes the response to `read`, whatever its status, except followed redirects, 429 and 503.
   * @throws DomainError; CredentialsRejected only for an unknown kind of authentication
   */
  async exchange<T>(request: DavRequest, read: (arrival: Arrival) => Promise<T>): Promise<T> {
    const visited = new Set<string>([request.url.href]);
    let { url } = request;
    let mayAuthenticateAgain = true;
    for (;;) {
      const outcome = await this.#send(request, url, read, mayAuthenticateAgain);
      if (outcome.kind === 'done') return outcome.value;
      if (outcome.kind === 'again') {
        mayAuthenticateAgain = false;
        continue;
      }
      url = outcome.to;
      if (visited.has(url.href) || visited.size > MAX_REDIRECTS) {
        throw unusableResponse('The calendar server redirects without end.', 'redirects');
      }
      visited.add(url.href);
    }
  }

  async #send<T>(
    request: DavRequest,
    url: URL,
    read: (arrival: Arrival) => Promise<T>,
    mayAuthenticateAgain: boolean,
  ): Promise<Outcome<T>> {
    const { semaphore, signal, admit, policyOf } = this.options;
    let rejection = null as DavStatusError | null;
    try {
      return await policyOf(url).run({
        repeat: isRead(request.method) ? 'read' : isConditional(request) ? 'idempotent' : 'once',
        signal,
        // Requests of this process wait in the semaphore as long as their caller, for a permit over all processes only a while.
        admit: (attempt) => semaphore.run(signal, () => admit(attempt)),
        send: async (attempt) => {
          rejection = null;
          try {
            return await this.#try(request, url, read, mayAuthenticateAgain, attempt);
          } catch (error) {
            if (error instanceof DavStatusError && isThrottled(error.status)) rejection = error;
            throw unreadableResponse(error);
          }
        },
      });
    } catch (error) {
      // The caller's deadline passed during the wait that the server had requested.
      if (signal.aborted && rejection !== null) throw throttled(rejection);
      if (!signal.aborted || error !== signal.reason) throw error;
      throw transportFailure(THE_SERVER, new EgressError('aborted', { cause: error }));
    }
  }

  async #try<T>(
    request: DavRequest,
    url: URL,
    read: (arrival: Arrival) => Promise<T>,
    mayAuthenticateAgain: boolean,
    attempt: Try,
  ): Promise<Outcome<T>> {
    const { egress, authenticator, trust, poolKey, signal, nowMs, timeoutMs } = this.options;
    const { method, body, maxBytes } = request;
    const authorization = authenticator.authorization(method, pathAndQuery(url));
    const response = await egress.stream({
      method,
      url: url.href,
      trust: trust(url),
      headers: { ...request.headers, authorization },
      ...(body !== undefined && { body }),
      timeoutMs: Math.min(timeoutMs(), attempt.timeoutMs),
      maxBytes,
      signal,
      poolKey,
    });
    const { status, headers } = response;
    attempt.status = status;
    const location = status >= 300 && status < 400 ? headers['location'] : undefined;
    if (location !== undefined) {
      const to = resolveHref(location, url);
      if (to !== null && (await this.#follows(method, status, to, url))) {
        await drain(response);
        return { kind: 'redirect', to };
      }
    }
    if (status === 401) {
      const outcome = authenticator.challenged(authorization, headers['www-authenticate']);
      if (outcome === 'unsupported') {
        await drain(response);
        throw new DomainError('CredentialsRejected', UNSUPPORTED_AUTHENTICATION);
      }
      if (outcome === 'repeat' && mayAuthenticateAgain) {
        await drain(response);
        return { kind: 'again' };
      }
    }
    if (isThrottled(status) || (isGateway(status) && isRead(method))) {
      await drain(response);
      throw new DavStatusError(method, status, null, retryAfterMs(headers['retry-after'], nowMs()));
    }
    if (status < 300) this.options.onAccepted?.();
    return { kind: 'done', value: await read({ ...response, url }) };
  }

  /** Follows a 303 with the same method, because discovery re-sends its PROPFIND. */
  async #follows(method: string, status: number, to: URL, from: URL): Promise<boolean> {
    if (![301, 302, 303, 307, 308].includes(status)) return false;
    const isSameOrigin = to.origin === from.origin;
    to.hash = '';
    if (!isRead(method) && (status === 303 || (!isSameOrigin && status < 307))) return false;
    return isSameOrigin || this.options.mayFollow(to);
  }
}

function isConditional({ headers = {} }: DavRequest): boolean {
  return Object.keys(headers).some((name) => /^if-(none-|schedule-tag-)?match$/i.test(name));
}

/** Reads a short body to its end; closes the connection of a longer one. */
export async function drain({ chunks }: Pick<OutboundStream, 'chunks'>): Promise<void> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > DRAINED_BYTES) break;
  }
}

const UNSUPPORTED_AUTHENTICATION =
  'The calendar server asks for an unsupported authentication: only Basic and Digest (MD5, SHA-256) are possible with a password.';

import { setTimeout as sleep } from 'node:timers/promises';
import { DomainError } from '#domain';
import { EgressError, type Egress, type OutboundStream, type Trust } from '#egress';
import { measuredTry, retryAfterMs } from '#providers/kit/calls';
import { davFailure, transportFailure } from './dav-errors.js';
import { pathAndQuery, resolveHref } from './hrefs.js';
import type { Authenticator } from './http-authentication.js';
import { verdictOnStatus, type Server } from '../servers.js';
import type { Lanes } from './lanes.js';

export interface DavTransportOptions {
  egress: Egress;
  authenticator: Authenticator;
  trust: (url: URL) => Trust | undefined;
  /**
   * Whether credentials may go to another URL than the one asked for. May throw instead, to say why not.
   * @param from where the redirect came from
   */
  mayFollow: (to: URL, from: URL) => Promise<boolean>;
  /** Takes one request from the account's budget. */
  takeBudget: () => Promise<void>;
  /** What is known of the server behind a URL. */
  server: (url: URL) => Server;
  lanes: Lanes;
  poolKey: string;
  signal: AbortSignal;
  nowMs: () => number;
  /** Wall clock for one exchange, milliseconds. */
  timeoutMs: () => number;
  /**
   * Reads are sent a second time after a lost connection and after a short Retry-After; conditional writes after a lost
   * connection: what the first one did, the condition tells.
   */
  retries: boolean;
}

export interface DavRequest {
  method: string;
  url: URL;
  headers?: Record<string, string>;
  body?: Buffer | string;
  maxBytes: number;
}

/** The head of an answer; its body is read by the one who gets it, to the end or not at all. */
export interface Arrival extends OutboundStream {
  /** Where it came from, after redirects. */
  url: URL;
}

type Outcome<T> =
  | { kind: 'done'; value: T }
  | { kind: 'redirect'; to: URL }
  | { kind: 'again' }
  | { kind: 'throttled'; status: number; retryAfterSeconds: number | undefined };

const READS: ReadonlySet<string> = new Set(['PROPFIND', 'REPORT', 'GET', 'OPTIONS']);
const MAX_REDIRECTS = 5;
/** Longest wait inside of a call, milliseconds. */
const MAX_INLINE_WAIT_MS = 60_000;
/** What is read of a body that nobody wants, so that its connection can be used again. */
const DRAINED_BYTES = 64 * 1024;

/** Authenticated exchanges: budget, breaker, redirects by hand, Digest, Retry-After, one retry of reads. */
export class DavTransport {
  constructor(private readonly options: DavTransportOptions) {}

  /**
   * Sends and lets `read` take the answer, whatever its status is but a followed redirect, 429 and 503.
   * @throws DomainError ProviderUnavailable, ProviderTimeout, ProviderRateLimited, RateLimited; CredentialsRejected only
   *   for an unknown kind of authentication
   */
  async exchange<T>(request: DavRequest, read: (arrival: Arrival) => Promise<T>): Promise<T> {
    const isRead = READS.has(request.method);
    const visited = new Set<string>([request.url.href]);
    let { url } = request;
    this.options.server(url).retries.earn();
    let mayRetry = isRead && this.options.retries;
    let mayResend = (isRead || isConditional(request)) && this.options.retries;
    let mayAuthenticateAgain = true;
    for (;;) {
      const outcome = await this.#attempt(url, () => this.#send(request, url, read, mayAuthenticateAgain), mayResend);
      if (outcome === 'lost') {
        mayRetry = false;
        mayResend = false;
        continue;
      }
      switch (outcome.kind) {
        case 'done':
          return outcome.value;
        case 'again':
          mayAuthenticateAgain = false;
          break;
        case 'redirect':
          url = outcome.to;
          if (visited.has(url.href) || visited.size > MAX_REDIRECTS) throw redirectsWithoutEnd();
          visited.add(url.href);
          break;
        case 'throttled':
          await this.#waitOut(url, outcome, mayRetry);
          mayRetry = false;
          break;
      }
    }
  }

  async #attempt<T>(url: URL, send: () => Promise<Outcome<T>>, mayResend: boolean): Promise<Outcome<T> | 'lost'> {
    const { lanes, signal, server } = this.options;
    const { breaker, retries } = server(url);
    // Whoever waits for a lane would wait for a server that is down.
    breaker.check();
    try {
      return await lanes.run(signal, send);
    } catch (error) {
      const isLost = error instanceof EgressError && (error.failure === 'connect' || error.failure === 'reset');
      if (mayResend && isLost && retries.take()) return 'lost';
      if (signal.aborted && error === signal.reason)
        throw transportFailure(new EgressError('aborted', { cause: error }));
      throw transportFailure(error);
    }
  }

  async #send<T>(
    request: DavRequest,
    url: URL,
    read: (arrival: Arrival) => Promise<T>,
    mayAuthenticateAgain: boolean,
  ): Promise<Outcome<T>> {
    await this.options.takeBudget();
    let status = 0;
    const attempt = () =>
      measuredTry((answered) =>
        this.#try(request, url, read, mayAuthenticateAgain, (code) => {
          status = code;
          answered(code);
        }),
      );
    return this.options.server(url).breaker.run(attempt, () => verdictOnStatus(status));
  }

  async #try<T>(
    request: DavRequest,
    url: URL,
    read: (arrival: Arrival) => Promise<T>,
    mayAuthenticateAgain: boolean,
    answered: (status: number) => void,
  ): Promise<Outcome<T>> {
    const { egress, authenticator, trust, poolKey, signal, nowMs, timeoutMs } = this.options;
    const { method, body, maxBytes } = request;
    const authorization = authenticator.authorization(method, pathAndQuery(url));
    const answer = await egress.stream({
      method,
      url: url.href,
      trust: trust(url),
      headers: { ...request.headers, authorization },
      ...(body !== undefined && { body }),
      timeoutMs: timeoutMs(),
      maxBytes,
      signal,
      poolKey,
    });
    const { status, headers } = answer;
    answered(status);
    const location = status >= 300 && status < 400 ? headers['location'] : undefined;
    if (location !== undefined) {
      const to = resolveHref(location, url);
      if (to !== null && (await this.#follows(request, status, to, url, answer))) {
        await drain(answer);
        return { kind: 'redirect', to };
      }
    }
    if (status === 401) {
      const outcome = authenticator.challenged(authorization, headers['www-authenticate']);
      if (outcome === 'unsupported') {
        await drain(answer);
        throw unsupportedAuthentication();
      }
      if (outcome === 'repeat' && mayAuthenticateAgain) {
        await drain(answer);
        return { kind: 'again' };
      }
    }
    if (status === 429 || status === 503) {
      await drain(answer);
      const hintMs = retryAfterMs(headers['retry-after'], nowMs());
      return { kind: 'throttled', status, retryAfterSeconds: hintMs === null ? undefined : Math.ceil(hintMs / 1_000) };
    }
    return { kind: 'done', value: await read({ ...answer, url }) };
  }

  /** 303 is followed with the same method: discovery re-sends its PROPFIND. */
  async #follows(request: DavRequest, status: number, to: URL, from: URL, answer: OutboundStream): Promise<boolean> {
    if (![301, 302, 303, 307, 308].includes(status)) return false;
    const isSameOrigin = to.origin === from.origin;
    to.hash = '';
    if (!READS.has(request.method) && (status === 303 || (!isSameOrigin && status < 307))) return false;
    if (isSameOrigin) return true;
    try {
      return await this.options.mayFollow(to, from);
    } catch (error) {
      await drain(answer);
      throw error;
    }
  }

  async #waitOut(
    url: URL,
    { status, retryAfterSeconds: hint }: { status: number; retryAfterSeconds: number | undefined },
    mayRetry: boolean,
  ): Promise<void> {
    const failure = davFailure(
      {
        status,
        precondition: null,
        ...(status === 429 ? { retryAfterSeconds: hint ?? 60 } : hint !== undefined && { retryAfterSeconds: hint }),
      },
      'read',
    );
    if (!mayRetry) throw failure;
    // Jitter, so that the calls a server turned away together do not come back together.
    const waitMs = (hint ?? (status === 429 ? 2 : 1)) * 1_000 + Math.random() * 250;
    if (waitMs > MAX_INLINE_WAIT_MS + 250) throw failure;
    // Waits that the server asks for are no repeats of failures.
    if (status !== 429 && !this.options.server(url).retries.take()) throw failure;
    await sleep(waitMs, undefined, { signal: this.options.signal }).catch(() => {
      throw failure;
    });
  }
}

function isConditional({ headers = {} }: DavRequest): boolean {
  return Object.keys(headers).some((name) => /^if-(none-|schedule-tag-)?match$/i.test(name));
}

/** Reads a little of a body nobody wants; what is more is cut off with its connection. */
export async function drain({ chunks }: Pick<OutboundStream, 'chunks'>): Promise<void> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > DRAINED_BYTES) break;
  }
}

function redirectsWithoutEnd(): DomainError {
  const message = 'The calendar server redirects without end.';
  return new DomainError('ProviderUnavailable', message, {
    provider: { status: null, code: 'redirects', message, retryable: false },
  });
}

function unsupportedAuthentication(): DomainError {
  return new DomainError(
    'CredentialsRejected',
    'The calendar server asks for an unsupported authentication: only Basic and Digest (MD5, SHA-256) are possible with a password.',
  );
}

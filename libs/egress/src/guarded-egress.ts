import type { Span } from '@opentelemetry/api';
import type { Dispatcher } from 'undici';
import { turns } from '#platform/event-loop';
import { unlessAborted, type Deadline } from '#platform/deadline';
import { traceparentOf } from '#platform/telemetry';
import { AddressPolicy, type CheckedUrl } from './address-policy.js';
import { ACCEPT_ENCODING, decodedBody, isCoded } from './body.js';
import { Egress, type OutboundResponse, type OutboundRequest, type OutboundStream, type Trust } from './contract.js';
import { egressDeadline } from './errors.js';
import { EgressError, toEgressError } from './errors.js';
import { recordFailure, recordStatus, openClientSpan } from './exchange-span.js';
import { DEFAULT_LIMITS, type EgressLimits } from './limits.js';
import { Pools } from './pools.js';
import { resolveAllowed, systemResolver, type Resolver } from './guarded-connector.js';

export interface GuardedEgressOptions {
  /** Value of `EGRESS_ALLOW`. */
  allow?: string;
  trustedOrigins?: readonly string[];
  resolver?: Resolver;
  limits?: Partial<EgressLimits>;
  /** Monotonic. */
  nowMs?: () => number;
}

/** Headers of the connection, and those that could make the server see another host than the checked one. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'content-length',
  'te',
  'trailer',
  'upgrade',
  'expect',
]);

const LARGE_BYTES = 32 * 1024;

/**
 * HTTP/1.1 only. Reads no proxy settings, opens no Unix sockets, follows no redirects, keeps no cookies, retries
 * nothing.
 */
export class GuardedEgress extends Egress {
  readonly #policy: AddressPolicy;
  readonly #resolver: Resolver;
  readonly #limits: EgressLimits;
  readonly #pools: Pools;
  readonly #closing = new AbortController();

  /** @throws TypeError, EgressError for an invalid `allow` entry or trusted origin */
  constructor(options: GuardedEgressOptions = {}) {
    super();
    this.#policy = new AddressPolicy({ allow: options.allow ?? '', trustedOrigins: options.trustedOrigins ?? [] });
    this.#resolver = options.resolver ?? systemResolver;
    this.#limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.#pools = new Pools({
      policy: this.#policy,
      resolver: this.#resolver,
      limits: this.#limits,
      signal: this.#closing.signal,
      nowMs: options.nowMs ?? (() => performance.now()),
    });
  }

  get poolCount(): number {
    return this.#pools.size;
  }

  override async request(request: OutboundRequest): Promise<OutboundResponse> {
    const { status, headers, chunks } = await this.stream(request);
    const pieces: Buffer[] = [];
    for await (const piece of chunks) pieces.push(piece);
    const body = pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces);
    // Yields before a large body: undici sends waiting requests only after the event loop has read the sockets.
    await turns.next(body.length > LARGE_BYTES);
    return { status, headers, body };
  }

  override async stream(request: OutboundRequest): Promise<OutboundStream> {
    const target = this.#policy.checkUrl(request.url, request.trust);
    const headers = this.#headers(request.headers ?? {});
    const span = openClientSpan(request.method, target);
    const traceparent = request.sendsTraceparent === true && span !== null ? traceparentOf(span) : null;
    if (traceparent !== null) headers['traceparent'] = traceparent;
    const deadline = egressDeadline(request.timeoutMs, request.signal, this.#closing.signal);
    try {
      const response = await this.#send(request, target, headers, deadline.signal);
      recordStatus(span, response.statusCode);
      return this.#answer(request, response, deadline, span);
    } catch (error) {
      deadline.clear();
      recordFailure(span, error);
      span?.end();
      throw toEgressError(error);
    }
  }

  override async check(url: string, trust?: Trust): Promise<void> {
    const target = this.#policy.checkUrl(url, trust);
    const deadline = egressDeadline(this.#limits.connectMs, this.#closing.signal);
    try {
      await resolveAllowed(target, { policy: this.#policy, resolver: this.#resolver, signal: deadline.signal });
    } finally {
      deadline.clear();
    }
  }

  override async close(): Promise<void> {
    const reason = new EgressError('aborted', { rule: 'closed' });
    this.#closing.abort(reason);
    await this.#pools.destroy(reason);
  }

  #send(
    request: OutboundRequest,
    target: CheckedUrl,
    headers: Record<string, string>,
    signal: AbortSignal,
  ): Promise<Dispatcher.ResponseData> {
    signal.throwIfAborted();
    const firstByteMs = Math.min(request.firstByteMs ?? this.#limits.firstByteMs, request.timeoutMs);
    const pool = this.#pools.get(target, request.poolKey ?? '');
    // undici observes the signal only once the request has a connection.
    return unlessAborted(
      pool.request({
        method: request.method,
        path: target.path,
        headers,
        body: request.body ?? null,
        headersTimeout: Math.ceil(firstByteMs),
        // undici closes the connection after a body of a method unknown to it, such as REPORT, unless told otherwise.
        ...(request.body != null && { reset: false }),
        signal,
      }),
      signal,
    );
  }

  #answer(
    { method, maxBytes, trust }: OutboundRequest,
    { statusCode, headers: raw, body }: Dispatcher.ResponseData,
    deadline: Deadline,
    span: Span | null,
  ): OutboundStream {
    const headers = joined(raw);
    const encoding = headers['content-encoding'];
    try {
      // Without a body (RFC 9110 §6.4.1) these fields describe the response to a GET.
      const hasBody = method !== 'HEAD' && statusCode !== 204 && statusCode !== 304;
      if (hasBody && Number(headers['content-length'] ?? 0) > maxBytes) {
        throw new EgressError('too-large', { rule: 'content-length' });
      }
      if (hasBody && isCoded(encoding)) {
        delete headers['content-encoding'];
        delete headers['content-length'];
      }
      // Providers of the operator's choice pass on texts of strangers, which may compress without limit.
      const ratio = trust === 'configured' ? Infinity : this.#limits.ratio;
      const chunks = decodedBody(body, hasBody ? encoding : undefined, { ...this.#limits, ratio, maxBytes });
      return { status: statusCode, headers, chunks: clearing(chunks, deadline, span) };
    } catch (error) {
      body.on('error', () => undefined).destroy(); // the error is thrown here, nothing reads the body
      throw error;
    }
  }

  /** @throws EgressError bad-url for a reserved header */
  #headers(given: Record<string, string>): Record<string, string> {
    const headers: Record<string, string> = { 'user-agent': 'unified-calendar', 'accept-encoding': ACCEPT_ENCODING };
    for (const [name, value] of Object.entries(given)) {
      const key = name.toLowerCase();
      if (OWN_HEADERS.has(key)) throw new EgressError('bad-url', { rule: `header ${key}` });
      headers[key] = value;
    }
    return headers;
  }
}

async function* clearing(
  chunks: AsyncIterable<Buffer>,
  deadline: Deadline,
  span: Span | null,
): AsyncGenerator<Buffer, void, undefined> {
  try {
    yield* chunks;
  } catch (error) {
    recordFailure(span, error);
    throw error;
  } finally {
    deadline.clear();
    span?.end();
  }
}

/** `fromEntries` defines own properties: a header named `__proto__` stays a header. */
function joined(headers: Dispatcher.ResponseData['headers']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), Array.isArray(value) ? value.join(', ') : value]],
    ),
  );
}

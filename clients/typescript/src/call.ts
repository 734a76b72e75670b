import { toError, UnifiedCalendarNetworkError } from './errors.js';
import { OPERATIONS } from './generated/operations.gen.js';
import type { Call, IdempotencyOptions, RequestOptions, VersionOptions } from './operation.js';
import { pause, pauseMs } from './retries.js';

export interface ClientOptions {
  /** Where the service is, without `/api`: `https://calendar.example.com`. */
  baseUrl: string;
  /** Key of the application: `uck_…`. */
  apiKey: string;
  /** Instead of the platform's own. */
  fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /** Milliseconds that one try may take. @default 30000 */
  timeoutMs?: number | undefined;
  /** How often reads, and writes that have an idempotency key, are repeated when that may help. @default 2 */
  retries?: number | undefined;
}

interface Asked extends RequestOptions {
  url: string;
  method: string;
  headers: Record<string, string>;
  body?: string;
}

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_RETRIES = 2;

/** Asks the service as the application that the key belongs to. */
export function caller(options: ClientOptions): Call {
  const { apiKey, timeoutMs = DEFAULT_TIMEOUT_MS, retries = DEFAULT_RETRIES } = options;
  const base = options.baseUrl.replace(/\/+$/, '');
  // Looked up at each call, and called without an owner: browsers refuse a fetch that has another `this`.
  const send = options.fetch ?? ((url, init) => globalThis.fetch(url, init));

  return async <Answer>(
    id: keyof typeof OPERATIONS,
    { params, body }: { params?: unknown; body?: unknown },
    given: RequestOptions & IdempotencyOptions & VersionOptions = {},
  ) => {
    const { method, path } = OPERATIONS[id];
    const isPost = method === 'POST';
    const idempotencyKey = given.idempotencyKey ?? (isPost && retries > 0 ? crypto.randomUUID() : undefined);
    const asked: Asked = {
      timeoutMs,
      ...given,
      method,
      url: base + address(path, (params ?? {}) as Parameters),
      headers: {
        accept: 'application/json',
        'x-api-key': apiKey,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...(given.requestId !== undefined && { 'x-request-id': given.requestId }),
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        ...(given.ifMatch !== undefined && { 'if-match': given.ifMatch }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    };
    const repetitions = method === 'GET' || isPost ? retries : 0;
    for (let failures = 1; ; failures += 1) {
      try {
        return (await answerTo(asked, send)) as Answer;
      } catch (failure) {
        const waitMs = failures > repetitions ? null : pauseMs(failure, failures);
        if (waitMs === null) throw failure;
        await pause(waitMs, given.signal);
      }
    }
  };
}

/** One try. */
async function answerTo(asked: Asked, send: NonNullable<ClientOptions['fetch']>): Promise<unknown> {
  const { url, method, headers, body, signal, timeoutMs = DEFAULT_TIMEOUT_MS, onResponse } = asked;
  const timeout = AbortSignal.timeout(timeoutMs);
  const either = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
  const answered = async <T>(step: () => Promise<T>): Promise<T> => {
    try {
      return await step();
    } catch (cause) {
      signal?.throwIfAborted();
      const what = timeout.aborted ? `no answer within ${timeoutMs} ms` : 'no answer';
      throw new UnifiedCalendarNetworkError(`${method} ${url.split('?')[0]}: ${what}`, { cause });
    }
  };
  // A redirect is not followed: the key is for this service alone.
  const request: RequestInit = { method, headers, body, signal: either, redirect: 'manual' };
  const response = await answered(() => send(url, request));
  onResponse?.(response);
  const text = await answered(() => response.text());
  if (!response.ok) throw toError(response, text);
  try {
    return JSON.parse(text);
  } catch {
    throw toError(response, text);
  }
}

type Parameters = Record<string, string | number | boolean | null | undefined>;

/** Path and query. @throws TypeError for an id that would change the path */
function address(template: string, params: Parameters): string {
  const query = new URLSearchParams();
  const named = new Set<string>();
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    named.add(name);
    const value = String(params[name] ?? '');
    if (/^\.{0,2}$/.test(value)) throw new TypeError(`${name} is not an id: '${value}'`);
    return encodeURIComponent(value);
  });
  for (const [name, value] of Object.entries(params)) {
    if (!named.has(name) && value != null) query.set(name, String(value));
  }
  const search = query.toString();
  return search === '' ? path : `${path}?${search}`;
}

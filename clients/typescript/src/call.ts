import { parsed, toError, UnifiedCalendarNetworkError } from './errors.js';
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
  /** Gets a record of each try when it has ended. What it throws is ignored. */
  logger?: ((record: TryRecord) => void) | undefined;
}

/** One try of a request, for a log or metrics. It holds no key, no query and no body. */
export interface TryRecord {
  /** For example `listEvents`. */
  operation: keyof typeof OPERATIONS;
  method: string;
  /** With ids, without the query. */
  url: string;
  /** 1 for the first. */
  attempt: number;
  durationMs: number;
  /** null: there was no answer. */
  status: number | null;
  /** Names the request in the logs of the service; null when there was no answer. */
  requestId: string | null;
  /** Why it failed; undefined when it did not. */
  error?: unknown;
  /** When it will be repeated, milliseconds from now; null: it will not be. */
  retryInMs: number | null;
}

interface Asked extends RequestOptions {
  url: string;
  method: string;
  headers: Record<string, string>;
  timeoutMs: number;
  body?: string;
}

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_RETRIES = 2;

/** Asks the service as the application that the key belongs to. */
export function caller(options: ClientOptions): Call {
  const { apiKey, timeoutMs = DEFAULT_TIMEOUT_MS, retries = DEFAULT_RETRIES, logger } = options;
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
      ...given,
      timeoutMs: given.timeoutMs ?? timeoutMs,
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
    for (let attempt = 1; ; attempt += 1) {
      const record = recorder(logger, id, asked, attempt);
      try {
        const response = (await answerTo(record.watched, send)) as Answer;
        record.ended(null);
        return response;
      } catch (error) {
        const waitMs = attempt > repetitions ? null : pauseMs(error, attempt);
        record.ended(waitMs, error);
        if (waitMs === null) throw error;
        await pause(waitMs, given.signal);
      }
    }
  };
}

/** Records one try for the logger. */
function recorder(
  logger: ClientOptions['logger'],
  operation: keyof typeof OPERATIONS,
  asked: Asked,
  attempt: number,
): { watched: Asked; ended: (retryInMs: number | null, error?: unknown) => void } {
  if (logger === undefined) return { watched: asked, ended: () => undefined };
  const { method, url } = asked;
  const begunMs = performance.now();
  let response: Pick<Response, 'status' | 'headers'> | undefined;
  const onResponse = (given: Pick<Response, 'status' | 'headers'>) => {
    response = given;
    asked.onResponse?.(given);
  };
  const ended = (retryInMs: number | null, error?: unknown) => {
    const durationMs = performance.now() - begunMs;
    const status = response?.status ?? null;
    const requestId = response?.headers.get('x-request-id') ?? null;
    const record = {
      operation,
      method,
      url: url.split('?')[0] ?? '',
      attempt,
      durationMs,
      status,
      requestId,
      retryInMs,
    };
    try {
      logger(error === undefined ? record : { ...record, error });
    } catch {
      // The request did not fail because its record could not be kept.
    }
  };
  return { watched: { ...asked, onResponse }, ended };
}

/** One try. */
async function answerTo(asked: Asked, send: NonNullable<ClientOptions['fetch']>): Promise<unknown> {
  const { url, method, headers, body, signal, timeoutMs, onResponse } = asked;
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
  const answer = parsed(text);
  if (!response.ok || typeof answer !== 'object' || answer === null) throw toError(response, text);
  return answer;
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

import { Svix } from 'svix';
import { EgressError, parseRetryAfter, type Egress } from '#egress';
import { responseText } from './sender.js';
import { MAX_RETRY_AFTER_MS } from './delivery-policy.js';

/** Limit of a response in bytes; a page of attempts with response texts stays below. */
const MAX_RESPONSE_BYTES = 10 * 1_024 * 1_024;
const KEPT_BYTES = 1_024;

export class SvixErrorBody extends Error {
  override readonly name = 'SvixErrorBody';

  constructor(
    readonly status: number,
    /** Start of the response body, safe to store. */
    readonly detail: string,
    readonly retryAfterMs: number | null,
  ) {
    super(`Svix answered ${status}`);
  }
}

export interface SvixConnectionOptions {
  egress: Egress;
  /** Root of the server, without `/api/v1`. */
  serverUrl: string;
  token: string;
  nowMs: () => number;
  monotonicMs?: () => number;
}

/** `timeoutMs` limits all calls together. */
export interface SvixCalls {
  applicationId: string;
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

export class SvixConnection {
  constructor(private readonly options: SvixConnectionOptions) {}

  /** The methods of the client throw SvixErrorBody for an error response and EgressError without a response. */
  open({ applicationId, timeoutMs, signal }: SvixCalls): Svix {
    const { egress, serverUrl, token, nowMs, monotonicMs = () => performance.now() } = this.options;
    const endsAtMs = monotonicMs() + timeoutMs;
    return new Svix(token, {
      serverUrl,
      retryScheduleInMs: [],
      fetch: async (input, init) => {
        const leftMs = endsAtMs - monotonicMs();
        if (leftMs < 1) throw new EgressError('timeout');
        const response = await egress.request({
          method: init?.method ?? 'GET',
          url: input instanceof Request ? input.url : String(input),
          trust: 'configured',
          headers: { ...Object.fromEntries(new Headers(init?.headers)), 'user-agent': 'unified-calendar-webhooks' },
          ...(typeof init?.body === 'string' && { body: init.body }),
          timeoutMs: leftMs,
          maxBytes: MAX_RESPONSE_BYTES,
          poolKey: `svix:${applicationId}`,
          signal,
        });
        if (response.status < 200 || response.status > 299) {
          const retryAfterMs = parseRetryAfter(response.headers['retry-after'], nowMs(), MAX_RETRY_AFTER_MS);
          const detail = responseText(response.body, KEPT_BYTES).replaceAll(token, '[token]');
          throw new SvixErrorBody(response.status, detail, retryAfterMs);
        }
        return new Response(jsonObject(response.body), { status: response.body.length === 0 ? 204 : response.status });
      },
    });
  }
}

/** The client does not validate response bodies. */
function jsonObject(body: Buffer): string | null {
  if (body.length === 0) return null;
  const text = body.toString();
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return text;
  } catch (cause) {
    throw new EgressError('invalid-response', { cause });
  }
  throw new EgressError('invalid-response');
}

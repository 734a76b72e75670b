import type { Egress } from '#egress';
import { type Attempt, readJsonObject } from '#providers/kit/calls';
import { faultOf } from './fault-body.js';

/** Largest answer accepted, bytes: a page of 2,500 long events stays below. */
const MAX_ANSWER_BYTES = 20 * 1024 * 1024;

/** Google compresses for clients that say `gzip` here, too: https://developers.google.com/workspace/calendar/api/guides/performance */
const USER_AGENT = 'unified-calendar (gzip)';

/** Where the official client believes the API to be. */
const CLIENT_ROOT = 'https://www.googleapis.com/calendar/v3/';

const CONDITIONS = ['if-match', 'if-none-match'] as const;

/** What the official client asks its `auth` to send; the options that matter here. */
export interface ClientRequest {
  url: string;
  method: string;
  headers: Headers;
  params?: Record<string, unknown>;
  paramsSerializer?: (params: Record<string, unknown>) => string;
  data?: unknown;
}

export interface TransportOptions {
  egress: Egress;
  /** Root of the Calendar API, with a slash at its end. */
  root: string;
  accessToken: string;
  poolKey: string;
  signal: AbortSignal;
  nowMs: () => number;
}

/**
 * Sends what the official client puts together: given to it as `auth`, whose `request` it calls in place of its own HTTP
 * client. The token goes to the root alone, no header of the client's tells about this process, nothing is followed or
 * repeated, and no error holds the request.
 */
export class Transport {
  #attempt: Attempt | null = null;

  constructor(private readonly options: TransportOptions) {}

  /** Runs `send`, which calls the client once and at once, as this try. */
  as<T>(attempt: Attempt, send: () => T): T {
    this.#attempt = attempt;
    try {
      return send();
    } finally {
      this.#attempt = null;
    }
  }

  /** @throws GoogleFault, EgressError; TypeError outside of {@link as} */
  async request({ url, method, headers, params, paramsSerializer, data }: ClientRequest): Promise<{
    data: unknown;
    status: number;
    headers: Record<string, string>;
  }> {
    const attempt = this.#attempt;
    if (attempt === null) throw new TypeError('The client is called outside of GoogleConnection.call');
    if (!url.startsWith(CLIENT_ROOT)) throw new TypeError('The client calls something else than the Calendar API');
    const { egress, root, accessToken, poolKey, signal, nowMs } = this.options;
    const sent: Record<string, string> = {
      authorization: `Bearer ${accessToken}`,
      accept: 'application/json',
      'user-agent': USER_AGENT,
    };
    for (const name of CONDITIONS) {
      const condition = headers.get(name);
      if (condition === null) continue;
      sent[name] = condition;
      attempt.isConditional = true;
    }
    if (data !== undefined) sent['content-type'] = 'application/json';
    const query = params === undefined ? '' : (paramsSerializer?.(params) ?? '');
    const answer = await egress.request({
      method,
      url: root + url.slice(CLIENT_ROOT.length) + (query === '' ? '' : `?${query}`),
      trust: 'configured',
      headers: sent,
      ...(data !== undefined && { body: JSON.stringify(data) }),
      timeoutMs: attempt.timeoutMs,
      maxBytes: MAX_ANSWER_BYTES,
      signal,
      poolKey,
    });
    const { status, body } = answer;
    if (status < 200 || status > 299) throw faultOf(answer, { nowMs: nowMs(), secret: accessToken });
    const isEmpty = body.length === 0 && (method === 'DELETE' || status === 204);
    return { status, headers: {}, data: isEmpty ? undefined : await readJsonObject(body) };
  }
}

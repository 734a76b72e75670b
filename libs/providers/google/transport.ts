import { AsyncLocalStorage } from 'node:async_hooks';
import { calendar_v3 } from '@googleapis/calendar';
import type { Egress } from '#egress';
import { type Attempt, readJsonObject } from '#providers/kit/calls';
import { faultOf } from './fault-body.js';

/** Largest response accepted, bytes: a page of 2,500 long events stays below. */
const MAX_RESPONSE_BYTES = 20 * 1024 * 1024;

/** Google compresses for clients that say `gzip` here, too: https://developers.google.com/workspace/calendar/api/guides/performance */
const USER_AGENT = 'unified-calendar (gzip)';

/** Where the official client believes the API to be. Its option `rootUrl` keeps the origin of a root alone. */
const CLIENT_ROOT = 'https://www.googleapis.com/calendar/v3/';

const CONDITIONS = ['if-match', 'if-none-match'] as const;

/** The documented hook of the client's HTTP library for another way out: https://github.com/googleapis/gaxios#request-options */
type Adapter = NonNullable<calendar_v3.Options['adapter']>;

export interface TransportOptions {
  egress: Egress;
  /** Root of the Calendar API, with a slash at its end. */
  root: string;
  accessToken: string;
  poolKey: string;
  signal: AbortSignal;
  nowMs: () => number;
}

/** The try that a request of the client belongs to: the client has no place for it. */
const attempts = new AsyncLocalStorage<Attempt>();

/** Runs `send`, which calls the client, as this try. @throws GoogleFault, EgressError */
export async function asAttempt<T>(attempt: Attempt, send: () => Promise<T>): Promise<T> {
  try {
    return await attempts.run(attempt, send);
  } catch (error) {
    // The client's HTTP library wraps what its adapter throws in an error that holds the request.
    throw error instanceof Error ? (error.cause ?? error) : error;
  }
}

/** The official client, that sends what it builds through the guarded egress. Call it inside {@link asAttempt} only. */
export function clientOver(options: TransportOptions): calendar_v3.Calendar {
  const adapter: Adapter = async (request) => {
    const { status, data } = await exchange(options, request);
    return Object.assign(new Response(null, { status }), { config: request, data: data as never });
  };
  return new calendar_v3.Calendar({
    adapter,
    retry: false,
    // Otherwise the environment could name another host, and a proxy.
    universeDomain: 'googleapis.com',
    noProxy: [/^/],
  });
}

/**
 * The token goes to the root alone, and nothing is followed. The client's own headers describe this process, and none of
 * its options leaves them out.
 * @throws GoogleFault, EgressError; TypeError outside of {@link asAttempt}
 */
async function exchange(
  { egress, root, accessToken, poolKey, signal, nowMs }: TransportOptions,
  { url, method = 'GET', headers, body }: Parameters<Adapter>[0],
): Promise<{ status: number; data: unknown }> {
  const attempt = attempts.getStore();
  if (attempt === undefined) throw new TypeError('The client is called outside of GoogleConnection.call');
  if (!url.href.startsWith(CLIENT_ROOT)) throw new TypeError('The client calls something else than the Calendar API');
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
  if (typeof body === 'string') sent['content-type'] = 'application/json';
  const response = await egress.request({
    method,
    url: root + url.href.slice(CLIENT_ROOT.length),
    trust: 'configured',
    headers: sent,
    ...(typeof body === 'string' && { body }),
    timeoutMs: attempt.timeoutMs,
    maxBytes: MAX_RESPONSE_BYTES,
    signal,
    poolKey,
  });
  const { status } = response;
  if (status < 200 || status > 299) throw faultOf(response, { nowMs: nowMs(), secret: accessToken });
  const isEmpty = response.body.length === 0 && (method === 'DELETE' || status === 204);
  return { status, data: isEmpty ? undefined : await readJsonObject(response.body) };
}

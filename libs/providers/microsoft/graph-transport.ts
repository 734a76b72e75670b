import { randomUUID } from 'node:crypto';
import {
  Client,
  ResponseType,
  type Context,
  type FetchOptions,
  type Middleware,
} from '@microsoft/microsoft-graph-client';
import type { Egress } from '#egress';
import { readJsonObject } from '#providers/kit/calls';
import type { GraphCall } from './contract.js';
import { faultOf } from './fault-body.js';

/** Largest answer accepted, bytes: a page of 1,000 events with long bodies stays below. */
const MAX_ANSWER_BYTES = 20 * 1024 * 1024;

/** Where our middleware finds what belongs to one try, among the client's options. */
const TRY = 'unifiedCalendarTry';

export interface GraphTransportOptions {
  egress: Egress;
  /** Root of Graph v1.0, without a slash at its end. */
  root: string;
  nowMs: () => number;
}

/** A call as it is sent: header names in lower case, query values percent-encoded. */
export interface GraphRequest extends Required<Pick<GraphCall, 'method' | 'path'>> {
  query: Readonly<Record<string, string>>;
  headers: Readonly<Record<string, string>>;
  body?: unknown;
}

/** For whom a try is, and how long it may take. */
export interface GraphTry {
  accessToken: string;
  poolKey: string;
  signal: AbortSignal;
  timeoutMs: number;
}

/** What the client hands to middleware: bodies as JSON text. */
type ClientOptions = Pick<FetchOptions, 'method'> & { headers: Record<string, string>; body?: string; [TRY]: GraphTry };

/** What our middleware leaves behind: the client would wrap an error that it threw. */
type Outcome = { value: unknown } | { error: unknown };

/**
 * Sends what the official client puts together, through the guarded egress: one middleware of ours in place of the whole
 * chain of the client's own, so that nothing is repeated, followed or told about this process. The token goes to the root
 * alone, and no error holds the request. One for all accounts.
 */
export class GraphTransport {
  private readonly client: Client;

  constructor(private readonly options: GraphTransportOptions) {
    const { origin, pathname } = new URL(options.root);
    const at = pathname.lastIndexOf('/');
    const middleware: Middleware = { execute: (context) => this.execute(context) };
    this.client = Client.initWithMiddleware({
      middleware,
      baseUrl: origin + pathname.slice(0, at),
      defaultVersion: pathname.slice(at + 1),
    });
  }

  /**
   * @returns the parsed body; null when there was none
   * @throws GraphFault, EgressError
   */
  async send({ method, path, query, headers, body }: GraphRequest, as: GraphTry): Promise<unknown> {
    const request = this.client
      .api(path)
      .query({ ...query })
      .headers({ ...headers });
    request.option(TRY, as).responseType(ResponseType.RAW);
    const sent = {
      GET: () => request.get(),
      POST: () => request.post(body),
      PATCH: () => request.patch(body),
      DELETE: () => request.delete(),
    }[method]() as Promise<Outcome>;
    const outcome = await sent;
    if ('error' in outcome) throw outcome.error;
    return outcome.value;
  }

  private async execute(context: Context): Promise<void> {
    let outcome: Outcome;
    try {
      outcome = { value: await this.exchange(context) };
    } catch (error) {
      outcome = { error };
    }
    // With ResponseType.RAW the client hands back whatever stands here.
    context.response = outcome as unknown as Response;
  }

  private async exchange({ request, options }: Context): Promise<unknown> {
    const { egress, root, nowMs } = this.options;
    const { method = 'GET', headers, body, [TRY]: as } = options as unknown as ClientOptions;
    const { 'Content-Type': contentType, ...own } = headers;
    const url = String(request);
    if (!url.startsWith(`${root}/`)) throw new TypeError('The client calls something else than Graph');
    const answer = await egress.request({
      method,
      url,
      trust: 'configured',
      headers: {
        ...own,
        ...(body !== undefined && { 'content-type': contentType }),
        authorization: `Bearer ${as.accessToken}`,
        accept: 'application/json',
        'user-agent': 'unified-calendar',
        'client-request-id': randomUUID(),
      },
      ...(body !== undefined && { body }),
      timeoutMs: as.timeoutMs,
      maxBytes: MAX_ANSWER_BYTES,
      signal: as.signal,
      poolKey: as.poolKey,
    });
    if (answer.status < 200 || answer.status > 299) {
      throw faultOf(answer, { nowMs: nowMs(), secret: as.accessToken });
    }
    return answer.body.length === 0 ? null : await readJsonObject(answer.body);
  }
}

import { randomUUID } from 'node:crypto';
import {
  Client,
  GraphClientError,
  ResponseType,
  type Context,
  type GraphRequest as ClientRequest,
} from '@microsoft/microsoft-graph-client';
import type { Egress } from '#egress';
import { readJsonObject } from '#providers/kit/calls';
import { readApiError } from './errors.js';

/** Fits a page of 1,000 events with long bodies. */
const MAX_RESPONSE_BYTES = 20 * 1024 * 1024;

interface GraphTransportOptions {
  egress: Egress;
  /** Root of Graph v1.0, without a slash at its end. */
  root: string;
  nowMs: () => number;
}

export interface GraphCall {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below `/v1.0`, percent-encoded: `/me/calendars/AAMk%3D/events`. */
  path: string;
  /** Not yet encoded. */
  query?: Readonly<Record<string, string>>;
  /** Additional headers. A preference in `prefer` overrides the usual one. */
  headers?: Readonly<Record<string, string>>;
  body?: unknown;
}

/** A call before it is sent: header names in lower case, the query as text, encoded. */
export type GraphRequest = Omit<GraphCall, 'query'> & Required<Pick<GraphCall, 'headers'>> & { query: string };

/** One try. The client passes it to the middleware by its class. */
export class GraphTry {
  constructor(
    readonly accessToken: string,
    readonly poolKey: string,
    readonly signal: AbortSignal,
    readonly timeoutMs: number,
  ) {}
}

/** The client's options for middleware. */
interface SentOptions {
  method: string;
  headers: Record<string, string>;
  body?: string;
}

/** Our middleware replaces the client's chain, which would retry, follow redirects and describe this process. */
export class GraphTransport {
  private readonly client: Client;

  constructor(private readonly options: GraphTransportOptions) {
    const { origin, pathname } = new URL(options.root);
    const at = pathname.lastIndexOf('/');
    this.client = Client.initWithMiddleware({
      middleware: { execute: (context) => this.execute(context) },
      baseUrl: origin + pathname.slice(0, at),
      defaultVersion: pathname.slice(at + 1),
    });
  }

  /** @returns the parsed body; null when it is empty @throws GraphApiError, EgressError */
  async send({ method, path, query, headers, body }: GraphRequest, as: GraphTry): Promise<unknown> {
    const request = this.client
      .api(path)
      .query(query === '' ? {} : query)
      .headers({ ...headers })
      .middlewareOptions([as])
      .responseType(ResponseType.RAW);
    const response = await sent(request, method, body).catch((error: unknown) => {
      throw error instanceof GraphClientError ? (error.customError ?? error) : error;
    });
    if (response.body === null) return null;
    return readJsonObject(await bytesOf(response.body));
  }

  private async execute(context: Context): Promise<void> {
    try {
      context.response = await this.exchange(context);
    } catch (error) {
      // Of any other error the client keeps only the text.
      throw Object.assign(new GraphClientError(), { customError: error });
    }
  }

  /** Sends the token to the root alone. @throws GraphApiError, EgressError */
  private async exchange({ request, options, middlewareControl }: Context): Promise<Response> {
    const { egress, root, nowMs } = this.options;
    const { accessToken, poolKey, signal, timeoutMs } = middlewareControl?.getMiddlewareOptions(GraphTry) as GraphTry;
    const { method, headers, body } = options as unknown as SentOptions;
    const { 'Content-Type': contentType, ...own } = headers;
    const url = String(request);
    if (!url.startsWith(`${root}/`)) throw new TypeError('The client calls something else than Graph');
    const response = await egress.request({
      method,
      url,
      trust: 'configured',
      headers: {
        ...own,
        ...(body !== undefined && { 'content-type': contentType }),
        authorization: `Bearer ${accessToken}`,
        accept: 'application/json',
        'user-agent': 'unified-calendar',
        'client-request-id': randomUUID(),
      },
      ...(body !== undefined && { body }),
      timeoutMs,
      maxBytes: MAX_RESPONSE_BYTES,
      signal,
      poolKey,
    });
    const { status } = response;
    if (status < 200 || status > 299) throw readApiError(response, { nowMs: nowMs(), secret: accessToken });
    // RFC 9110 §15.3.6: a 205 response has no body.
    const isEmpty = response.body.length === 0 || status === 205;
    // A stream passes the buffer on. A Response would copy up to 20 MB.
    return new Response(isEmpty ? null : ReadableStream.from([response.body]), { status });
  }
}

function sent(request: ClientRequest, method: GraphCall['method'], body: unknown): Promise<Response> {
  const send: Record<GraphCall['method'], () => Promise<Response>> = {
    GET: () => request.get(),
    POST: () => request.post(body),
    PATCH: () => request.patch(body),
    DELETE: () => request.delete(),
  };
  return send[method]();
}

async function bytesOf(stream: NonNullable<Response['body']>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}

export function requestOf({ method, path, query = {}, headers, body }: GraphCall): GraphRequest {
  const pairs = Object.entries(query).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return { method, path, query: pairs.join('&'), headers: headersOf(headers), body };
}

export function headersOf(own: GraphCall['headers'] = {}): Record<string, string> {
  const headers = Object.fromEntries(Object.entries(own).map(([name, value]) => [name.toLowerCase(), value]));
  return { ...headers, prefer: preferHeader(headers['prefer']) };
}

/**
 * Usual preferences: ids that survive moves between folders, times in UTC, plain-text bodies
 * (https://learn.microsoft.com/graph/outlook-immutable-id, https://learn.microsoft.com/graph/api/event-get).
 */
const PREFERENCES: readonly (readonly [name: string, preference: string])[] = [
  ['idtype', 'IdType="ImmutableId"'],
  ['outlook.timezone', 'outlook.timezone="UTC"'],
  ['outlook.body-content-type', 'outlook.body-content-type="text"'],
];

/** One preference of a `Prefer` header (RFC 7240 §2); a quoted value may hold commas. */
const PREFERENCE = /(?:[^,"]|"(?:[^"\\]|\\.)*")+/g;

const USUAL = PREFERENCES.map(([, preference]) => preference).join(', ');

/** Builds a `Prefer` header. @param own preferences that override the usual ones of the same name */
export function preferHeader(own: string | undefined): string {
  if (own === undefined) return USUAL;
  const wanted = new Map(PREFERENCES);
  for (const match of own.matchAll(PREFERENCE)) {
    const preference = match[0].trim();
    const name = preference.split('=', 1)[0]?.trim().toLowerCase() ?? '';
    if (name !== '') wanted.set(name, preference);
  }
  return [...wanted.values()].join(', ');
}

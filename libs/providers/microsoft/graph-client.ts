import type { Attempt, CallPolicy, Repeat } from '#providers/kit/calls';
import type { GraphBatchAnswer, GraphCall } from './contract.js';
import type { LinkTarget } from './graph-links.js';
import { GraphBatch } from './graph-batch.js';
import { GraphTry, type GraphRequest, type GraphTransport } from './graph-transport.js';
import { preferHeader } from './preferences.js';

export interface GraphClientOptions {
  transport: GraphTransport;
  policy: CallPolicy;
  accessToken: string;
  poolKey: string;
  signal: AbortSignal;
  nowMs: () => number;
  /** Runs one try when it is the account's turn. @param requests that it counts for. @throws DomainError RateLimited */
  admit: <R>(requests: number, attempt: () => Promise<R>) => Promise<R>;
}

/** Graph with one access token, under the policy of calls. */
export class GraphClient {
  constructor(private readonly options: GraphClientOptions) {}

  /** See {@link GraphConnection.call}. */
  call(repeat: Repeat, call: GraphCall): Promise<unknown> {
    return this.send(repeat, requestOf(call));
  }

  /** Reads behind a link. @param headers names in any case */
  follow({ path, query }: LinkTarget, headers: GraphCall['headers']): Promise<unknown> {
    return this.send('read', { method: 'GET', path, query, headers: headersOf(headers) });
  }

  /** See {@link GraphConnection.batch}. */
  async batch(calls: readonly GraphCall[]): Promise<GraphBatchAnswer[]> {
    const { policy, signal, admit, accessToken, nowMs } = this.options;
    const batch = new GraphBatch(calls.map(requestOf), { secret: accessToken, nowMs });
    while (batch.nextParts > 0) {
      await policy.run({
        repeat: 'read',
        signal,
        admit: (attempt) => admit(batch.nextParts, attempt),
        send: async (attempt) => batch.take(await this.try(batch.next(), attempt)),
      });
    }
    return batch.answers();
  }

  private send(repeat: Repeat, request: GraphRequest): Promise<unknown> {
    const { policy, signal, admit } = this.options;
    return policy.run({
      repeat,
      signal,
      admit: (attempt) => admit(1, attempt),
      send: (attempt) => this.try(request, attempt),
    });
  }

  private try(request: GraphRequest, attempt: Attempt): Promise<unknown> {
    const { transport, accessToken, poolKey, signal } = this.options;
    attempt.isConditional = request.headers['if-match'] !== undefined;
    return transport.send(request, new GraphTry(accessToken, poolKey, signal, attempt.timeoutMs));
  }
}

function requestOf({ method, path, query = {}, headers, body }: GraphCall): GraphRequest {
  const encoded = Object.entries(query).map(([name, value]) => [name, encodeURIComponent(value)] as const);
  return { method, path, query: Object.fromEntries(encoded), headers: headersOf(headers), body };
}

function headersOf(own: GraphCall['headers'] = {}): Record<string, string> {
  const headers = Object.fromEntries(Object.entries(own).map(([name, value]) => [name.toLowerCase(), value]));
  return { ...headers, prefer: preferHeader(headers['prefer']) };
}

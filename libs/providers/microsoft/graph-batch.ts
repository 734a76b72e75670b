import { listOf, recordOf } from '#providers/kit/events';
import { type GraphApiError, malformedResponse, REFUSALS, apiErrorOf } from './errors.js';
import type { GraphRequest } from './graph-transport.js';

/** Graph's maximum: https://learn.microsoft.com/graph/json-batching */
const MAX_PARTS = 20;
/** Status of a part that Graph skipped because the part before it failed. */
const FAILED_DEPENDENCY = 424;

const UNCONDITIONAL = { timeoutMs: 0, isConditional: false };

export interface GraphBatchResponse {
  status: number;
  /** Parsed; null when empty. */
  body: unknown;
}

interface Part {
  request: GraphRequest;
  response: GraphBatchResponse | null;
}

/** Reads in few round trips. Each part depends on the previous one: Graph would otherwise run four of them at once. */
export class GraphBatch {
  private readonly parts: Part[];

  constructor(
    requests: readonly GraphRequest[],
    private readonly context: { secret: string; nowMs: () => number },
  ) {
    this.parts = requests.map((request) => ({ request, response: null }));
  }

  get nextParts(): number {
    return this.open().length;
  }

  next(): GraphRequest {
    const requests = this.open().map((part, at, parts) => {
      const { method, path, query, headers } = part.request;
      const dependsOn = at === 0 ? undefined : [this.idOf(parts[at - 1]!)];
      return { id: this.idOf(part), method, url: query === '' ? path : `${path}?${query}`, headers, dependsOn };
    });
    return { method: 'POST', path: '/$batch', query: '', headers: {}, body: { requests } };
  }

  /**
   * Reads the answers of a round trip, in any order.
   * @throws GraphApiError with the longest wait when parts need a repeat; DomainError when a part has no answer
   */
  take(body: unknown): void {
    const responses = new Map(
      listOf(recordOf(body)['responses']).map((each) => [recordOf(each)['id'], recordOf(each)]),
    );
    const repeats: GraphApiError[] = [];
    for (const [at, part] of this.open().entries()) {
      const response = responses.get(this.idOf(part));
      if (typeof response?.['status'] !== 'number') throw malformedResponse();
      const { status } = response;
      if (status === FAILED_DEPENDENCY && at > 0) continue;
      const received: GraphBatchResponse = { status, body: response['body'] ?? null };
      const error = status > 299 ? this.readApiError(received, response['headers']) : null;
      if (error !== null && (REFUSALS.isRateLimit(error) || REFUSALS.isTransient(error, UNCONDITIONAL))) {
        repeats.push(error);
      } else {
        part.response = received;
      }
    }
    const [longest] = repeats.sort((one, other) => (other.retryAfterMs ?? 0) - (one.retryAfterMs ?? 0));
    if (longest !== undefined) throw longest;
  }

  responses(): GraphBatchResponse[] {
    return this.parts.flatMap(({ response }) => response ?? []);
  }

  private idOf(part: Part): string {
    return String(this.parts.indexOf(part));
  }

  /** Repeats parts of a round trip until all of them are answered, then goes on to the next parts. */
  private open(): Part[] {
    const first = this.parts.findIndex(({ response }) => response === null);
    const from = first - (first % MAX_PARTS);
    return first < 0 ? [] : this.parts.slice(from, from + MAX_PARTS).filter(({ response }) => response === null);
  }

  private readApiError({ status, body }: GraphBatchResponse, headers: unknown): GraphApiError {
    const lower = Object.entries(recordOf(headers)).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name.toLowerCase(), value] as const] : [],
    );
    return apiErrorOf(
      { status, headers: Object.fromEntries(lower), body },
      { nowMs: this.context.nowMs(), secret: this.context.secret },
    );
  }
}

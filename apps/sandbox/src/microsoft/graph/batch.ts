import type { HttpResponse, HttpRequest } from '../../http/message.js';
import type { GraphResponse } from '../contract.js';
import { IncorrectRequest } from './graph-error.js';
import { AT_ONCE } from './throttle.js';

/** operationId of `POST /$batch`. */
export const BATCH = 'batch';

interface Part {
  id: string;
  method: string;
  url: string;
  headers?: Record<string, string>;
  body?: unknown;
  dependsOn?: string[];
}

interface PartResponse {
  id: string;
  status: number;
  headers: Record<string, string>;
  body?: unknown;
}

const SHOWN_HEADERS: Readonly<Record<string, string>> = {
  'content-type': 'Content-Type',
  'retry-after': 'Retry-After',
  'cache-control': 'Cache-Control',
  location: 'Location',
  'preference-applied': 'Preference-Applied',
  'www-authenticate': 'WWW-Authenticate',
};

/**
 * `POST /$batch`: up to 20 requests in one, four at a time. Responses come in reverse order, which Graph allows.
 * https://learn.microsoft.com/graph/json-batching
 */
export class Batch {
  /** @param outer request whose token applies to every part */
  constructor(
    private readonly outer: HttpRequest,
    private readonly carryOut: (part: HttpRequest) => Promise<HttpResponse>,
  ) {}

  /** @param body already valid by the document's schema @throws IncorrectRequest */
  async run(body: unknown): Promise<GraphResponse> {
    const { requests } = body as { requests: Part[] };
    requireOrder(requests);
    const responses = new Map<string, PartResponse>();
    let waiting = requests;
    while (waiting.length > 0) {
      const wave = waiting.filter(({ dependsOn = [] }) => dependsOn.every((id) => responses.has(id))).slice(0, AT_ONCE);
      for (const response of await Promise.all(wave.map((part) => this.#answer(part, responses)))) {
        responses.set(response.id, response);
      }
      waiting = waiting.filter(({ id }) => !responses.has(id));
    }
    return { status: 200, body: { responses: requests.map(({ id }) => responses.get(id)).reverse() } };
  }

  async #answer(part: Part, responses: ReadonlyMap<string, PartResponse>): Promise<PartResponse> {
    const { id, dependsOn = [] } = part;
    if (dependsOn.some((other) => (responses.get(other)?.status ?? 0) >= 400)) {
      const error = { code: 'FailedDependency', message: 'A request that this one depends on has failed.' };
      return { id, status: 424, headers: { 'Content-Type': 'application/json' }, body: { error } };
    }
    const { status, headers, body } = await this.carryOut(this.#requestOf(part));
    const shown = Object.entries(headers).flatMap(([name, value]) => {
      const spelt = SHOWN_HEADERS[name.toLowerCase()];
      return spelt === undefined ? [] : [[spelt, value] as const];
    });
    return {
      ...{ id, status, headers: Object.fromEntries(shown) },
      ...(body.length > 0 && { body: JSON.parse(body.toString('utf8')) as unknown }),
    };
  }

  #requestOf({ method, url, headers = {}, body }: Part): HttpRequest {
    const [, path = '', query = ''] = /^([^?]*)\??(.*)$/s.exec(url) ?? [];
    const own = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
    return {
      method,
      path: `/v1.0${path}`,
      query: new URLSearchParams(query),
      headers: { ...Object.fromEntries(own), authorization: this.outer.headers['authorization'] ?? '' },
      body: body === undefined ? Buffer.alloc(0) : Buffer.from(JSON.stringify(body)),
    };
  }
}

/** Requires unique ids and dependencies on earlier parts only. @throws IncorrectRequest */
function requireOrder(parts: readonly Part[]): void {
  const seen = new Set<string>();
  for (const { id, url, dependsOn = [] } of parts) {
    if (seen.has(id)) throw badBatch(`id ${id} is given twice`);
    if (/^\/?\$batch\b/.test(url)) throw badBatch('a batch within a batch');
    if (!dependsOn.every((other) => seen.has(other))) throw badBatch(`${id} depends on what does not come before it`);
    seen.add(id);
  }
}

function badBatch(violation: string): IncorrectRequest {
  return new IncorrectRequest(`batch: ${violation}`, 400, 'BadRequest', `Invalid batch payload format: ${violation}.`);
}

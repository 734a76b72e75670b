import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { isInResponse, type FaultAction } from '../faults/fault.js';
import type { FaultList } from '../faults/fault-list.js';
import { misbehave, type ErrorResponses, type Misbehaved } from '../faults/misbehaviour.js';
import { whole, type Delivery } from '../http/delivery.js';
import type { HttpResponse, HttpRequest } from '../http/message.js';
import type { Journal, RequestKind } from '../journal.js';

const compress = promisify(gzip);

export interface Endpoint {
  kind: RequestKind;
  methodId?: string | null;
  /** Address of the user whom the request concerns. */
  subject?: (request: HttpRequest) => string | null;
  /** Admits the request, with a callback for its end, or rejects it. Runs before faults. */
  admit?: (request: HttpRequest) => { leave: () => void } | { turnedAway: HttpResponse };
  answer: (request: HttpRequest) => HttpResponse | Promise<HttpResponse>;
}

export interface FrontDeps {
  journal: Journal;
  faults: FaultList;
  endpoint(request: HttpRequest): Endpoint;
  errorsOf(kind: RequestKind): ErrorResponses;
}

/** Entry of a provider: logs every request and applies its fault. */
export class Front {
  constructor(private readonly deps: FrontDeps) {}

  async handle(request: HttpRequest): Promise<Delivery> {
    const { deliver, answer, isGood } = await this.#handle(request, () => true);
    return isGood && answer !== null ? whole(await encoded(request, answer)) : deliver;
  }

  /** Handles a part of a batch, which has no connection of its own to break. */
  async handlePart(request: HttpRequest): Promise<HttpResponse> {
    const { answer } = await this.#handle(request, isInResponse);
    if (answer === null) throw new Error('a part of a request was not answered');
    return answer;
  }

  async #handle(
    request: HttpRequest,
    canHappen: (action: FaultAction) => boolean,
  ): Promise<Misbehaved & { isGood: boolean }> {
    const endpoint = this.deps.endpoint(request);
    const { kind, methodId = null, subject } = endpoint;
    const user = subject?.(request) ?? null;
    const entry = this.deps.journal.request(request, { kind, methodId, user });
    const admitted = endpoint.admit?.(request);
    if (admitted !== undefined && 'turnedAway' in admitted) {
      entry.status = admitted.turnedAway.status;
      return good(admitted.turnedAway);
    }
    try {
      const action = this.deps.faults.take({ kind, methodId, user }, canHappen);
      const carryOut = (): Promise<HttpResponse> => this.#carryOut(request, endpoint);
      const done =
        action === undefined
          ? good(await carryOut())
          : { ...(await misbehave(action, carryOut, this.deps.errorsOf(kind))), isGood: false };
      entry.status = done.status;
      return done;
    } finally {
      admitted?.leave();
    }
  }

  async #carryOut(request: HttpRequest, { kind, methodId = null, answer }: Endpoint): Promise<HttpResponse> {
    try {
      return await answer(request);
    } catch (error) {
      // A defect of the sandbox must not look like an outage of the provider.
      this.deps.journal.violation(request, methodId, `the sandbox failed: ${(error as Error).message}`);
      process.stderr.write(`${request.method} ${request.path}: ${(error as Error).stack}\n`);
      return this.deps.errorsOf(kind).refusal(500, undefined);
    }
  }
}

function good(answer: HttpResponse): Misbehaved & { isGood: boolean } {
  return { deliver: whole(answer), answer, status: answer.status, isGood: true };
}

async function encoded(request: HttpRequest, response: HttpResponse): Promise<HttpResponse> {
  const headers = { ...response.headers, vary: 'Accept-Encoding' };
  if (response.body.length === 0 || !acceptsGzip(request.headers['accept-encoding'] ?? ''))
    return { ...response, headers };
  return { ...response, headers: { ...headers, 'content-encoding': 'gzip' }, body: await compress(response.body) };
}

/** RFC 9110 §12.5.3; a weight of 0 excludes the coding. */
function acceptsGzip(accepted: string): boolean {
  return accepted
    .toLowerCase()
    .split(',')
    .some((coding) => /^\s*gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*$)[\d.]+\s*)?$/.test(coding));
}

import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { isInAnswer, type FaultAction } from '../faults/fault.js';
import type { FaultList } from '../faults/fault-list.js';
import { misbehave, type ErrorAnswers, type Misbehaved } from '../faults/misbehaviour.js';
import { whole, type Delivery } from '../http/delivery.js';
import type { HttpAnswer, HttpRequest } from '../http/message.js';
import type { Journal, RequestKind } from '../journal.js';

const compress = promisify(gzip);

/** What a request leads to. */
export interface Endpoint {
  kind: RequestKind;
  methodId?: string | null;
  /** Address of whom the request is about. */
  subject?: (request: HttpRequest) => string | null;
  /** Lets the request in, faults and all: what has to happen when it is over. Or turns it away. */
  admit?: (request: HttpRequest) => { leave: () => void } | { turnedAway: HttpAnswer };
  answer: (request: HttpRequest) => HttpAnswer | Promise<HttpAnswer>;
}

export interface FrontDeps {
  journal: Journal;
  faults: FaultList;
  endpoint(request: HttpRequest): Endpoint;
  errorsOf(kind: RequestKind): ErrorAnswers;
}

/** A provider's door: notes every request, and lets it meet the fault that waits for it. */
export class Front {
  constructor(private readonly deps: FrontDeps) {}

  async handle(request: HttpRequest): Promise<Delivery> {
    const { deliver, answer, isGood } = await this.#handle(request, () => true);
    return isGood && answer !== null ? whole(await encoded(request, answer)) : deliver;
  }

  /** A request within another one: it has no connection that could be broken. */
  async handlePart(request: HttpRequest): Promise<HttpAnswer> {
    const { answer } = await this.#handle(request, isInAnswer);
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
      const carryOut = (): Promise<HttpAnswer> => this.#carryOut(request, endpoint);
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

  async #carryOut(request: HttpRequest, { kind, methodId = null, answer }: Endpoint): Promise<HttpAnswer> {
    try {
      return await answer(request);
    } catch (error) {
      // Our own defect must not pass for one of the provider's bad days.
      this.deps.journal.violation(request, methodId, `the sandbox failed: ${(error as Error).message}`);
      process.stderr.write(`${request.method} ${request.path}: ${(error as Error).stack}\n`);
      return this.deps.errorsOf(kind).refusal(500, undefined);
    }
  }
}

function good(answer: HttpAnswer): Misbehaved & { isGood: boolean } {
  return { deliver: whole(answer), answer, status: answer.status, isGood: true };
}

/** The answer in the coding that the request asks for. */
async function encoded(request: HttpRequest, answer: HttpAnswer): Promise<HttpAnswer> {
  const headers = { ...answer.headers, vary: 'Accept-Encoding' };
  if (answer.body.length === 0 || !acceptsGzip(request.headers['accept-encoding'] ?? '')) return { ...answer, headers };
  return { ...answer, headers: { ...headers, 'content-encoding': 'gzip' }, body: await compress(answer.body) };
}

/** RFC 9110 §12.5.3; a weight of 0 forbids. */
function acceptsGzip(accepted: string): boolean {
  return accepted
    .toLowerCase()
    .split(',')
    .some((coding) => /^\s*gzip\s*(?:;\s*q=(?!0(?:\.0*)?\s*$)[\d.]+\s*)?$/.test(coding));
}

import type { FaultList } from '../faults/fault-list.js';
import { misbehave, type ErrorAnswers } from '../faults/misbehaviour.js';
import { encoded } from '../http/compression.js';
import { whole, type Delivery } from '../http/delivery.js';
import type { HttpAnswer, HttpRequest } from '../http/message.js';
import type { Journal, RequestKind } from '../journal.js';

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
    const endpoint = this.deps.endpoint(request);
    const { kind, methodId = null, subject } = endpoint;
    const entry = this.deps.journal.request(request, { kind, methodId, user: subject?.(request) ?? null });
    const admitted = endpoint.admit?.(request);
    if (admitted !== undefined && 'turnedAway' in admitted) {
      entry.status = admitted.turnedAway.status;
      return whole(await encoded(request, admitted.turnedAway));
    }
    try {
      const { deliver, status } = await this.#carryOut(request, endpoint, entry.user);
      entry.status = status;
      return deliver;
    } finally {
      admitted?.leave();
    }
  }

  async #carryOut(
    request: HttpRequest,
    { kind, methodId = null, answer }: Endpoint,
    user: string | null,
  ): Promise<{ deliver: Delivery; status: number | null }> {
    const errors = this.deps.errorsOf(kind);
    const carryOut = async (): Promise<HttpAnswer> => {
      try {
        return await answer(request);
      } catch (error) {
        // Our own defect must not pass for one of the provider's bad days.
        this.deps.journal.violation(request, methodId, `the sandbox failed: ${(error as Error).message}`);
        process.stderr.write(`${request.method} ${request.path}: ${(error as Error).stack}\n`);
        return errors.refusal(500, undefined);
      }
    };
    const action = this.deps.faults.take({ kind, methodId, user });
    if (action !== undefined) return misbehave(action, carryOut, errors);
    const good = await carryOut();
    return { deliver: whole(await encoded(request, good)), status: good.status };
  }
}

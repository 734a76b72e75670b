import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  connectionReset,
  dripping,
  padded,
  resetInBody,
  silence,
  truncated,
  whole,
  type Delivery,
} from '../http/delivery.js';
import type { HttpResponse } from '../http/message.js';
import type { FaultAction } from './fault.js';

/** Error responses of an endpoint; they differ per endpoint. */
export interface ErrorResponses {
  /** Returns the response for a status and a reason of the provider. */
  refusal(status: number, reason: string | undefined): HttpResponse;
  brokenFrontEnd(): HttpResponse;
}

export interface Misbehaved {
  deliver: Delivery;
  /** The completely delivered response; null without one. */
  answer: HttpResponse | null;
  /** null when the client receives no response. */
  status: number | null;
}

/** @param carryOut runs the request; called at most once */
export async function misbehave(
  action: FaultAction,
  carryOut: () => Promise<HttpResponse>,
  errors: ErrorResponses,
): Promise<Misbehaved> {
  switch (action.type) {
    case 'status':
      return sent(statusResponse(action, errors));
    case 'html':
      return sent(errors.brokenFrontEnd());
    case 'hang':
      return { deliver: silence, answer: null, status: null };
    case 'reset':
      return { deliver: connectionReset, answer: null, status: null };
    case 'delay':
      await delay(action.ms, undefined, { ref: false });
      return sent(await carryOut());
    case 'lose-response':
      await carryOut();
      return { deliver: connectionReset, answer: null, status: null };
    case 'reset-mid-body':
      return spoilt(await carryOut(), resetInBody);
    case 'truncate':
      return spoilt(await carryOut(), truncated);
    case 'drip':
      return spoilt(await carryOut(), (response) => dripping(response, action.bytesPerSecond));
    case 'huge':
      return spoilt(await carryOut(), (response) => padded(response, action.bytes));
    case 'garbage':
      return sent({
        ...(await carryOut()),
        ...{ status: 200, body: Buffer.concat([Buffer.from('{'), randomBytes(256)]) },
      });
    case 'replace':
      return sent({ ...(await carryOut()), body: bytesOf(action.body) });
  }
}

function spoilt(response: HttpResponse, delivered: (response: HttpResponse) => Delivery): Misbehaved {
  return { deliver: delivered(response), answer: null, status: response.status };
}

function sent(answer: HttpResponse): Misbehaved {
  return { deliver: whole(answer), answer, status: answer.status };
}

function statusResponse(
  { status, body, reason, headers = {} }: FaultAction & { type: 'status' },
  errors: ErrorResponses,
): HttpResponse {
  const response = errors.refusal(status, reason);
  const lowered = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return {
    status,
    headers: { ...response.headers, ...lowered },
    body: body === undefined ? response.body : bytesOf(body),
  };
}

function bytesOf(body: unknown): Buffer {
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

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
import type { HttpAnswer } from '../http/message.js';
import type { FaultAction, SpoilingAction } from './fault.js';

/** What a provider's errors look like: they differ from one endpoint to the next. */
export interface ErrorAnswers {
  /** The answer that goes with a status and a reason in the provider's own words. */
  refusal(status: number, reason: string | undefined): HttpAnswer;
  /** What a broken front end answers with. */
  brokenFrontEnd(): HttpAnswer;
}

export interface Misbehaved {
  deliver: Delivery;
  /** What is delivered whole; null: nothing is. */
  answer: HttpAnswer | null;
  /** null: the client gets none. */
  status: number | null;
}

/** @param carryOut does what the request asks for; called once at most */
export async function misbehave(
  action: FaultAction,
  carryOut: () => Promise<HttpAnswer>,
  errors: ErrorAnswers,
): Promise<Misbehaved> {
  switch (action.type) {
    case 'status':
      return sent(statusAnswer(action, errors));
    case 'html':
      return sent(errors.brokenFrontEnd());
    case 'hang':
      return { deliver: silence, answer: null, status: null };
    case 'reset':
      return { deliver: connectionReset, answer: null, status: null };
    case 'delay':
      await delay(action.ms, undefined, { ref: false });
      return sent(await carryOut());
    case 'lose-answer':
    case 'reset-mid-body':
    case 'truncate':
    case 'drip':
    case 'huge':
    case 'garbage':
    case 'replace':
      return spoilt(action, await carryOut());
  }
}

/** A good answer that does not arrive as one. */
function spoilt(action: SpoilingAction, answer: HttpAnswer): Misbehaved {
  switch (action.type) {
    case 'lose-answer':
      return { deliver: connectionReset, answer: null, status: null };
    case 'reset-mid-body':
      return { deliver: resetInBody(answer), answer: null, status: answer.status };
    case 'truncate':
      return { deliver: truncated(answer), answer: null, status: answer.status };
    case 'drip':
      return { deliver: dripping(answer, action.bytesPerSecond), answer: null, status: answer.status };
    case 'huge':
      return { deliver: padded(answer, action.bytes), answer: null, status: answer.status };
    case 'garbage':
      return sent({ ...answer, status: 200, body: Buffer.concat([Buffer.from('{'), randomBytes(256)]) });
    case 'replace':
      return sent({ ...answer, body: bytesOf(action.body) });
  }
}

function sent(answer: HttpAnswer): Misbehaved {
  return { deliver: whole(answer), answer, status: answer.status };
}

function statusAnswer(
  { status, body, reason, headers = {} }: FaultAction & { type: 'status' },
  errors: ErrorAnswers,
): HttpAnswer {
  const answer = errors.refusal(status, reason);
  const lowered = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return {
    status,
    headers: { ...answer.headers, ...lowered },
    body: body === undefined ? answer.body : bytesOf(body),
  };
}

function bytesOf(body: unknown): Buffer {
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

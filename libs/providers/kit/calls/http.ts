import { EgressError } from '#egress';
import { Pace } from '#platform/event-loop';
import { DomainError, type ErrorCode } from '#domain/system';
import type { CallOutcome } from '#platform/telemetry';
import type { CallHealth } from './circuit-breaker.js';

/** JSON values per answer. A page of 2,500 events with 50 attendees each has 600,000, of some 50 bytes each. */
const MAX_VALUES = 700_000;
/** JSON values per list item, or outside of lists. An event with 500 attendees has 2,500. */
const MAX_ITEM_VALUES = 25_000;
/** Shorter answers are parsed at once, within milliseconds. */
const SMALL_BYTES = 384 * 1024;
const CHECK_EVERY_BYTES = 16 * 1024;

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/**
 * Parses an answer that is one JSON object. A long answer is parsed by list items, with pauses for the event loop:
 * JSON.parse would block the process for up to a second and take half a gigabyte.
 * @throws EgressError invalid-response; too-large for too many values
 */
export async function readJsonObject(body: Buffer, smallBytes = SMALL_BYTES): Promise<object> {
  const value = body.length <= smallBytes ? parsed(body.toString()) : await readLists(body);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new EgressError('invalid-response', { rule: 'json object' });
  }
  return value;
}

/** Finds the lists in the outermost object, and their items. Parsing validates them. */
async function readLists(body: Buffer): Promise<unknown> {
  const lists: unknown[][] = [];
  /** All text outside of items, with the number of each list in its place. */
  let frame = '';
  let list: unknown[] | null = null;
  /** Start of the current item, or of the current part of the frame. */
  let from = 0;
  let depth = 0;
  let values = 0;
  let itemValues = 0;
  let frameValues = 0;
  /** Counts brackets and commas, an upper bound of the number of values. */
  const count = () => {
    values += 1;
    const here = list === null ? (frameValues += 1) : (itemValues += 1);
    if (here > MAX_ITEM_VALUES || values > MAX_VALUES) throw new EgressError('too-large', { rule: 'json values' });
  };
  const pace = new Pace();
  let nextSyncAt = CHECK_EVERY_BYTES;
  for (let at = 0; at < body.length; at += 1) {
    if (at >= nextSyncAt) {
      await pace.step();
      nextSyncAt = at + CHECK_EVERY_BYTES;
    }
    const byte = body[at];
    if (byte === QUOTE) at = endOfText(body, at);
    else if (byte === OPEN_BRACKET || byte === OPEN_BRACE) {
      depth += 1;
      if (byte === OPEN_BRACKET && depth === 2 && list === null) {
        frame += `${text(body, from, at + 1)}${lists.length}`;
        list = [];
        lists.push(list);
        from = at + 1;
        itemValues = 0;
      }
      count();
    } else if (byte === CLOSE_BRACKET || byte === CLOSE_BRACE) {
      if (list !== null && depth === 2) {
        if (list.length > 0 || text(body, from, at).trim() !== '') list.push(parsed(text(body, from, at)));
        list = null;
        from = at;
      }
      depth -= 1;
    } else if (byte === COMMA) {
      count();
      if (list !== null && depth === 2) {
        list.push(parsed(text(body, from, at)));
        from = at + 1;
        itemValues = 0;
      }
    }
  }
  if (list !== null) throw new EgressError('invalid-response', { rule: 'json' });
  const value = parsed(frame + text(body, from, body.length));
  if (typeof value !== 'object' || value === null) return value;
  for (const [name, index] of Object.entries(value)) {
    if (Array.isArray(index)) Object.defineProperty(value, name, { ...PLAIN, value: lists[index[0] as number] });
  }
  return value;
}

/** Pairs, halves of a pair (captured), and all other escapes. */
const ESCAPES = /\\(?:ud[89ab][\da-f]{2}\\ud[c-f][\da-f]{2}|u(d[89a-f][\da-f]{2})|.)/gi;

/** Defines members as JSON.parse does, `__proto__` included. */
const PLAIN = { writable: true, enumerable: true, configurable: true };

function text(body: Buffer, from: number, to: number): string {
  return body.toString('utf8', from, to);
}

/** Half of a surrogate pair becomes U+FFFD: it has no UTF-8 form, and could neither be stored nor sent on. */
function parsed(json: string): unknown {
  const wellFormed = /\\ud[89a-f]/i.test(json) ? json.replace(ESCAPES, (all, lone) => (lone ? '\\ufffd' : all)) : json;
  try {
    return JSON.parse(wellFormed);
  } catch {
    // No cause: the parser's message quotes the answer.
    throw new EgressError('invalid-response', { rule: 'json' });
  }
}

function endOfText(body: Buffer, start: number): number {
  for (let at = start + 1; ; at += 1) {
    at = body.indexOf(QUOTE, at);
    if (at === -1) return body.length;
    let escapes = at - 1;
    while (body[escapes] === BACKSLASH) escapes -= 1;
    // An odd number of backslashes escapes the quote.
    if ((at - escapes) % 2 === 1) return at;
  }
}

const MAX_CALENDAR_ID_LENGTH = 1_100;
/** Longer than any id of an event. CalDAV ids hold paths. */
const MAX_EVENT_ID_LENGTH = 2_100;

/** Whether an id can be one segment of a path. */
export function isSendable(id: string, maxLength = MAX_CALENDAR_ID_LENGTH): boolean {
  return (
    id.length > 0 && id.length <= maxLength && id !== '.' && id !== '..' && id.isWellFormed() && !/\p{Cc}/u.test(id)
  );
}

export function calendarNotFound(): DomainError {
  return new DomainError('NotFound', 'There is no calendar with this id in the account.');
}

export function eventNotFound(): DomainError {
  return new DomainError('NotFound', 'There is no event with this id in the calendar.');
}

/** @throws DomainError NotFound, for an id that no event can have */
export function assertEventId(eventId: string): void {
  if (!isSendable(eventId, MAX_EVENT_ID_LENGTH)) throw eventNotFound();
}

/** AttemptVerdict on the provider, and outcome in metrics, of a request without a usable answer. */
export const FAILURES: Readonly<Record<EgressError['failure'], { health: CallHealth; outcome: CallOutcome }>> = {
  dns: { health: 'failure', outcome: 'unreachable' },
  connect: { health: 'failure', outcome: 'unreachable' },
  tls: { health: 'failure', outcome: 'unreachable' },
  reset: { health: 'failure', outcome: 'unreachable' },
  timeout: { health: 'failure', outcome: 'timeout' },
  'invalid-response': { health: 'failure', outcome: 'malformed_response' },
  'too-large': { health: 'alive', outcome: 'malformed_response' },
  aborted: { health: 'unknown', outcome: 'aborted' },
  'address-blocked': { health: 'unknown', outcome: 'unreachable' },
  'bad-url': { health: 'unknown', outcome: 'unreachable' },
};

/** Translates an EgressError without its addresses and causes; returns any other error unchanged. */
export function transportFailure(provider: string, error: unknown): unknown {
  if (!(error instanceof EgressError)) return error;
  if (error.failure === 'invalid-response') return malformedResponseError(provider, error);
  if (error.failure === 'too-large') {
    const message = `The answer of ${provider} is larger than allowed.`;
    return new DomainError('ProviderUnavailable', message, {
      provider: { status: null, code: 'response-too-large', message, retryable: false },
      cause: error,
    });
  }
  const isLate = error.failure === 'timeout' || error.failure === 'aborted';
  return isLate
    ? retryable('ProviderTimeout', `${provider} did not answer in time.`, null, error)
    : retryable('ProviderUnavailable', `${provider} cannot be reached.`, null, error);
}

export function isResponseTooLarge(error: unknown): boolean {
  return error instanceof DomainError && error.provider?.code === 'response-too-large';
}

/** Sends a batch, in halves when its answer is too large. @throws errors of `send`, also for a single item */
export async function inFittingBatches<Item, Result>(
  batch: readonly Item[],
  send: (batch: readonly Item[]) => Promise<Result[]>,
): Promise<Result[]> {
  try {
    return await send(batch);
  } catch (error) {
    if (batch.length === 1 || !isResponseTooLarge(error)) throw error;
  }
  const half = Math.ceil(batch.length / 2);
  const first = await inFittingBatches(batch.slice(0, half), send);
  return [...first, ...(await inFittingBatches(batch.slice(half), send))];
}

export function malformedResponseError(provider: string, cause?: EgressError): DomainError {
  return retryable('ProviderUnavailable', `${provider} gave an answer that makes no sense.`, 'response-invalid', cause);
}

function retryable(code: ErrorCode, message: string, providerCode: string | null, cause?: EgressError): DomainError {
  return new DomainError(code, message, {
    provider: { status: null, code: providerCode, message, retryable: true },
    cause,
  });
}

import { EgressError } from '#egress';

/** Values in one answer: a page of 2,500 events with fifty attendees each has 600,000. Each takes some 50 bytes. */
const MAX_VALUES = 1_000_000;
/** In an answer that is no longer there cannot be enough values to take much memory. */
const SMALL_BYTES = 1024 * 1024;

/** An answer of an API that answers with one object, always. @throws EgressError bad-answer */
export function jsonObject(body: Buffer): object {
  if (body.length > SMALL_BYTES && hasMoreValues(body, MAX_VALUES)) {
    throw new EgressError('too-large', { rule: 'json values' });
  }
  let value: unknown;
  try {
    value = JSON.parse(body.toString('utf8'));
  } catch {
    throw new EgressError('bad-answer', { rule: 'json' });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new EgressError('bad-answer', { rule: 'json object' });
  }
  return value;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const BRACE = 0x7b;

/** Counts what begins a value or parts two: there are no more of them than that. */
function hasMoreValues(body: Buffer, most: number): boolean {
  let count = 0;
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at];
    if (byte === QUOTE) at = endOfText(body, at);
    else if (byte === COMMA || byte === BRACKET || byte === BRACE) count += 1;
    if (count > most) return true;
  }
  return false;
}

/** Where the quote is that ends the text which begins at `start`. */
function endOfText(body: Buffer, start: number): number {
  for (let at = start + 1; ; at += 1) {
    at = body.indexOf(QUOTE, at);
    if (at === -1) return body.length;
    let escapes = at - 1;
    while (body[escapes] === BACKSLASH) escapes -= 1;
    // One that is escaped ends nothing; two backslashes are one that is escaped itself.
    if ((at - escapes) % 2 === 1) return at;
  }
}

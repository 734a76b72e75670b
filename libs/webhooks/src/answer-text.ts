/** Control characters without tab, line feed and return; and the marks that turn the direction of what is shown. */
const UNSAFE = /(?![\t\n\r])\p{Cc}|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/**
 * The beginning of a receiver's answer as text that can be stored and shown: what is not UTF-8, and what a database or
 * a terminal may stumble over, is U+FFFD.
 * @param body of the answer, or its beginning
 * @returns at most `maxBytes` in UTF-8, no character cut
 */
export function answerText(body: Uint8Array, maxBytes: number): string {
  const text = decoded(body.subarray(0, maxBytes), body.length > maxBytes).replace(UNSAFE, '\ufffd');
  const bytes = Buffer.from(text); // longer than what was read, when much of it is replaced
  return decoded(bytes.subarray(0, maxBytes), bytes.length > maxBytes);
}

/** @param isCut a character that is not complete at the end is left out, not replaced */
function decoded(bytes: Uint8Array, isCut: boolean): string {
  return new TextDecoder().decode(bytes, { stream: isCut });
}

/** Control characters except tab, line feed and carriage return; and marks that change the text direction. */
const UNSAFE = /(?![\t\n\r])\p{Cc}|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Truncates to `maxBytes` in UTF-8. Replaces characters unsafe for a database or terminal by U+FFFD. */
export function responseText(body: Uint8Array, maxBytes: number): string {
  const text = decoded(body.subarray(0, maxBytes), body.length > maxBytes).replace(UNSAFE, '\ufffd');
  const bytes = Buffer.from(text); // replacements may make it longer than the input
  return decoded(bytes.subarray(0, maxBytes), bytes.length > maxBytes);
}

/** @param isCut drops an incomplete character at the end instead of replacing it */
function decoded(bytes: Uint8Array, isCut: boolean): string {
  return new TextDecoder().decode(bytes, { stream: isCut });
}

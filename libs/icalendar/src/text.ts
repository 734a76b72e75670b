import { IcsValueError } from './errors.js';

const LINE_FEED = 10;
const LARGE_N = 78;
const BACKSLASH = 92;
const SMALL_N = 110;

/**
 * Escapes TEXT (RFC 5545 §3.3.11). Line breaks become `\n`, also vertical tab and form feed of word processors. Removes
 * other control characters except TAB, which iCalendar cannot express.
 */
export function escapeText(text: string): string {
  // eslint-disable-next-line no-control-regex
  if (!/[\\;,\0-\x1f\x7f]/.test(text)) return text;
  return (
    text
      .replace(/[\\;,]/g, '\\$&')
      .replace(/\r\n?|[\n\v\f]/g, '\\n')
      // eslint-disable-next-line no-control-regex
      .replace(/[\0-\x08\x0e-\x1f\x7f]/g, '')
  );
}

/** Unescapes TEXT. `\n` and `\N` are line breaks; a backslash before any other character yields that character. */
export function unescapeText(value: string): string {
  if (!value.includes('\\')) return value;
  // Copies code units: a text of nothing but escapes costs little more than another.
  const units = new Uint16Array(value.length);
  let length = 0;
  let bits = 0;
  for (let at = 0; at < value.length; at += 1) {
    let unit = value.charCodeAt(at);
    if (unit === BACKSLASH && at + 1 < value.length) {
      at += 1;
      unit = value.charCodeAt(at);
      if (unit === SMALL_N || unit === LARGE_N) unit = LINE_FEED;
    }
    bits |= unit;
    units[length] = unit;
    length += 1;
  }
  // latin1 strings take half the memory.
  return bits < 0x100
    ? Buffer.from(new Uint8Array(units.subarray(0, length)).buffer).toString('latin1')
    : Buffer.from(units.buffer, 0, length * 2).toString('utf16le');
}

/**
 * Encodes a parameter value: RFC 6868 for `^`, `"` and line breaks, quotes around `:`, `;`, `,` (RFC 5545 §3.2) or `^`,
 * which sabre/vobject 2 takes in quotes alone.
 * @throws IcsValueError for other control characters
 */
export function encodeParameter(value: string): string {
  const encoded = value
    .replaceAll('^', '^^')
    .replace(/\r\n?|\n/g, '^n')
    .replaceAll('"', "^'");
  // eslint-disable-next-line no-control-regex
  if (/[\0-\x08\x0b-\x1f\x7f]/.test(encoded)) {
    throw new IcsValueError('A parameter value must not hold control characters');
  }
  return /[:;,^]/.test(encoded) ? `"${encoded}"` : encoded;
}

/** Decodes a parameter value (RFC 6868 §3.1). A `^` before any other character stays. */
export function decodeParameter(value: string): string {
  if (!value.includes('^')) return value;
  return value.replace(/\^([n'^])/g, (_, code: string) => (code === 'n' ? '\n' : code === "'" ? '"' : '^'));
}

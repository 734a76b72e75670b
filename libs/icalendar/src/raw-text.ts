import { isUtf8 } from 'node:buffer';
import { bodyOf, cutLines, rawLine } from './line-table.js';

/** RFC 5545 §3.1: lines SHOULD NOT be longer than 75 octets, line end excluded. */
const FOLD_OCTETS = 75;
const BEYOND_ASCII = /[^\0-\x7f]/;

/** In-memory form of a document's text. A document keeps one form throughout, so unchanged lines keep their octets. */
export interface RawText {
  decode(raw: string): string;
  encode(text: string): string;
  toBytes(raw: string): Buffer;
  /** Folds one raw line (without its line end) at 75 octets, never inside a UTF-8 sequence. */
  fold(raw: string, eol: string): string;
}

/** For sources that are strings, for example from XML: one raw character is one UTF-16 code unit. */
export const UNICODE_TEXT: RawText = {
  decode: (raw) => raw,
  encode: (text) => text,
  toBytes: (raw) => Buffer.from(raw, 'utf8'),
  fold: (raw, eol) => foldAt(raw, eol, unicodeBreak),
};

/**
 * For sources that are octets: one raw character is one octet (latin1). Servers fold inside UTF-8 sequences, so
 * decoding must follow unfolding.
 */
export const OCTET_TEXT: RawText = {
  decode: decodeOctets,
  encode: (text) => (BEYOND_ASCII.test(text) ? Buffer.from(text, 'utf8').toString('latin1') : text),
  toBytes: (raw) => Buffer.from(raw, 'latin1'),
  fold: (raw, eol) => foldAt(raw, eol, octetBreak),
};

/**
 * RFC 5545 §3.1.4 allows only UTF-8. Other lines of old exporters are nearly always windows-1252, and are decoded one
 * by one, so that one of them does not affect its neighbours.
 */
function decodeOctets(raw: string): string {
  if (!BEYOND_ASCII.test(raw)) return raw;
  const bytes = Buffer.from(raw, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : new TextDecoder('windows-1252').decode(bytes);
}

/** Decodes raw lines, folds and line ends included. Refolds a line that was folded inside a UTF-8 sequence. */
export function textOf(rawLines: string, raw: RawText): string {
  if (raw === UNICODE_TEXT || !BEYOND_ASCII.test(rawLines)) return rawLines;
  const bytes = OCTET_TEXT.toBytes(rawLines);
  if (isUtf8(bytes)) return bytes.toString('utf8');
  const table = cutLines(rawLines, 0);
  return Array.from({ length: table.count }, (_, index) => {
    const line = rawLine(table, index);
    if (isUtf8(OCTET_TEXT.toBytes(line))) return decodeOctets(line);
    return UNICODE_TEXT.fold(decodeOctets(bodyOf(table, index)), table.eol) + table.eol;
  }).join('');
}

/** Decodes a document that is to be read, not edited. */
export function textOfOctets(octets: Buffer): string {
  return textOf(octets.toString('latin1'), OCTET_TEXT);
}

type LineBreak = (raw: string, from: number, octets: number) => number;

function foldAt(raw: string, eol: string, lineBreak: LineBreak): string {
  let at = lineBreak(raw, 0, FOLD_OCTETS);
  if (at >= raw.length) return raw;
  const lines = [raw.slice(0, at)];
  while (at < raw.length) {
    const next = lineBreak(raw, at, FOLD_OCTETS - 1);
    lines.push(raw.slice(at, next));
    at = next;
  }
  return lines.join(`${eol} `);
}

function octetBreak(raw: string, from: number, octets: number): number {
  const end = from + octets;
  if (end >= raw.length) return raw.length;
  let at = end;
  // A UTF-8 sequence has at most three continuation octets; anything longer is not UTF-8 and may be cut anywhere.
  while (at > end - 4 && (raw.charCodeAt(at) & 0xc0) === 0x80) at -= 1;
  return at > end - 4 ? at : end;
}

function unicodeBreak(raw: string, from: number, octets: number): number {
  let left = octets;
  for (let at = from; at < raw.length;) {
    const point = raw.codePointAt(at) ?? 0;
    left -= point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    if (left < 0) return at;
    at += point < 0x10000 ? 1 : 2;
  }
  return raw.length;
}

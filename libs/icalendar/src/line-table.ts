import { IcsSyntaxError } from './errors.js';
import { UNBOUNDED_LIMITS } from './limits.js';
import type { IcsLimits } from './limits.js';

const CR = 13;
const LF = 10;
const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const SEMICOLON = 59;

/**
 * Logical lines of a text by position. Line i spans `starts[i]` to `starts[i + 1]`, line end included. Its content ends
 * at `ends[i]`, or for a folded line, marked by a negative value, at `-ends[i]`.
 */
export interface LineTable {
  readonly text: string;
  readonly count: number;
  readonly starts: Int32Array;
  readonly ends: Int32Array;
  /** Line end of the first line, used for added lines. */
  readonly eol: string;
}

type LineLimits = Pick<IcsLimits, 'maxLines' | 'maxFolds' | 'maxParameters' | 'maxHead'>;

/**
 * Splits a text into logical lines (RFC 5545 §3.1). A line ends with CRLF, LF, CR, or several CRs before one LF (a text
 * converted twice), and continues when the next one starts with a space or a tab. Runs in linear time, because each
 * `indexOf` result is reused until the scan passes it.
 * @throws IcsSyntaxError when the text exceeds a limit
 */
export function cutLines(
  text: string,
  from: number,
  { maxLines, maxFolds, maxParameters, maxHead }: LineLimits = UNBOUNDED_LIMITS,
): LineTable {
  const length = text.length;
  let capacity = Math.max(64, length >> 5);
  let starts = new Int32Array(capacity + 1);
  let ends = new Int32Array(capacity);
  let count = 0;
  let folds = 0;
  let parameters = 0;
  let eol = '';
  let lf = from - 1;
  let cr = from - 1;
  let at = from;
  while (at < length) {
    if (count === maxLines) throw new IcsSyntaxError(`iCalendar object has more than ${maxLines} lines`);
    const start = at;
    let isFolded = false;
    let end: number;
    for (;;) {
      if (lf < at) lf = orEnd(text.indexOf('\n', at), length);
      if (cr < at) cr = orEnd(text.indexOf('\r', at), length);
      end = Math.min(lf, cr);
      at = end;
      if (cr < lf) {
        do at += 1;
        while (at < length && text.charCodeAt(at) === CR);
      }
      if (at < length && text.charCodeAt(at) === LF) at += 1;
      if (eol === '' && at > end) eol = text.slice(end, at);
      if (at >= length) break;
      const next = text.charCodeAt(at);
      if (next !== 32 && next !== 9) break;
      isFolded = true;
      folds += 1;
      if (folds > maxFolds) throw new IcsSyntaxError(`iCalendar object is folded in more than ${maxFolds} places`);
    }
    parameters += parametersOf(text, start, end, maxHead);
    if (parameters > maxParameters) {
      throw new IcsSyntaxError(`iCalendar object has more than ${maxParameters} parameters`);
    }
    if (count === capacity) {
      capacity *= 2;
      starts = grown(starts, capacity + 1);
      ends = grown(ends, capacity);
    }
    starts[count] = start;
    ends[count] = isFolded ? -end : end;
    count += 1;
  }
  starts[count] = length;
  return { text, count, starts, ends, eol: eol === '\n' || eol === '\r' ? eol : '\r\n' };
}

export function rawLine(table: LineTable, index: number): string {
  return table.text.slice(table.starts[index], table.starts[index + 1]);
}

export function bodyOf(table: LineTable, index: number): string {
  const end = table.ends[index] ?? 0;
  return end < 0 ? unfold(table.text.slice(table.starts[index], -end)) : table.text.slice(table.starts[index], end);
}

function unfold(raw: string): string {
  return raw.replace(/(?:\r+\n?|\n)[ \t]/g, '');
}

/** Counts parameter values of a line, folded or not, by the unquoted separators before its value. */
function parametersOf(text: string, start: number, end: number, maxHead: number): number {
  let values = 0;
  let isQuoted = false;
  for (let at = start; at < end; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) isQuoted = !isQuoted;
    else if (!isQuoted && code === COLON) return values;
    else if (!isQuoted && (code === SEMICOLON || code === COMMA)) values += 1;
    if (at - start >= maxHead)
      throw new IcsSyntaxError(`iCalendar line has more than ${maxHead} characters before its value`);
  }
  return values;
}

function orEnd(index: number, length: number): number {
  return index === -1 ? length : index;
}

function grown(column: Int32Array<ArrayBuffer>, capacity: number): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(capacity);
  larger.set(column);
  return larger;
}

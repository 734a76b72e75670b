import { IcsValueError } from './errors.js';
import { bodyOf, rawLine } from './line-table.js';
import type { LineTable } from './line-table.js';
import type { IcsProperty, PropertyParameters } from './model.js';
import type { RawText } from './raw-text.js';
import { decodeParameter, encodeParameter } from './text.js';

/** RFC 5545 §3.1 `iana-token` / `x-name`. */
const NAME = /^[A-Za-z0-9-]+$/;
/** RFC 5545 §3.1 CONTROL: everything below space except TAB, and DEL. */
// eslint-disable-next-line no-control-regex
const CONTROL = /[\0-\x08\x0a-\x1f\x7f]/;

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const SEMICOLON = 59;
const EQUALS = 61;
const BACKSLASH = 92;
const PARAMETER_START = /[A-Za-z0-9-]+=/y;

/** One parameter in an unfolded line: `;NAME=value` from `start` (the semicolon) to `end`. */
interface ParameterSpan {
  /** Upper-case. */
  name: string;
  start: number;
  /** Start of the value; equal to `end` without one. */
  valueStart: number;
  end: number;
}

/** One logical line, unchanged until edited. A broken line (no colon, an open quote) has no name and is only copied. */
export class ContentLine implements IcsProperty {
  /** Upper-case; empty for a broken line. */
  readonly name: string;
  /** Unfolded, without line end, in raw characters. */
  private body: string;
  private readonly headEnd: number;
  private colon: number;
  private parameters: ParameterSpan[] | null = null;
  /** The line to write, with folds and line end; null while unchanged. */
  private written: string | null = null;

  /** @param index of the line in `table`, or -1 for a new line, which has a `body` */
  constructor(
    private readonly raw: RawText,
    private readonly table: LineTable,
    private readonly index: number,
    body?: string,
  ) {
    if (body === undefined) {
      this.body = bodyOf(table, index);
    } else {
      this.body = body;
      this.write();
    }
    this.headEnd = nameEnd(this.body);
    this.colon = this.headEnd === -1 ? -1 : colonOf(this.body, this.headEnd);
    this.name = this.colon === -1 ? '' : this.body.slice(0, this.headEnd).toUpperCase();
  }

  /** Creates a line for the document of `table`. @throws IcsValueError */
  static compose(
    raw: RawText,
    table: LineTable,
    name: string,
    value: string,
    parameters: PropertyParameters | undefined,
  ): ContentLine {
    const line = formatContentLine(name.toUpperCase(), value, parameters);
    return new ContentLine(raw, table, -1, raw.encode(line));
  }

  get isBroken(): boolean {
    return this.colon === -1;
  }

  get value(): string {
    return this.raw.decode(this.body.slice(this.colon + 1));
  }

  get line(): string {
    return this.raw.decode(this.body);
  }

  parameter(name: string): string | undefined {
    const span = this.parameterSpan(name);
    return span && parameterTexts(this.spanText(span), 1)[0];
  }

  parameterValues(name: string): string[] {
    const wanted = name.toUpperCase();
    return this.spans()
      .filter((span) => span.name === wanted)
      .flatMap((span) => parameterTexts(this.spanText(span)));
  }

  rewrite(value: string, parameters: PropertyParameters | undefined): void {
    const tail = this.raw.encode(checkedValue(value));
    const head = parameters ? this.raw.encode(formatHead(this.name, parameters)) : this.body.slice(0, this.colon);
    this.replaceBody(`${head}:${tail}`, head.length);
  }

  rewriteParameter(name: string, value: string | null): void {
    const wanted = name.toUpperCase();
    const parameter = value === null ? '' : this.raw.encode(formatParameter(wanted, value));
    const head = replaceParameter(this.body, this.headEnd, this.colon, wanted, parameter);
    this.replaceBody(head + this.body.slice(this.colon), head.length);
  }

  toRaw(): string {
    return this.written ?? rawLine(this.table, this.index);
  }

  private parameterSpan(name: string): ParameterSpan | undefined {
    if (this.colon === this.headEnd) return undefined;
    const wanted = name.toUpperCase();
    return this.spans().find((span) => span.name === wanted);
  }

  private spans(): ParameterSpan[] {
    return (this.parameters ??= parameterSpans(this.body, this.headEnd, this.colon));
  }

  private spanText(span: ParameterSpan): string {
    return this.raw.decode(this.body.slice(span.valueStart, span.end));
  }

  private replaceBody(body: string, colon: number): void {
    if (body === this.body) return; // an unchanged line keeps its folding
    this.body = body;
    this.parameters = null;
    this.colon = colon;
    this.write();
  }

  private write(): void {
    this.written = this.raw.fold(this.body, this.table.eol) + this.table.eol;
  }
}

/** Returns the position of the first `;` or `:`, which ends the name; -1 without a separator or a name. */
function nameEnd(line: string): number {
  for (let at = 0; at < line.length; at += 1) {
    const code = line.charCodeAt(at);
    if (code === COLON || code === SEMICOLON) return at === 0 ? -1 : at;
  }
  return -1;
}

/** Returns the position of the unquoted colon before the value; -1 for a broken line. */
function colonOf(line: string, from: number): number {
  if (line.charCodeAt(from) === COLON) return from;
  let isQuoted = false;
  for (let at = from; at < line.length; at += 1) {
    const code = line.charCodeAt(at);
    if (code === QUOTE) isQuoted = !isQuoted;
    else if (code === COLON && !isQuoted) return at;
  }
  return -1;
}

function parameterSpans(line: string, from: number, colon: number): ParameterSpan[] {
  const spans: ParameterSpan[] = [];
  for (let start = from; start < colon;) {
    const end = parameterEnd(line, start + 1, colon);
    let equals = start + 1;
    while (equals < end && line.charCodeAt(equals) !== EQUALS) equals += 1;
    const name = line
      .slice(start + 1, equals)
      .trim()
      .toUpperCase();
    spans.push({ name, start, valueStart: Math.min(equals + 1, end), end });
    start = end;
  }
  return spans;
}

/** Returns at most `most` values, unquoted and RFC 6868-decoded: `"a,b",c` → `a,b` and `c`. */
function parameterTexts(text: string, most = Number.POSITIVE_INFINITY): string[] {
  const values: string[] = [];
  for (let start = 0; start <= text.length && values.length < most;) {
    const end = unquoted(text, COMMA, start, text.length);
    const value = text.slice(start, end).trim();
    const isQuoted = value.length > 1 && value.charCodeAt(0) === QUOTE && value.endsWith('"');
    values.push(decodeParameter(isQuoted ? value.slice(1, -1) : value.replaceAll('\\;', ';')));
    start = end + 1;
  }
  return values;
}

/** Formats `;NAME=value`, quoted and encoded as needed. @throws IcsValueError */
function formatParameter(name: string, value: string | readonly string[]): string {
  if (!NAME.test(name)) throw new IcsValueError(`"${name.slice(0, 40)}" is not a parameter name`);
  const values = typeof value === 'string' ? [value] : value;
  return `;${name}=${values.map(encodeParameter).join(',')}`;
}

/** Formats the part before the colon: `NAME;PARAMETER=value`. @throws IcsValueError */
function formatHead(name: string, parameters: PropertyParameters = {}): string {
  if (!NAME.test(name)) throw new IcsValueError(`"${name.slice(0, 40)}" is not a property name`);
  return (
    name +
    Object.entries(parameters)
      .map(([key, value]) => formatParameter(key, value))
      .join('')
  );
}

/** Formats one unfolded line; TEXT values must be escaped. @throws IcsValueError */
export function formatContentLine(name: string, value: string, parameters?: PropertyParameters): string {
  return `${formatHead(name, parameters)}:${checkedValue(value)}`;
}

/** Sets a parameter of an unfolded line, or removes it for null; a new one goes last. @throws IcsValueError */
export function withParameter(line: string, name: string, value: string | null): string {
  const from = nameEnd(line);
  const colon = from === -1 ? -1 : colonOf(line, from);
  if (colon === -1) throw new IcsValueError('A line without a value has no parameters');
  const wanted = name.toUpperCase();
  const parameter = value === null ? '' : formatParameter(wanted, value);
  return replaceParameter(line, from, colon, wanted, parameter) + line.slice(colon);
}

/** Replaces every parameter of a name in the head of an unfolded line by one text; a new one goes last. */
function replaceParameter(line: string, from: number, colon: number, name: string, parameter: string): string {
  const spans = parameterSpans(line, from, colon);
  const first = spans.find((span) => span.name === name);
  let head = line.slice(0, from);
  for (const span of spans) {
    if (span === first) head += parameter;
    else if (span.name !== name) head += line.slice(span.start, span.end);
  }
  return first === undefined ? head + parameter : head;
}

/** @throws IcsValueError for control characters, which would end the line or hide in it */
function checkedValue(value: string): string {
  if (CONTROL.test(value)) throw new IcsValueError('A property value must not hold control characters');
  return value;
}

/** Finds the semicolon before the next parameter. SOGo's `\;` ends an unquoted value only before a parameter. */
function parameterEnd(line: string, from: number, to: number): number {
  for (let at = from; ; at += 1) {
    at = unquoted(line, SEMICOLON, at, to);
    if (at === to || line.charCodeAt(at - 1) !== BACKSLASH) return at;
    PARAMETER_START.lastIndex = at + 1;
    if (PARAMETER_START.test(line)) return at;
  }
}

function unquoted(text: string, separator: number, from: number, to: number): number {
  let isQuoted = false;
  for (let at = from; at < to; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) isQuoted = !isQuoted;
    else if (code === separator && !isQuoted) return at;
  }
  return to;
}

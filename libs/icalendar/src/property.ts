import {
  checkedValue,
  colonOf,
  formatHead,
  formatParameter,
  nameEnd,
  parameterSpans,
  parameterTexts,
  replaceParameter,
} from './content-line.js';
import type { ParameterSpan } from './content-line.js';
import { bodyOf, rawLine } from './line-table.js';
import type { LineTable } from './line-table.js';
import type { IcsProperty, PropertyParameters } from './model.js';
import type { RawText } from './raw-text.js';

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
    const body = raw.encode(`${formatHead(name.toUpperCase(), parameters)}:${checkedValue(value)}`);
    return new ContentLine(raw, table, -1, body);
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

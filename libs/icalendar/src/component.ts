import { rawLine } from './line-table.js';
import type { LineTable } from './line-table.js';
import type { IcsComponent, IcsProperty, PropertyParameters } from './model.js';
import { ContentLine } from './content-line.js';
import { textOf } from './raw-text.js';
import type { RawText } from './raw-text.js';

type Entry = ContentLine | EditableComponent;

/** An index does not pay off with fewer lines. */
const MANY_LINES = 64;

export type ComponentReader = (text: string, raw: RawText, eol: string) => EditableComponent;

/**
 * A component as a range of lines, parsed on demand. Unchanged lines keep their bytes: order, folding, quoting, line
 * ends. New lines are folded at 75 octets and follow the last line of the same name, else precede the first sub-component
 * or END. Until a change, the output is the slice of the source text.
 */
export class EditableComponent implements IcsComponent {
  /** Index after the last line, END included. */
  lineEnd: number;
  isClosed = false;
  private children: EditableComponent[] | null = null;
  private loaded: Entry[] | null = null;
  private isChanged = false;
  /** Lines of a long component by name; null before the first look-up and after a change. */
  private named: Map<string, ContentLine[]> | null = null;

  /** @param lineStart index of the BEGIN line; -1 for the root */
  constructor(
    readonly name: string,
    private parent: EditableComponent | null,
    readonly lineStart: number,
    private readonly table: LineTable,
    private readonly raw: RawText,
    private readonly read: ComponentReader,
  ) {
    this.lineEnd = table.count;
  }

  append(child: EditableComponent): void {
    (this.children ??= []).push(child);
  }

  get components(): readonly EditableComponent[] {
    return this.children ?? [];
  }

  componentsNamed(name: string): EditableComponent[] {
    const wanted = name.toUpperCase();
    return this.components.filter((component) => component.name === wanted);
  }

  get properties(): readonly IcsProperty[] {
    return this.entries().filter((entry) => entry instanceof ContentLine && !entry.isBroken) as ContentLine[];
  }

  property(name: string): IcsProperty | undefined {
    const wanted = name.toUpperCase();
    const entries = this.entries();
    if (entries.length > MANY_LINES) return this.index(entries).get(wanted)?.[0];
    for (const entry of entries) {
      if (entry.name === wanted && entry instanceof ContentLine) return entry;
    }
    return undefined;
  }

  propertiesNamed(name: string): ContentLine[] {
    const wanted = name.toUpperCase();
    const entries = this.entries();
    if (entries.length > MANY_LINES) return [...(this.index(entries).get(wanted) ?? [])];
    return entries.filter((entry): entry is ContentLine => entry.name === wanted && entry instanceof ContentLine);
  }

  /**
   * Replaces the first property of this name in place and removes further ones, or adds it. Without `parameters` the
   * existing ones stay; given ones replace all.
   * @throws IcsValueError for control characters, CR and LF included
   */
  setProperty(name: string, value: string, parameters?: PropertyParameters): void {
    const [first, ...others] = this.propertiesNamed(name);
    if (!first) return this.addProperty(name, value, parameters);
    first.rewrite(value, parameters);
    for (const line of others) this.remove(line);
    this.touch();
  }

  addProperty(name: string, value: string, parameters?: PropertyParameters): void {
    const line = ContentLine.compose(this.raw, this.table, name, value, parameters);
    const entries = this.entries();
    const last = entries.findLastIndex((entry) => entry instanceof ContentLine && entry.name === line.name);
    const firstComponent = entries.findIndex((entry) => entry instanceof EditableComponent);
    entries.splice(last !== -1 ? last + 1 : firstComponent !== -1 ? firstComponent : entries.length, 0, line);
    this.touch();
  }

  /** Rewrites one property in place; without `parameters` the existing ones stay. */
  replaceProperty(property: IcsProperty, value: string, parameters?: PropertyParameters): void {
    this.own(property).rewrite(value, parameters);
    this.touch();
  }

  /** Sets one parameter, or removes it for null. Keeps the rest of the line. */
  setParameter(property: IcsProperty, name: string, value: string | null): void {
    this.own(property).rewriteParameter(name, value);
    this.touch();
  }

  removeProperty(property: IcsProperty): void {
    this.remove(this.own(property));
    this.touch();
  }

  removeProperties(name: string): void {
    const lines = this.propertiesNamed(name);
    if (lines.length === 0) return;
    const removed = new Set<Entry>(lines);
    this.loaded = this.entries().filter((entry) => !removed.has(entry));
    this.touch();
  }

  removeComponent(component: IcsComponent): void {
    const child = this.children?.find((candidate) => candidate === component);
    if (!child) throw new Error(`This ${component.name} is not part of this ${this.name}`);
    this.remove(child);
    this.children = this.components.filter((candidate) => candidate !== child);
    this.touch();
  }

  /** Adds a component (BEGIN … END) after the last one of the same name; VTIMEZONE before the first VEVENT. */
  addComponent(text: string): EditableComponent {
    const child = this.read(text, this.raw, this.table.eol);
    child.parent = this;
    const entries = this.entries();
    let index = 1 + entries.findLastIndex((entry) => entry instanceof EditableComponent && entry.name === child.name);
    if (index === 0) {
      // RFC 5545 §3.6.5 prescribes no order, but some readers need a VTIMEZONE before the events that name it.
      const firstEvent = entries.findIndex((entry) => entry instanceof EditableComponent && entry.name === 'VEVENT');
      index = child.name === 'VTIMEZONE' && firstEvent !== -1 ? firstEvent : entries.length;
    }
    entries.splice(index, 0, child);
    this.children = entries.filter((entry) => entry instanceof EditableComponent);
    this.touch();
    return child;
  }

  /** Text with the bytes of the document, BEGIN and END included. */
  get text(): string {
    return textOf(this.toRaw(), this.raw);
  }

  toRaw(): string {
    if (!this.isChanged) {
      const { text, starts } = this.table;
      return text.slice(starts[Math.max(0, this.lineStart)], starts[this.lineEnd]);
    }
    const parts: string[] = [];
    this.collect(parts, this.table.eol);
    return parts.join('');
  }

  private collect(parts: string[], eol: string): void {
    if (!this.isChanged) {
      pushLine(parts, this.toRaw(), eol);
      return;
    }
    if (this.lineStart !== -1) pushLine(parts, rawLine(this.table, this.lineStart), eol);
    for (const entry of this.entries()) {
      if (entry instanceof EditableComponent) entry.collect(parts, eol);
      else pushLine(parts, entry.toRaw(), eol);
    }
    if (this.isClosed) pushLine(parts, rawLine(this.table, this.lineEnd - 1), eol);
  }

  private touch(): void {
    this.named = null;
    if (this.isChanged) return;
    this.isChanged = true;
    this.parent?.touch();
  }

  private remove(entry: Entry): void {
    const entries = this.entries();
    entries.splice(entries.indexOf(entry), 1);
    this.named = null;
  }

  private own(property: IcsProperty): ContentLine {
    const line = this.entries().find((entry) => entry === property);
    if (!(line instanceof ContentLine)) throw new Error(`This ${property.name} is not part of this ${this.name}`);
    return line;
  }

  private index(entries: readonly Entry[]): Map<string, ContentLine[]> {
    if (this.named !== null) return this.named;
    const lines = entries.filter((entry) => entry instanceof ContentLine);
    return (this.named = Map.groupBy(lines, ({ name }) => name));
  }

  private entries(): Entry[] {
    if (this.loaded) return this.loaded;
    const entries: Entry[] = [];
    const end = this.isClosed ? this.lineEnd - 1 : this.lineEnd;
    let nextChild = 0;
    for (let index = this.lineStart + 1; index < end;) {
      const child = this.children?.[nextChild];
      if (child?.lineStart === index) {
        entries.push(child);
        nextChild += 1;
        index = child.lineEnd;
      } else {
        entries.push(new ContentLine(this.raw, this.table, index));
        index += 1;
      }
    }
    return (this.loaded = entries);
  }
}

/** Adds raw text, after a line end if the previous line lacks one. */
function pushLine(parts: string[], raw: string, eol: string): void {
  const last = parts.at(-1)?.at(-1);
  if (last !== undefined && last !== '\n' && last !== '\r') parts.push(eol);
  parts.push(raw);
}

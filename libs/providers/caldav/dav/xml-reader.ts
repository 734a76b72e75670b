import { SaxesParser, type SaxesTagNS } from 'saxes';
import { Pace } from '#platform/event-loop';
import type { DavElement } from './contract.js';

/** Limits of one XML document: byte size alone bounds neither time nor memory. */
const XML_LIMITS = {
  depth: 64,
  /** Elements, attributes and pieces of text, together. */
  nodes: 600_000,
  /** Nodes in memory at a time, about 130 bytes each. */
  kept: 200_000,
  /** Nodes in one child of the root, which the reader holds as a whole. */
  branch: 5_000,
  attributes: 64,
  name: 1_024,
  /** Characters of the text of an element, attribute or comment. */
  text: 128 * 1024,
  texts: new Map([
    // The maximum size of a calendar object; longer ones are never read.
    ['{urn:ietf:params:xml:ns:caldav}calendar-data', 1024 * 1024],
    ['{DAV:}href', 8 * 1024],
    ['{DAV:}status', 1_024],
  ]),
  prolog: 16 * 1024,
};

export type XmlLimits = typeof XML_LIMITS;

/** Bytes read in one step, which take less than 2 ms in any document. */
const PIECE_BYTES = 4 * 1024;
/** Characters. V8 holds an appended text as a tree of its pieces, many times its size, until something reads it. */
const FLATTENED_EVERY = 64 * 1024;
/** Length of `#x10FFFF` with some leading zeros. */
const MAX_REFERENCE_LENGTH = 32;

export type XmlRule =
  Exclude<keyof XmlLimits, 'texts'> | 'doctype' | 'not-well-formed' | 'responses' | 'not-multistatus';

/** The document is not XML, or breaks `rule`. */
export class XmlError extends Error {
  override readonly name = 'XmlError';

  constructor(readonly rule: XmlRule) {
    super(`The XML was refused: ${rule}`);
  }
}

/**
 * Receives each closed element. May take the element over; its parent then drops it.
 * @returns the number of its nodes that stay in memory elsewhere; null when not taken
 */
type ElementListener = (element: DavElement, depth: number) => number | null;

const NO_ATTRIBUTES: Readonly<Record<string, string>> = Object.freeze({});

const PARSER_OPTIONS = { xmlns: true, position: false } as const;

/** saxes with the parts that its types hide. */
interface OpenedParser extends Pick<SaxesParser<typeof PARSER_OPTIONS>, 'on' | 'write' | 'close' | 'ENTITIES'> {
  readonly name: string;
  readonly piTarget: string;
  readonly entity: string;
  readonly text: string;
  parseEntity(entity: string): string;
}

const OpenedParser = SaxesParser as unknown as new (options: typeof PARSER_OPTIONS) => OpenedParser;

/** Some servers write characters as references that XML 1.0 §4.1 forbids; one of them must not fail a whole listing. */
class TolerantParser extends OpenedParser {
  override parseEntity(entity: string): string {
    const reference = /^#(?:x([\da-fA-F]+)|(\d+))$/.exec(entity);
    if (reference === null) return super.parseEntity(entity);
    const [, hexadecimal, decimal = ''] = reference;
    const code = hexadecimal === undefined ? parseInt(decimal, 10) : parseInt(hexadecimal, 16);
    if (code > 0x10ffff) return REPLACEMENT;
    // Two surrogates after each other stand for one character. `toWellFormed` replaces those without a partner.
    return code >= 0xd800 && code <= 0xdfff ? String.fromCharCode(code) : readable(String.fromCodePoint(code));
  }
}

/** Strict, namespace-aware reader without document types; only the five XML entities and numeric references exist. */
export class XmlReader {
  readonly #parser = new TolerantParser(PARSER_OPTIONS);
  readonly #limits: XmlLimits;
  readonly #onElement: ElementListener;
  #prolog: string | null = '';
  readonly #open: DavElement[] = [];
  #root: DavElement | null = null;
  #nodes = 0;
  #kept = 0;
  /** Kept nodes before each open element. */
  readonly #keptBefore: number[] = [];
  #attributes = 0;
  #flattened = 0;

  constructor(onElement: ElementListener = () => null, limits: Partial<XmlLimits> = {}) {
    this.#onElement = onElement;
    this.#limits = { ...XML_LIMITS, ...limits };
    const parser = this.#parser;
    // saxes looks entities up in a plain object, which would resolve `&constructor;`.
    const entities = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
    parser.ENTITIES = Object.assign(Object.create(null) as Record<string, string>, entities);
    // saxes stores listeners as properties; with a seventh one V8 uses a dictionary and reads six times as long.
    // Document types need none: the prolog check rejects them, and saxes rejects them after the root.
    parser.on('error', () => {
      throw new XmlError('not-well-formed');
    });
    parser.on('attribute', (attribute) => this.#attribute(attribute));
    parser.on('opentag', (tag) => this.#opened(tag));
    parser.on('closetag', () => this.#closed());
    parser.on('text', (text) => this.#text(text));
    parser.on('cdata', (text) => this.#text(text));
  }

  /** Reads a document as a stream. @throws XmlError, also for a truncated document */
  async read(chunks: AsyncIterable<Uint8Array>): Promise<DavElement> {
    const pace = new Pace();
    let decoder: TextDecoder | undefined;
    for await (const chunk of chunks) {
      for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
        const piece = chunk.subarray(at, at + PIECE_BYTES);
        decoder ??= new TextDecoder(encodingOf(piece));
        this.#writeText(decoder.decode(piece, { stream: true }));
        this.#assertPending();
        await pace.step();
      }
    }
    this.#writeText(decoder?.decode() ?? '');
    if (this.#prolog !== null) throw new XmlError('not-well-formed');
    this.#parser.close();
    if (this.#root === null) throw new XmlError('not-well-formed');
    return this.#root;
  }

  #writeText(text: string): void {
    if (this.#prolog === null) {
      this.#parser.write(readable(text));
      return;
    }
    this.#prolog += text;
    if (!hasReachedRoot(this.#prolog)) {
      if (this.#prolog.length > this.#limits.prolog) throw new XmlError('prolog');
      return;
    }
    // Some servers send line ends before the XML declaration, against XML 1.0 §2.8.
    const start = this.#prolog.trimStart();
    this.#prolog = null;
    this.#parser.write(readable(start));
  }

  /** saxes reports a name, reference or text only at its end, which is too late for an endless one. */
  #assertPending(): void {
    const parser = this.#parser;
    this.#assertName(parser.name);
    this.#assertName(parser.piTarget);
    if (parser.entity.length > MAX_REFERENCE_LENGTH) throw new XmlError('not-well-formed');
    const { text } = parser;
    this.#assertText(text.length);
    if (text.length < this.#flattened) this.#flattened = 0;
    if (text.length - this.#flattened < FLATTENED_EVERY) return;
    text.charCodeAt(0); // reading a character makes V8 flatten the text
    this.#flattened = text.length;
  }

  #assertName(name: string): void {
    if (name.length > this.#limits.name) throw new XmlError('name');
  }

  #assertText(length: number): void {
    const { text, texts } = this.#limits;
    const own = texts.get(this.#open.at(-1)?.name ?? '');
    if (length > (own ?? text)) throw new XmlError('text');
  }

  #count(nodes: number): void {
    const { nodes: most, kept, branch } = this.#limits;
    this.#nodes += nodes;
    this.#kept += nodes;
    if (this.#nodes > most) throw new XmlError('nodes');
    if (this.#kept > kept) throw new XmlError('kept');
    if (this.#kept - (this.#keptBefore[1] ?? this.#kept) > branch) throw new XmlError('branch');
  }

  #attribute({ name, value }: { name: string; value: string }): void {
    this.#attributes += 1;
    if (this.#attributes > this.#limits.attributes) throw new XmlError('attributes');
    this.#assertName(name);
    if (value.length > this.#limits.text) throw new XmlError('text');
  }

  #opened({ name, uri, local, attributes }: SaxesTagNS): void {
    this.#assertName(name);
    if (this.#open.length >= this.#limits.depth) throw new XmlError('depth');
    this.#keptBefore.push(this.#kept);
    this.#count(1 + this.#attributes);
    this.#open.push({
      name: `{${uri}}${local}`,
      attributes: this.#attributes === 0 ? NO_ATTRIBUTES : ownOf(attributes),
      text: '',
      children: [],
    });
    this.#attributes = 0;
  }

  #closed(): void {
    const element = this.#open.pop();
    const keptBefore = this.#keptBefore.pop();
    const parent = this.#open.at(-1);
    if (element === undefined || keptBefore === undefined) return;
    element.text = element.text.toWellFormed();
    if (parent === undefined) {
      this.#root = element;
      return;
    }
    const kept = this.#onElement(element, this.#open.length);
    if (kept === null) parent.children.push(element);
    else this.#kept = keptBefore + kept;
  }

  #text(text: string): void {
    const element = this.#open.at(-1);
    if (element === undefined) return;
    this.#assertText(element.text.length + text.length);
    // Comments or elements split a text, and V8 holds the pieces as a tree.
    if (element.text !== '') this.#count(1);
    element.text += text;
  }
}

function ownOf(attributes: SaxesTagNS['attributes']): Record<string, string> {
  const own = Object.values(attributes).filter(({ prefix, name }) => prefix !== 'xmlns' && name !== 'xmlns');
  return Object.fromEntries(own.map((attribute) => [attribute.local, attribute.value.toWellFormed()]));
}

export function childNamed(element: DavElement | undefined, name: string): DavElement | undefined {
  return element?.children.find((child) => child.name === name);
}

/** WebDAV allows UTF-8 and UTF-16 (RFC 4918 §19.4); a byte order mark identifies the latter. */
function encodingOf(first: Uint8Array): string {
  if (first[0] === 0xff && first[1] === 0xfe) return 'utf-16le';
  if (first[0] === 0xfe && first[1] === 0xff) return 'utf-16be';
  return 'utf-8';
}

/**
 * True once the text is past the prolog (XML 1.0 §2.8: declaration, comments, instructions).
 * @throws XmlError for a document type, before the parser sees it
 */
function hasReachedRoot(text: string): boolean {
  let rest = text.trimStart();
  for (;;) {
    if (rest.startsWith('<?')) {
      const end = rest.indexOf('?>');
      if (end < 0) return false;
      rest = rest.slice(end + 2).trimStart();
    } else if (rest.startsWith('<!--')) {
      const end = rest.indexOf('-->', 4);
      if (end < 0) return false;
      rest = rest.slice(end + 3).trimStart();
    } else if (rest.startsWith('<!') && !'<!--'.startsWith(rest)) {
      throw new XmlError('doctype');
    } else if (rest !== '' && !rest.startsWith('<')) {
      throw new XmlError('not-well-formed');
    } else {
      return rest.length >= 2 && !'<!--'.startsWith(rest);
    }
  }
}

const REPLACEMENT = '\ufffd';
// eslint-disable-next-line no-control-regex -- these are the characters outside of the Char production of XML 1.0 §2.2
const UNREADABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/** Some servers copy illegal control characters of event texts; one of them must not fail a batch of fifty events. */
function readable(text: string): string {
  return text.replace(UNREADABLE, REPLACEMENT);
}

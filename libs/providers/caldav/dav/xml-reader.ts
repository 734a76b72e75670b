import { SaxesParser, type SaxesTagNS } from 'saxes';
import { Pace } from '#platform/event-loop';
import type { DavElement } from './contract.js';

/** Bounds of one XML document: what reading it costs in time and memory does not follow from its bytes. */
const XML_LIMITS = {
  depth: 64,
  /** Elements, attributes, and the pieces that texts come in, together. */
  nodes: 600_000,
  /** Nodes in memory at a time: a kept one is some 130 bytes. */
  kept: 200_000,
  /** Nodes in one child of the root, which is looked at as a whole. */
  branch: 5_000,
  attributes: 64,
  name: 1_024,
  /** Characters of the text of one element, of an attribute or comment. */
  text: 128 * 1024,
  /** Other limits of the text of elements with these names. */
  texts: new Map([
    // As many as an object may have octets: a longer one is not read.
    ['{urn:ietf:params:xml:ns:caldav}calendar-data', 1024 * 1024],
    ['{DAV:}href', 8 * 1024],
    ['{DAV:}status', 1_024],
  ]),
  prolog: 16 * 1024,
};

export type XmlLimits = typeof XML_LIMITS;

/** So much of a document is read at a time, bytes: less than 2 ms of work, whatever it is. */
const PIECE_BYTES = 4 * 1024;
/** Characters. A text that grows by references is a tree of its pieces, many times its size, until it is read. */
const FLATTENED_EVERY = 64 * 1024;
/** `#x10FFFF`, with some zeros. */
const LONGEST_REFERENCE = 32;

export type XmlRule =
  | 'doctype'
  | 'not-well-formed'
  | 'depth'
  | 'nodes'
  | 'kept'
  | 'branch'
  | 'attributes'
  | 'name'
  | 'text'
  | 'prolog'
  | 'responses'
  | 'not-multistatus';

/** The document is not XML, or is XML that we refuse: `rule` says which, for logs. */
export class XmlRefused extends Error {
  override readonly name = 'XmlRefused';

  constructor(readonly rule: XmlRule) {
    super(`The XML was refused: ${rule}`);
  }
}

/**
 * Called when an element has closed. It may take the element over, which its parent does not keep then.
 * @returns how many nodes of it stay in memory elsewhere; null when it is not taken
 */
type ElementListener = (element: DavElement, depth: number) => number | null;

const NO_ATTRIBUTES: Readonly<Record<string, string>> = Object.freeze({});

/** A strict, namespace-aware reader. No document type, so no entities but the five of XML and numeric ones. */
export class XmlReader {
  readonly #parser = new SaxesParser({ xmlns: true, position: false });
  readonly #limits: XmlLimits;
  readonly #onElement: ElementListener;
  #prolog: string | null = '';
  readonly #open: DavElement[] = [];
  #root: DavElement | null = null;
  #nodes = 0;
  #kept = 0;
  /** What was kept when each of the open elements began, itself left out. */
  readonly #keptBefore: number[] = [];
  #attributes = 0;
  #flattened = 0;

  constructor(onElement: ElementListener = () => null, limits: Partial<XmlLimits> = {}) {
    this.#onElement = onElement;
    this.#limits = { ...XML_LIMITS, ...limits };
    const parser = this.#parser;
    // saxes looks entities up in a plain object, where `&constructor;` would be found.
    const entities = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
    parser.ENTITIES = Object.assign(Object.create(null) as Record<string, string>, entities);
    // saxes keeps its listeners in properties of the parser: with a seventh V8 makes a table of these, and reading takes six
    // times as long. None is needed for document types: they are refused before, and are errors behind the root.
    parser.on('error', () => {
      throw new XmlRefused('not-well-formed');
    });
    parser.on('attribute', (attribute) => this.#attribute(attribute));
    parser.on('opentag', (tag) => this.#opened(tag));
    parser.on('closetag', () => this.#closed());
    parser.on('text', (text) => this.#text(text));
    parser.on('cdata', (text) => this.#text(text));
  }

  /** Reads a document as it comes. @throws XmlRefused, also when the document ends too early */
  async read(chunks: AsyncIterable<Uint8Array>): Promise<DavElement> {
    const pace = new Pace();
    let decoder: TextDecoder | undefined;
    for await (const chunk of chunks) {
      for (let at = 0; at < chunk.length; at += PIECE_BYTES) {
        const piece = chunk.subarray(at, at + PIECE_BYTES);
        decoder ??= new TextDecoder(encodingOf(piece));
        this.#writeText(decoder.decode(piece, { stream: true }));
        this.#judgePending();
        await pace.step();
      }
    }
    this.#writeText(decoder?.decode() ?? '');
    if (this.#prolog !== null) throw new XmlRefused('not-well-formed');
    this.#parser.close();
    if (this.#root === null) throw new XmlRefused('not-well-formed');
    return this.#root;
  }

  #writeText(text: string): void {
    if (this.#prolog === null) {
      this.#parser.write(readable(text));
      return;
    }
    this.#prolog += text;
    if (!hasReachedRoot(this.#prolog)) {
      if (this.#prolog.length > this.#limits.prolog) throw new XmlRefused('prolog');
      return;
    }
    // Servers put line ends before the declaration (XML 1.0 §2.8 does not allow them).
    const start = this.#prolog.trimStart();
    this.#prolog = null;
    this.#parser.write(readable(start));
  }

  /** saxes tells of a name, a reference or a text at its end; one without end would be told too late. */
  #judgePending(): void {
    const parser = this.#parser;
    this.#assertName(parser['name'] as string);
    this.#assertName(parser['piTarget'] as string);
    if ((parser['entity'] as string).length > LONGEST_REFERENCE) throw new XmlRefused('not-well-formed');
    const text = parser['text'] as string;
    this.#assertText(text.length);
    if (text.length < this.#flattened) this.#flattened = 0;
    if (text.length - this.#flattened < FLATTENED_EVERY) return;
    text.charCodeAt(0); // what asks for a character gets one text made of the pieces
    this.#flattened = text.length;
  }

  #assertName(name: string): void {
    if (name.length > this.#limits.name) throw new XmlRefused('name');
  }

  #assertText(length: number): void {
    const { text, texts } = this.#limits;
    const own = texts.get(this.#open.at(-1)?.name ?? '');
    if (length > (own ?? text)) throw new XmlRefused('text');
  }

  #count(nodes: number): void {
    const { nodes: most, kept, branch } = this.#limits;
    this.#nodes += nodes;
    this.#kept += nodes;
    if (this.#nodes > most) throw new XmlRefused('nodes');
    if (this.#kept > kept) throw new XmlRefused('kept');
    if (this.#kept - (this.#keptBefore[1] ?? this.#kept) > branch) throw new XmlRefused('branch');
  }

  #attribute({ name, value }: { name: string; value: string }): void {
    this.#attributes += 1;
    if (this.#attributes > this.#limits.attributes) throw new XmlRefused('attributes');
    this.#assertName(name);
    if (value.length > this.#limits.text) throw new XmlRefused('text');
  }

  #opened({ name, uri, local, attributes }: SaxesTagNS): void {
    this.#assertName(name);
    if (this.#open.length >= this.#limits.depth) throw new XmlRefused('depth');
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
    // A text in pieces, comments or elements between them, is a tree of them.
    if (element.text !== '') this.#count(1);
    element.text += text;
  }
}

function ownOf(attributes: SaxesTagNS['attributes']): Record<string, string> {
  const own = Object.values(attributes).filter(({ prefix, name }) => prefix !== 'xmlns' && name !== 'xmlns');
  return Object.fromEntries(own.map((attribute) => [attribute.local, attribute.value]));
}

export function childNamed(element: DavElement | undefined, name: string): DavElement | undefined {
  return element?.children.find((child) => child.name === name);
}

/** WebDAV allows UTF-8 and UTF-16 (RFC 4918 §19.4); the latter shows by its byte order mark. */
function encodingOf(first: Uint8Array): string {
  if (first[0] === 0xff && first[1] === 0xfe) return 'utf-16le';
  if (first[0] === 0xfe && first[1] === 0xff) return 'utf-16be';
  return 'utf-8';
}

/**
 * True once the prolog (XML 1.0 §2.8: declaration, comments, instructions) has been passed.
 * @throws XmlRefused for a document type, before anything parses it
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
      throw new XmlRefused('doctype');
    } else if (rest !== '' && !rest.startsWith('<')) {
      throw new XmlRefused('not-well-formed');
    } else {
      return rest.length >= 2 && !'<!--'.startsWith(rest);
    }
  }
}

// eslint-disable-next-line no-control-regex -- these are the characters outside of the Char production of XML 1.0 §2.2
const UNREADABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/** Some servers copy control characters of event texts into XML, where they are illegal: one must not hide fifty events. */
function readable(text: string): string {
  return text.replace(UNREADABLE, '\ufffd');
}

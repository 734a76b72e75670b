import { SaxesParser, type SaxesTagNS } from 'saxes';
import type { DavElement } from './contract.js';

/** Bounds of one XML document. */
export interface XmlLimits {
  depth: number;
  /** Elements and attributes together: what is kept in memory grows with them, not with bytes. */
  nodes: number;
  /** Characters before the root element. */
  prolog: number;
}

export const XML_LIMITS: XmlLimits = { depth: 64, nodes: 600_000, prolog: 16 * 1024 };

/** The document is not XML, or is XML that we refuse: `rule` says which, for logs. */
export class XmlRefused extends Error {
  override readonly name = 'XmlRefused';

  constructor(
    readonly rule: 'doctype' | 'not-well-formed' | 'depth' | 'nodes' | 'prolog' | 'responses' | 'not-multistatus',
  ) {
    super(`The XML was refused: ${rule}`);
  }
}

/** Called when an element has closed, with the number of its ancestors; true: used up, do not keep it in its parent. */
export type ElementListener = (element: DavElement, depth: number) => boolean;

/**
 * A strict, namespace-aware reader that is fed piece by piece. No document type, no entities but the five of XML and
 * numeric ones (a document type is where entities would be declared).
 */
export class XmlReader {
  readonly #parser = new SaxesParser({ xmlns: true, position: false });
  readonly #limits: XmlLimits;
  readonly #onElement: ElementListener;
  #decoder: TextDecoder | null = null;
  #prolog: string | null = '';
  readonly #open: DavElement[] = [];
  #root: DavElement | null = null;
  #nodes = 0;

  constructor(onElement: ElementListener = () => false, limits: Partial<XmlLimits> = {}) {
    this.#onElement = onElement;
    this.#limits = { ...XML_LIMITS, ...limits };
    const parser = this.#parser;
    // saxes looks entities up in a plain object, where `&constructor;` would be found.
    parser.ENTITIES = Object.assign(Object.create(null) as Record<string, string>, {
      amp: '&',
      lt: '<',
      gt: '>',
      quot: '"',
      apos: "'",
    });
    parser.on('error', () => {
      throw new XmlRefused('not-well-formed');
    });
    parser.on('doctype', () => {
      throw new XmlRefused('doctype');
    });
    parser.on('opentag', (tag) => this.#opened(tag));
    parser.on('closetag', () => this.#closed());
    parser.on('text', (text) => this.#text(text));
    parser.on('cdata', (text) => this.#text(text));
  }

  /** @throws XmlRefused */
  write(chunk: Uint8Array): void {
    this.#decoder ??= new TextDecoder(encodingOf(chunk));
    this.#writeText(this.#decoder.decode(chunk, { stream: true }));
  }

  /** The root element. @throws XmlRefused, also when the document ends too early */
  end(): DavElement {
    this.#writeText(this.#decoder?.decode() ?? '');
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
    const hasRoot = hasReachedRoot(this.#prolog);
    if (!hasRoot) {
      if (this.#prolog.length > this.#limits.prolog) throw new XmlRefused('prolog');
      return;
    }
    // Servers put line ends before the declaration (XML 1.0 §2.8 does not allow them).
    const start = this.#prolog.trimStart();
    this.#prolog = null;
    this.#parser.write(readable(start));
  }

  #opened({ uri, local, attributes }: SaxesTagNS): void {
    const list = Object.values(attributes);
    this.#nodes += 1 + list.length;
    if (this.#open.length >= this.#limits.depth) throw new XmlRefused('depth');
    if (this.#nodes > this.#limits.nodes) throw new XmlRefused('nodes');
    const own = list.filter(({ prefix, name }) => prefix !== 'xmlns' && name !== 'xmlns');
    this.#open.push({
      name: `{${uri}}${local}`,
      attributes: Object.fromEntries(own.map((attribute) => [attribute.local, attribute.value])),
      text: '',
      children: [],
    });
  }

  #closed(): void {
    const element = this.#open.pop();
    const parent = this.#open.at(-1);
    if (element === undefined) return;
    if (parent === undefined) this.#root = element;
    else if (!this.#onElement(element, this.#open.length)) parent.children.push(element);
  }

  #text(text: string): void {
    const element = this.#open.at(-1);
    if (element !== undefined) element.text += text;
  }
}

/** Reads a document that is in memory already. @throws XmlRefused */
export function readXml(body: Uint8Array, limits: Partial<XmlLimits> = {}): DavElement {
  const reader = new XmlReader(() => false, limits);
  reader.write(body);
  return reader.end();
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
 * @throws XmlRefused for a document type: refused by its first characters, before anything parses it
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

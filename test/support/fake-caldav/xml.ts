import { SaxesParser } from 'saxes';

/** What the fake reads of a request body. Kept apart from the product's reader, so that one cannot hide the other's faults. */
export interface RequestElement {
  /** `{namespace}local` */
  name: string;
  attributes: Record<string, string>;
  text: string;
  children: RequestElement[];
}

export const DAV = 'DAV:';
export const CALDAV = 'urn:ietf:params:xml:ns:caldav';
export const CALENDARSERVER = 'http://calendarserver.org/ns/';
export const APPLE = 'http://apple.com/ns/ical/';

/** null when the body is empty or is not well-formed. */
export function readXml(body: Buffer): RequestElement | null {
  const root: RequestElement = { name: '', attributes: {}, text: '', children: [] };
  const open = [root];
  let isBroken = false;
  const parser = new SaxesParser({ xmlns: true });
  parser.on('error', () => {
    isBroken = true;
  });
  parser.on('opentag', (tag) => {
    const attributes = Object.fromEntries(Object.values(tag.attributes).map(({ local, value }) => [local, value]));
    const element = { name: `{${tag.uri}}${tag.local}`, attributes, text: '', children: [] };
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  const addText = (text: string): void => {
    const element = open.at(-1);
    if (element !== undefined) element.text += text;
  };
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('closetag', () => {
    open.pop();
  });
  parser.write(body.toString('utf8')).close();
  return isBroken ? null : (root.children[0] ?? null);
}

export function child(element: RequestElement | undefined, name: string): RequestElement | undefined {
  return element?.children.find((candidate) => candidate.name === name);
}

/** Every element of that name below (and with) this one. */
export function descendants(element: RequestElement, name: string): RequestElement[] {
  const below = element.children.flatMap((candidate) => descendants(candidate, name));
  return element.name === name ? [element, ...below] : below;
}

export function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

/** An answer property: `{namespace}local` and the XML inside of it; status of its propstat (200 when left out). */
export interface ResponseProperty {
  name: string;
  xml: string;
  status?: number;
}

export interface AnswerResponse {
  href: string;
  /** Instead of properties. */
  status?: number;
  properties?: ResponseProperty[];
}

/** How the same multistatus may be written. */
export type XmlStyle = 'prefixed' | 'default-namespace' | 'cdata';

const PREFIXES: Record<string, string> = { [DAV]: 'd', [CALDAV]: 'cal', [CALENDARSERVER]: 'cs', [APPLE]: 'a' };

/** `D:` or nothing before DAV names; any other namespace is declared where it is used. */
export function tag(name: string, xml: string, style: XmlStyle): string {
  const [, namespace = '', local = ''] = /^\{(.*)\}(.*)$/.exec(name) ?? [];
  const content = style === 'cdata' && xml !== '' && !xml.includes('<') ? `<![CDATA[${unescapeXml(xml)}]]>` : xml;
  if (style === 'default-namespace') {
    return namespace === DAV
      ? `<${local}>${content}</${local}>`
      : `<${local} xmlns="${namespace}">${content}</${local}>`;
  }
  const prefix = PREFIXES[namespace] ?? 'x';
  const declaration = prefix === 'x' ? ` xmlns:x="${escapeXml(namespace)}"` : '';
  return `<${prefix}:${local}${declaration}>${content}</${prefix}:${local}>`;
}

export function multistatus(responses: AnswerResponse[], style: XmlStyle, syncToken?: string): string {
  const dav = (local: string, xml: string): string => tag(`{DAV:}${local}`, xml, style);
  const body = responses.map(({ href, status, properties = [] }) => {
    const groups = Map.groupBy(properties, (property) => property.status ?? 200);
    const propstats = [...groups].map(([code, members]) =>
      dav(
        'propstat',
        dav('prop', members.map(({ name, xml }) => tag(name, xml, style)).join('')) + dav('status', statusLine(code)),
      ),
    );
    const inner = status === undefined ? propstats.join('') : dav('status', statusLine(status));
    return dav('response', dav('href', escapeXml(href)) + inner);
  });
  const token = syncToken === undefined ? '' : dav('sync-token', escapeXml(syncToken));
  const prefixes = Object.entries(PREFIXES)
    .map(([namespace, prefix]) => `xmlns:${prefix}="${namespace}"`)
    .join(' ');
  const declarations = style === 'default-namespace' ? `xmlns="DAV:" ${prefixes}` : prefixes;
  const root = style === 'default-namespace' ? 'multistatus' : 'd:multistatus';
  return `<?xml version="1.0" encoding="utf-8"?>\n<${root} ${declarations}>${body.join('\n')}${token}</${root}>`;
}

/** `<D:error>` with one precondition (RFC 4918 §16). */
export function errorBody(precondition: string): string {
  return `<?xml version="1.0"?><d:error xmlns:d="DAV:" xmlns:cal="${CALDAV}">${tag(precondition, '', 'prefixed')}</d:error>`;
}

function statusLine(status: number): string {
  return `HTTP/1.1 ${status} ${status === 200 ? 'OK' : 'Status'}`;
}

function unescapeXml(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
}

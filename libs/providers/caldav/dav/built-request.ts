import { DAVAttributeMap, DAVNamespace, davRequest, propfind } from 'tsdav';
import type { DavRequest } from './dav-transport.js';

type PropfindParameters = Parameters<typeof propfind>[0];

/** XML as an object in tsdav's form: names with a prefix of `DAVNamespaceShort`. */
export type XmlContent = PropfindParameters['props'];

type Fetch = NonNullable<PropfindParameters['fetch']>;

export interface Destination {
  url: string;
  fetch: Fetch;
}

export type Build = (to: Destination) => Promise<unknown>;

/** Some tsdav functions ignore the depth parameter, so the headers carry it as well. */
export interface XmlDestination extends Destination {
  depth: '0' | '1';
  headers: Record<string, string>;
}

export const XML_HEADERS = { 'content-type': 'application/xml; charset=utf-8' };

/** The empty success that tsdav receives, so that tsdav parses nothing. Reusable, because it has no body. */
const READ_ELSEWHERE = new Response(null, { status: 207 });

/** Lets tsdav build one request. The real response or error bypasses tsdav. */
export async function sendBuilt<T>(
  url: string,
  build: Build,
  exchange: (request: Omit<DavRequest, 'maxBytes'>) => Promise<T>,
): Promise<T> {
  let take = (): T => {
    throw new TypeError('tsdav made no request');
  };
  await build({
    url,
    fetch: async (target, init) => {
      const value = await exchange(toDavRequest(target as string, init ?? {}));
      take = () => value;
      return READ_ELSEWHERE;
    },
  });
  return take();
}

/** @param init as tsdav builds it: headers as a record, body as text or bytes */
function toDavRequest(url: string, init: RequestInit): Omit<DavRequest, 'maxBytes'> {
  const headers = { ...(init.headers as Record<string, string>) };
  const body = init.body as Buffer | string | null | undefined;
  // tsdav sets a content type even without a body.
  if (body == null) delete headers['Content-Type'];
  return {
    method: init.method ?? 'GET',
    url: new URL(url),
    headers,
    // tsdav does not escape CR, which XML parsers turn into LF (XML 1.0 §2.11).
    ...(body != null && { body: typeof body === 'string' ? body.replaceAll('\r', '&#13;') : body }),
  };
}

/** Always sends Depth: the default is infinity (RFC 4918 §9.1), which servers reject. */
export function xmlDestination(to: Destination, depth: '0' | '1'): XmlDestination {
  return { ...to, depth, headers: { ...XML_HEADERS, depth } };
}

/** PROPFIND bodies by their properties, whose lists are constants. */
const PROPFIND_BODIES = new Map<string, RequestInit['body']>();

/**
 * Caches the body, because writing it is most of tsdav's cost (ADR 21).
 * @param properties `{namespace}local`
 */
export function buildPropfind(depth: '0' | '1', properties: readonly string[]): Build {
  const key = properties.join(' ');
  const body = PROPFIND_BODIES.get(key);
  if (body !== undefined) {
    const init = { method: 'PROPFIND', headers: { ...XML_HEADERS, depth }, body } as const;
    return (to) => davRequest({ ...to, convertIncoming: false, init });
  }
  const props = Object.fromEntries(properties.map((name) => [prefixed(name), {}]));
  return (to) => {
    const fetch: Fetch = (url, init) => {
      PROPFIND_BODIES.set(key, init?.body);
      return to.fetch(url, init);
    };
    return propfind({ ...xmlDestination({ ...to, fetch }, depth), props });
  };
}

/** `{DAV:}getetag` → `d:getetag` */
export function prefixed(name: string): string {
  const end = name.indexOf('}');
  return `${DAVAttributeMap[name.slice(1, end) as DAVNamespace].slice('xmlns:'.length)}:${name.slice(end + 1)}`;
}

/** Removes characters that XML 1.0 cannot hold and escapes each `&` once, because tsdav unescapes it. */
export function xmlText(text: string): string {
  return text.replace(UNSENDABLE, '').replaceAll('&', '&amp;');
}

// Characters outside the Char production of XML 1.0 §2.2.
const UNSENDABLE =
  // eslint-disable-next-line no-control-regex -- exactly these are not allowed
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

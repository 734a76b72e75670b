import type { DavHttpResponse, DavElement, DavResponse, Multistatus } from './contract.js';
import { DavStatusError } from './dav-errors.js';
import { drain, type Arrival } from './dav-transport.js';
import { comparablePath, resolveHref } from './hrefs.js';
import { childNamed, XmlReader, XmlError, type XmlLimits } from './xml-reader.js';

/** Maximum size of an XML response after decompression, in bytes. */
export const MAX_XML_BYTES = 10 * 1024 * 1024;
export const MAX_OBJECT_BYTES = 1024 * 1024;
/** Maximum size of a DAV:error body, in bytes; real ones are tiny. */
const MAX_ERROR_BYTES = 64 * 1024;
const MAX_ERROR_NODES = 1_000;
const RESPONSE_NODES = 5;
const MAX_OTHERS = 100;
const MAX_RESPONSES = 20_000;

export interface Finding extends Multistatus {
  url: URL;
}

/** @throws DavStatusError for any status but 207 */
export async function takeMultistatus(method: string, arrival: Arrival): Promise<Finding> {
  if (arrival.status !== 207) throw new DavStatusError(method, arrival.status, await readPrecondition(arrival));
  return { ...(await readMultistatus(arrival)), url: arrival.url };
}

/** Reads only bodies of successful responses. @throws XmlError, EgressError */
export async function readResponse(arrival: Arrival): Promise<DavHttpResponse> {
  const { headers, status } = arrival;
  const response = {
    status,
    etag: headers['etag']?.trim() || null,
    scheduleTag: headers['schedule-tag']?.trim() || null,
    location: headers['location']?.trim() || null,
    lastModified: headers['last-modified']?.trim() || null,
    body: Buffer.alloc(0),
    precondition: null,
  };
  // Xandikos reports failed writes inside a 207.
  if (status === 207) return { ...response, status: innerFailure(await readMultistatus(arrival)) ?? 200 };
  if (status >= 200 && status < 300) return { ...response, body: await readAll(arrival) };
  return { ...response, precondition: await readPrecondition(arrival) };
}

/** Tokens of the DAV header (RFC 4918 §10.1), lower-case. */
export function davTokens(header: string | undefined): string[] {
  return (header ?? '')
    .split(',')
    .map((token) => token.trim().toLowerCase())
    .filter((token) => token !== '');
}

/** Returns `{namespace}local` of the first condition in a DAV:error body (RFC 4918 §16); null for any other body. */
export async function readPrecondition(arrival: Arrival): Promise<string | null> {
  if (arrival.status < 400 || !/\bxml\b/i.test(arrival.headers['content-type'] ?? 'xml')) {
    await drain(arrival);
    return null;
  }
  try {
    const root = await new XmlReader(undefined, { nodes: MAX_ERROR_NODES }).read(beginningOf(arrival.chunks));
    return root.name === '{DAV:}error' ? (root.children.find(isCondition)?.name ?? null) : null;
  } catch (error) {
    if (error instanceof XmlError) return null; // an HTML error page; the status suffices
    throw error;
  }
}

/** Cuts a longer body, which is then not well-formed. */
async function* beginningOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > MAX_ERROR_BYTES) return;
    yield chunk;
  }
}

/** sabre/dav (Nextcloud, Baikal) adds elements of its own before the condition. */
function isCondition({ name }: DavElement): boolean {
  return CONDITION_NAMESPACES.some((namespace) => name.startsWith(namespace)) && name !== '{DAV:}responsedescription';
}

const CONDITION_NAMESPACES = ['{DAV:}', '{urn:ietf:params:xml:ns:caldav}', '{http://calendarserver.org/ns/}'];

async function readAll({ chunks }: Arrival): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of chunks) pieces.push(piece);
  return Buffer.concat(pieces);
}

/**
 * Reads a multistatus (RFC 4918 §14.16) as a stream; the body is never in memory as a whole.
 * @throws XmlError, EgressError
 */
export async function readMultistatus(
  { url, chunks }: { url: URL; chunks: AsyncIterable<Uint8Array> },
  { responses: maxResponses = MAX_RESPONSES, ...limits }: Partial<XmlLimits> & { responses?: number } = {},
): Promise<Multistatus> {
  const responses: DavResponse[] = [];
  let truncated = false;
  let others = 0;
  /** Returns the number of nodes that stay in memory, or an equivalent size. */
  const add = (element: DavElement): number => {
    const status = statusOf(element);
    // A 507 marks a partial response (RFC 6578 §3.6) and says nothing else about the collection.
    if (status === 507) {
      truncated = true;
      return 0;
    }
    const { properties, rejected } = propertiesOf(element);
    // One status may cover several hrefs (RFC 4918 §14.24).
    const hrefs = element.children.filter(({ name }) => name === '{DAV:}href').map(({ text }) => text.trim());
    for (const href of hrefs) responses.push({ href, path: pathIn(href, url), status, properties, rejected });
    return rejected.size + sizeOf(properties.values()) + hrefs.length * RESPONSE_NODES;
  };
  const reader = new XmlReader((element, ancestors) => {
    if (ancestors !== 1) return null;
    if (element.name !== '{DAV:}response') {
      others += 1;
      if (others > MAX_OTHERS) throw new XmlError('kept');
      return null;
    }
    const kept = add(element);
    if (responses.length > maxResponses) throw new XmlError('responses');
    return kept;
  }, limits);
  const root = await reader.read(chunks);
  if (root.name !== '{DAV:}multistatus') throw new XmlError('not-multistatus');
  const syncToken = childNamed(root, '{DAV:}sync-token')?.text.trim();
  return { responses, syncToken: syncToken || null, truncated };
}

/** Returns the comparable path of an href; null for another origin or an invalid URL. */
export function pathIn(href: string, base: URL): string | null {
  // Most hrefs are plain paths, and a URL object for each of ten thousand would cost more than the XML.
  if (PLAIN_PATH.test(href)) return comparablePath(href);
  const url = resolveHref(href, base);
  return url === null || url.origin !== base.origin ? null : comparablePath(url.pathname);
}

/** Matches absolute paths that the URL parser leaves unchanged: no dot segments, no query, nothing to escape. */
const PLAIN_PATH = /^\/(?:(?!\/|\.|%2e)[\w.~!$&'()*+,;=:@%-]+(?:\/(?=[^/])|\/?$))*$/i;

function propertiesOf(response: DavElement): Pick<DavResponse, 'properties' | 'rejected'> {
  const properties = new Map<string, DavElement>();
  const rejected = new Map<string, number>();
  for (const propstat of response.children) {
    if (propstat.name !== '{DAV:}propstat') continue;
    // iCloud leaves status texts empty (dengste/org-caldav#305); a property without a status counts as found.
    const status = statusOf(propstat) ?? 200;
    for (const property of childNamed(propstat, '{DAV:}prop')?.children ?? []) {
      if (status >= 200 && status < 300) properties.set(property.name, property);
      else rejected.set(property.name, status);
    }
  }
  for (const name of properties.keys()) rejected.delete(name);
  return { properties, rejected };
}

function sizeOf(elements: Iterable<DavElement>): number {
  let size = 0;
  for (const { attributes, children } of elements) size += 1 + Object.keys(attributes).length + sizeOf(children);
  return size;
}

/** `HTTP/1.1 404 Not Found` → 404 */
function statusOf(element: DavElement): number | null {
  const code = /^\s*(?:HTTP\/[\d.]+\s+)?(\d{3})(?!\d)/.exec(childNamed(element, '{DAV:}status')?.text ?? '')?.[1];
  return code === undefined ? null : Number(code);
}

/** Returns the first failure, preferably not a 424, which only follows from another one; null without failures. */
export function innerFailure({ responses, truncated }: Multistatus): number | null {
  if (truncated) return 507;
  const statuses = responses.flatMap(({ status, rejected }) => [status ?? 200, ...rejected.values()]);
  const failures = statuses.filter((status) => status >= 300);
  return failures.find((status) => status !== 424) ?? failures[0] ?? null;
}

import type { DavAnswer, DavElement, Multistatus } from './contract.js';
import { DavStatusError } from './dav-errors.js';
import { drain, type Arrival } from './dav-transport.js';
import { innerFailure, readMultistatus } from './multistatus.js';
import { XmlReader, XmlRefused } from './xml-reader.js';

/** Maximum size of an XML response after decompression, in bytes. */
export const MAX_XML_BYTES = 10 * 1024 * 1024;
export const MAX_OBJECT_BYTES = 1024 * 1024;
/** Maximum size of a DAV:error body, in bytes; real ones are tiny. */
const MAX_ERROR_BYTES = 64 * 1024;
const MAX_ERROR_NODES = 1_000;

export interface Finding extends Multistatus {
  url: URL;
}

/** @throws DavStatusError for any status but 207 */
export async function takeMultistatus(method: string, arrival: Arrival): Promise<Finding> {
  if (arrival.status !== 207) throw new DavStatusError(method, arrival.status, await readPrecondition(arrival));
  return { ...(await readMultistatus(arrival)), url: arrival.url };
}

/** Reads only bodies of successful responses. @throws XmlRefused, EgressError */
export async function readAnswer(arrival: Arrival): Promise<DavAnswer> {
  const { headers, status } = arrival;
  const answer = {
    status,
    etag: headers['etag']?.trim() || null,
    scheduleTag: headers['schedule-tag']?.trim() || null,
    location: headers['location']?.trim() || null,
    lastModified: headers['last-modified']?.trim() || null,
    body: Buffer.alloc(0),
    precondition: null,
  };
  // Xandikos reports failed writes inside a 207.
  if (status === 207) return { ...answer, status: innerFailure(await readMultistatus(arrival)) ?? 200 };
  if (status >= 200 && status < 300) return { ...answer, body: await readAll(arrival) };
  return { ...answer, precondition: await readPrecondition(arrival) };
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
    if (error instanceof XmlRefused) return null; // an HTML error page; the status suffices
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

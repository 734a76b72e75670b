import { davTokens, MAX_XML_BYTES, readMultistatus, readPrecondition } from './answers.js';
import type { Multistatus } from './contract.js';
import { DavStatusError } from './dav-errors.js';
import type { Arrival, DavRequest } from './dav-transport.js';
import { document, element } from './xml-writer.js';

/** A PROPFIND's answer with what discovery needs to know of it. */
export interface Finding extends Multistatus {
  /** Where it came from, after redirects. */
  url: URL;
  dav: string[];
}

/** Depth is always said: the default is infinity (RFC 4918 §9.1), which servers refuse. */
export function propfindRequest(url: URL, depth: '0' | '1', properties: readonly string[]): DavRequest {
  const prop = element('{DAV:}prop', properties.map((name) => element(name)).join(''));
  return {
    method: 'PROPFIND',
    url,
    headers: { 'content-type': 'application/xml; charset=utf-8', depth },
    body: document('{DAV:}propfind', prop),
    maxBytes: MAX_XML_BYTES,
  };
}

/** @throws DavStatusError for any answer that is not a 207 */
export function takeFinding(arrival: Arrival): Promise<Finding> {
  return takeMultistatus('PROPFIND', arrival);
}

/** @throws DavStatusError for any answer that is not a 207 */
export async function takeMultistatus(method: string, arrival: Arrival): Promise<Finding> {
  if (arrival.status !== 207) throw new DavStatusError(method, arrival.status, await readPrecondition(arrival));
  return { ...(await readMultistatus(arrival)), url: arrival.url, dav: davTokens(arrival.headers['dav']) };
}

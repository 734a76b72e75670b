import {
  cleanupFalsy,
  createObject,
  DAVNamespace,
  DAVNamespaceShort,
  davRequest,
  deleteObject,
  getDAVAttribute,
  makeCalendar,
  updateObject,
} from 'tsdav';
import { DomainError } from '#domain/system';
import { MAX_OBJECT_BYTES, MAX_XML_BYTES, pathIn, readResponse, takeMultistatus } from './responses.js';
import {
  buildPropfind,
  sendBuilt,
  XML_HEADERS,
  xmlDestination,
  type Build,
  type XmlContent,
  type XmlDestination,
} from './built-request.js';
import type { DavHttpResponse, Multistatus, PutOptions } from './contract.js';
import { davFailure, unusableResponse } from './dav-errors.js';
import { drain, type Arrival, type DavRequest, type DavTransport } from './dav-transport.js';
import { resolveHref } from './hrefs.js';

interface DavClientOptions {
  transport: DavTransport;
  /** Base of relative hrefs, and the only origin that receives requests. */
  origin: string;
  /** Where the client confirms a 401: the principal, or the root of the provider. */
  confirmUrl: URL;
  rejectedMessage: string;
}

export type ReportBuilder = (to: XmlDestination) => Promise<unknown>;

/**
 * WebDAV client of one account; tsdav builds its requests. Paths are raw hrefs from the server.
 * Returns every status to the caller except 401 (`CredentialsRejected` when the principal confirms it), 429 and 503.
 */
export class DavClient {
  constructor(private readonly account: DavClientOptions) {}

  /** Verifies the credentials by one small request. @throws DomainError CredentialsRejected; DavStatusError for 5xx */
  async verify(): Promise<true> {
    const { status } = await this.#askForPrincipal((request) => this.#exchange(request, readResponse));
    // Any other status (403, 404) shows that the server knows the user.
    if (status >= 500) throw davFailure({ status }, 'read');
    return true;
  }

  /** @throws DavStatusError for any status but 207 */
  propfind(href: string, depth: '0' | '1', properties: readonly string[]): Promise<Multistatus> {
    return this.#send(href, buildPropfind(depth, properties), (arrival) => takeMultistatus('PROPFIND', arrival));
  }

  /** @throws DavStatusError for any status but 207 */
  report(href: string, depth: '0' | '1', build: ReportBuilder): Promise<Multistatus> {
    const built: Build = (to) => build(xmlDestination(to, depth));
    return this.#send(href, built, (arrival) => takeMultistatus('REPORT', arrival));
  }

  /** Sends a REPORT whose response is no multistatus (free-busy-query, RFC 4791 §7.10). */
  reportBody(href: string, build: ReportBuilder): Promise<DavHttpResponse> {
    return this.#send(href, (to) => build(xmlDestination(to, '1')), readResponse, MAX_OBJECT_BYTES);
  }

  /** @throws DavStatusError for any status but 207 */
  proppatch(href: string, props: XmlContent): Promise<Multistatus> {
    const build = buildSetting('PROPPATCH', 'propertyupdate', props);
    return this.#send(href, build, (arrival) => takeMultistatus('PROPPATCH', arrival));
  }

  get(href: string): Promise<DavHttpResponse> {
    const init = { method: 'GET', headers: { accept: 'text/calendar' }, body: undefined } as const;
    return this.#send(href, (to) => davRequest({ ...to, init }), readResponse, MAX_OBJECT_BYTES);
  }

  put(href: string, body: Buffer, { ifMatch, ifNoneMatch, ifScheduleTagMatch }: PutOptions): Promise<DavHttpResponse> {
    const data = body as Buffer<ArrayBuffer>;
    const headers = cleanupFalsy({
      'content-type': 'text/calendar; charset=utf-8',
      'if-none-match': ifNoneMatch,
      'if-schedule-tag-match': ifScheduleTagMatch,
    });
    const build: Build = (to) =>
      ifMatch === undefined
        ? createObject({ ...to, data, headers })
        : updateObject({ ...to, data, headers, etag: ifMatch });
    return this.#send(href, build, readResponse);
  }

  /** `scheduleReply: false` sends `Schedule-Reply: F` (RFC 6638 §8.1). */
  delete(
    href: string,
    { ifMatch, scheduleReply }: { ifMatch?: string; scheduleReply?: boolean },
  ): Promise<DavHttpResponse> {
    const headers = cleanupFalsy({ 'if-match': ifMatch, 'schedule-reply': scheduleReply === false ? 'F' : undefined });
    return this.#send(href, (to) => deleteObject({ ...to, headers }), readResponse);
  }

  mkcalendar(href: string, props: XmlContent): Promise<DavHttpResponse> {
    return this.#send(href, (to) => makeCalendar({ ...to, headers: XML_HEADERS, props }), readResponse);
  }

  /** Extended MKCOL (RFC 5689). */
  mkcol(href: string, props: XmlContent): Promise<DavHttpResponse> {
    return this.#send(href, buildSetting('MKCOL', 'mkcol', props), readResponse);
  }

  pathOf(href: string): string | null {
    return pathIn(href, new URL(this.account.origin));
  }

  async #send<T>(
    href: string,
    build: Build,
    read: (arrival: Arrival) => Promise<T>,
    maxBytes = MAX_XML_BYTES,
  ): Promise<T> {
    return sendBuilt(this.#resolve(href), build, (request) => this.#exchange({ ...request, maxBytes }, read));
  }

  /** Sends credentials only to the account's own origin, whatever an href says. */
  #resolve(href: string): string {
    const url = resolveHref(href, this.account.origin);
    if (url === null || url.origin !== this.account.origin) {
      throw unusableResponse('The calendar server names an address outside of itself.', 'foreign-href');
    }
    url.hash = '';
    return url.href;
  }

  /** A 401 on one resource does not prove a wrong password: the principal decides, then the client retries. */
  async #exchange<T>(request: DavRequest, read: (arrival: Arrival) => Promise<T>): Promise<T> {
    const { transport } = this.account;
    const guarded = async (arrival: Arrival): Promise<{ value: T } | 'unauthorized'> => {
      if (arrival.status !== 401) return { value: await read(arrival) };
      await drain(arrival);
      return 'unauthorized';
    };
    const first = await transport.exchange(request, guarded).catch(asUnauthorized);
    if (first !== 'unauthorized') return first.value;
    await this.#confirmCredentials();
    const second = await transport.exchange(request, guarded).catch(asUnauthorized);
    if (second === 'unauthorized') throw davFailure({ status: 401 }, 'read');
    return second.value;
  }

  async #confirmCredentials(): Promise<void> {
    const { transport, rejectedMessage } = this.account;
    const status = await this.#askForPrincipal((request) =>
      transport.exchange(request, async (arrival) => {
        await drain(arrival);
        return arrival.status;
      }),
    );
    if (status === 401) throw new DomainError('CredentialsRejected', rejectedMessage);
  }

  #askForPrincipal<T>(exchange: (request: DavRequest) => Promise<T>): Promise<T> {
    const build = buildPropfind('0', ['{DAV:}current-user-principal']);
    return sendBuilt(this.account.confirmUrl.href, build, (request) =>
      exchange({ ...request, maxBytes: MAX_XML_BYTES }),
    );
  }
}

function buildSetting(method: 'PROPPATCH' | 'MKCOL', root: string, props: XmlContent): Build {
  const attributes = getDAVAttribute([DAVNamespace.DAV, DAVNamespace.CALDAV, DAVNamespace.CALDAV_APPLE]);
  const body = { [root]: { set: { prop: props } } };
  return (to) =>
    davRequest({ ...to, init: { method, headers: XML_HEADERS, namespace: DAVNamespaceShort.DAV, attributes, body } });
}

/** A gateway may send a challenge that this client does not support; the client confirms it like any other 401. */
function asUnauthorized(error: unknown): 'unauthorized' {
  if (error instanceof DomainError && error.code === 'CredentialsRejected') return 'unauthorized';
  throw error;
}

import { DomainError } from '#domain';
import { MAX_OBJECT_BYTES, MAX_XML_BYTES, readAnswer } from './answers.js';
import type { DavAnswer, DavClient, Multistatus, PutOptions } from './contract.js';
import { davFailure } from './dav-errors.js';
import { drain, type Arrival, type DavRequest, type DavTransport } from './dav-transport.js';
import { resolveHref } from './hrefs.js';
import { pathIn } from './multistatus.js';
import { propfindRequest, takeFinding, takeMultistatus } from './propfind.js';

export interface DavClientOptions {
  transport: DavTransport;
  /** What hrefs are relative to; the only origin that is asked. */
  origin: string;
  /** Where a 401 is confirmed: the principal, or the root of the provider. */
  confirmUrl: URL;
  /** Sentence for a user whose credentials are refused. */
  rejectedMessage: string;
}

const XML = { 'content-type': 'application/xml; charset=utf-8' };

/** {@link DavClient} over HTTP. */
export class HttpDavClient implements DavClient {
  readonly #account: DavClientOptions;

  constructor(account: DavClientOptions) {
    this.#account = account;
  }

  async propfind(href: string, depth: '0' | '1', properties: readonly string[]): Promise<Multistatus> {
    return this.#exchange(propfindRequest(this.#resolve(href), depth, properties), takeFinding);
  }

  async report(href: string, depth: '0' | '1', body: string): Promise<Multistatus> {
    const url = this.#resolve(href);
    return this.#multistatus({ method: 'REPORT', url, headers: { ...XML, depth }, body, maxBytes: MAX_XML_BYTES });
  }

  async reportBody(href: string, depth: '0' | '1', body: string): Promise<DavAnswer> {
    const url = this.#resolve(href);
    return this.#answer({ method: 'REPORT', url, headers: { ...XML, depth }, body, maxBytes: MAX_OBJECT_BYTES });
  }

  async proppatch(href: string, body: string): Promise<Multistatus> {
    return this.#multistatus({
      method: 'PROPPATCH',
      url: this.#resolve(href),
      headers: XML,
      body,
      maxBytes: MAX_XML_BYTES,
    });
  }

  async get(href: string): Promise<DavAnswer> {
    const url = this.#resolve(href);
    return this.#answer({ method: 'GET', url, headers: { accept: 'text/calendar' }, maxBytes: MAX_OBJECT_BYTES });
  }

  async put(href: string, body: Buffer, { ifMatch, ifNoneMatch, ifScheduleTagMatch }: PutOptions): Promise<DavAnswer> {
    const headers = {
      'content-type': 'text/calendar; charset=utf-8',
      ...(ifMatch !== undefined && { 'if-match': ifMatch }),
      ...(ifNoneMatch !== undefined && { 'if-none-match': ifNoneMatch }),
      ...(ifScheduleTagMatch !== undefined && { 'if-schedule-tag-match': ifScheduleTagMatch }),
    };
    return this.#answer({ method: 'PUT', url: this.#resolve(href), headers, body, maxBytes: MAX_XML_BYTES });
  }

  async delete(
    href: string,
    { ifMatch, scheduleReply }: { ifMatch?: string; scheduleReply?: boolean },
  ): Promise<DavAnswer> {
    const headers = {
      ...(ifMatch !== undefined && { 'if-match': ifMatch }),
      ...(scheduleReply === false && { 'schedule-reply': 'F' }),
    };
    return this.#answer({ method: 'DELETE', url: this.#resolve(href), headers, maxBytes: MAX_XML_BYTES });
  }

  async mkcalendar(href: string, body: string): Promise<DavAnswer> {
    return this.#answer({
      method: 'MKCALENDAR',
      url: this.#resolve(href),
      headers: XML,
      body,
      maxBytes: MAX_XML_BYTES,
    });
  }

  async mkcol(href: string, body: string): Promise<DavAnswer> {
    return this.#answer({ method: 'MKCOL', url: this.#resolve(href), headers: XML, body, maxBytes: MAX_XML_BYTES });
  }

  async verify(): Promise<void> {
    const { confirmUrl } = this.#account;
    const request = propfindRequest(confirmUrl, '0', ['{DAV:}current-user-principal']);
    const { status } = await this.#exchange(request, readAnswer);
    // Whatever else it says of this address (403, 404): it knows the user.
    if (status >= 500) throw davFailure({ status, precondition: null }, 'read');
  }

  async options(href: string): Promise<DavAnswer> {
    return this.#answer({ method: 'OPTIONS', url: this.#resolve(href), maxBytes: MAX_XML_BYTES });
  }

  pathOf(href: string): string | null {
    return pathIn(href, new URL(this.#account.origin));
  }

  /** Credentials go to the account's own origin only, whatever an href says. */
  #resolve(href: string): URL {
    const url = resolveHref(href, this.#account.origin);
    if (url === null || url.origin !== this.#account.origin) {
      const message = 'The calendar server names an address outside of itself.';
      throw new DomainError('ProviderUnavailable', message, {
        provider: { status: null, code: 'foreign-href', message, retryable: false },
      });
    }
    url.hash = '';
    return url;
  }

  #answer(request: DavRequest): Promise<DavAnswer> {
    return this.#exchange(request, readAnswer);
  }

  #multistatus(request: DavRequest): Promise<Multistatus> {
    return this.#exchange(request, (arrival) => takeMultistatus(request.method, arrival));
  }

  /**
   * A 401 on one resource is not yet proof that the password is wrong: the principal decides. When that
   * one lets us in, the request is sent once more.
   */
  async #exchange<T>(request: DavRequest, read: (arrival: Arrival) => Promise<T>): Promise<T> {
    const { transport } = this.#account;
    const guarded = async (arrival: Arrival): Promise<{ value: T } | 'unauthorized'> => {
      if (arrival.status !== 401) return { value: await read(arrival) };
      await drain(arrival);
      return 'unauthorized';
    };
    const first = await transport.exchange(request, guarded).catch(asUnauthorized);
    if (first !== 'unauthorized') return first.value;
    await this.#confirmCredentials();
    const second = await transport.exchange(request, guarded).catch(asUnauthorized);
    if (second === 'unauthorized') throw davFailure({ status: 401, precondition: null }, 'read');
    return second.value;
  }

  /** @throws DomainError CredentialsRejected */
  async #confirmCredentials(): Promise<void> {
    const { transport, confirmUrl, rejectedMessage } = this.#account;
    const request = propfindRequest(confirmUrl, '0', ['{DAV:}current-user-principal']);
    const status = await transport.exchange(request, async (arrival) => {
      await drain(arrival);
      return arrival.status;
    });
    if (status === 401) throw new DomainError('CredentialsRejected', rejectedMessage);
  }
}

/** A challenge that cannot be met is a 401 like any other: a gateway may have sent it, so it is confirmed, too. */
function asUnauthorized(error: unknown): 'unauthorized' {
  if (error instanceof DomainError && error.code === 'CredentialsRejected') return 'unauthorized';
  throw error;
}

import { davRequest } from 'tsdav';
import { DomainError } from '#domain/system';
import { EgressError } from '#egress';
import { davTokens, MAX_XML_BYTES, takeMultistatus, type Finding } from './dav/responses.js';
import { buildPropfind, sendBuilt, type Build } from './dav/built-request.js';
import type { DavResponse } from './dav/contract.js';
import { DavStatusError } from './dav/dav-errors.js';
import { DavTransport, drain, Semaphore, type DavTransportOptions } from './dav/dav-transport.js';
import { comparablePath, withTrailingSlash } from './dav/hrefs.js';
import { trustIn, type CalDavFlavor } from './flavor.js';

export const DISCOVERY_MS = 30_000;
/** Deadline until a first DAV response: silent, slow and closed addresses all cost the same time (N27). */
const UNVERIFIED_MS = 9_000;
const EXCHANGE_MS = 15_000;

export type ProbeResult =
  { kind: 'dav'; url: URL; self: DavResponse } | { kind: 'rejected'; status: 401 | 403 } | { kind: 'nothing' };

type Shared = 'authenticator' | 'poolKey' | 'signal' | 'admit' | 'policyOf';

export interface DiscoveryStart extends Pick<DavTransportOptions, Shared> {
  given: URL;
}

interface ProbeOptions extends DiscoveryStart, Pick<DavTransportOptions, 'egress' | 'nowMs'> {
  flavor: CalDavFlavor;
}

/** Sends discovery requests and decides where credentials may go. */
export class DiscoveryProbe {
  /** Why a named address was not followed; reported when discovery finds nothing else. */
  notFollowed: DomainError | null = null;
  readonly #transport: DavTransport;
  readonly #startedAtMs: number;
  #isVerified = false;

  constructor(private readonly options: ProbeOptions) {
    this.#startedAtMs = options.nowMs();
    this.#transport = new DavTransport({
      ...options,
      trust: (url) => trustIn(url, options.flavor),
      mayFollow: (to) => this.mayUse(to),
      semaphore: new Semaphore(1),
      timeoutMs: () => this.#timeoutMs(),
    });
  }

  /** Returns true when the egress and the flavor allow credentials there. Records the reason otherwise. */
  async mayUse(url: URL): Promise<boolean> {
    const { egress, flavor, given } = this.options;
    if (url.origin === given.origin) return true;
    try {
      await egress.check(url.href, trustIn(url, flavor));
    } catch (error) {
      if (!(error instanceof EgressError)) throw error;
      const message = 'The server sends clients to an address that is not allowed: it must use https and be public.';
      this.notFollowed = new DomainError('ServerNotAllowed', message, { cause: error });
      return false;
    }
    if (flavor.mayAdopt(url, given)) return true;
    const message = `The server sends clients to ${url.origin}, which is not a part of the given address. When you trust it, connect with that address as serverUrl.`;
    this.notFollowed = new DomainError('ServerNotAllowed', message);
    return false;
  }

  /** Sends PROPFIND with Depth 0. A response without DAV is no error; a missing response is. @throws DomainError */
  async probe(url: URL, properties: readonly string[]): Promise<ProbeResult> {
    try {
      const finding = await this.find(url, '0', properties);
      const asked = withTrailingSlash(comparablePath(finding.url.pathname));
      const own = finding.responses.find(({ path }) => path !== null && withTrailingSlash(path) === asked);
      // iCloud names `/principal/` whatever was requested, so a single response counts as the requested one.
      const self = own ?? finding.responses[0];
      return self === undefined ? { kind: 'nothing' } : { kind: 'dav', url: finding.url, self };
    } catch (error) {
      if (error instanceof DavStatusError) {
        const { status } = error;
        if (status === 401) this.#isVerified = true;
        return status === 401 || status === 403 ? { kind: 'rejected', status } : { kind: 'nothing' };
      }
      if (error instanceof DomainError && error.provider?.code === 'redirects') return { kind: 'nothing' };
      throw error;
    }
  }

  /** Returns the DAV tokens of an OPTIONS response; empty when OPTIONS fails. */
  davOf(url: URL): Promise<string[]> {
    const build: Build = (to) => davRequest({ ...to, init: { method: 'OPTIONS', body: undefined } });
    return sendBuilt(url.href, build, (request) =>
      this.#transport.exchange({ ...request, maxBytes: 64 * 1024 }, async (arrival) => {
        await drain(arrival);
        return arrival.status < 300 ? davTokens(arrival.headers['dav']) : [];
      }),
    );
  }

  /** @throws DavStatusError for any status but 207 */
  async find(url: URL, depth: '0' | '1', properties: readonly string[]): Promise<Finding> {
    const finding = await sendBuilt(url.href, buildPropfind(depth, properties), (request) =>
      this.#transport.exchange({ ...request, maxBytes: MAX_XML_BYTES }, (arrival) =>
        takeMultistatus('PROPFIND', arrival),
      ),
    );
    this.#isVerified = true;
    return finding;
  }

  #timeoutMs(): number {
    const elapsedMs = this.options.nowMs() - this.#startedAtMs;
    const leftMs = (this.#isVerified ? DISCOVERY_MS : UNVERIFIED_MS) - elapsedMs;
    return Math.max(1, Math.min(EXCHANGE_MS, leftMs));
  }
}

import type { Egress, OutboundResponse } from '#egress';
import { instrumentTry, retryAfterMs } from '#providers/kit/calls';
import { FeedError } from './feed-error.js';

export interface DownloadMark {
  /** After redirects. */
  url: string;
  etag: string | null;
  lastModified: string | null;
}

export interface Download {
  octets: Buffer;
  mark: DownloadMark;
}

export const MAX_FEED_BYTES = 20 * 1024 * 1024;
const TIMEOUT_MS = 25_000;
const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Statuses that mean that the address has nothing for us. Any other 4xx may concern the request. */
const REFUSALS: ReadonlySet<number> = new Set([401, 403, 404, 410, 451]);

/**
 * Downloads a feed. The egress checks each redirect. Ignores Content-Type, because servers send `text/plain`,
 * `text/html` or `application/octet-stream` for calendars.
 * @param known the kept download, for a conditional request
 * @param poolKey keeps connections of different feeds apart
 * @returns null when the feed has not changed
 * @throws FeedError, EgressError
 */
export async function fetchFeed(
  { egress, nowMs }: { egress: Egress; nowMs: () => number },
  url: string,
  known: DownloadMark | null,
  poolKey: string,
): Promise<Download | null> {
  const endsAtMs = performance.now() + TIMEOUT_MS;
  for (let from = url, redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const mark = known?.url === from ? known : null;
    const response = await instrumentTry(async (reportStatus) => {
      const got = await egress.request({
        method: 'GET',
        url: from,
        headers: {
          accept: 'text/calendar, */*;q=0.5',
          ...(mark?.etag != null && { 'if-none-match': mark.etag }),
          ...(mark?.lastModified != null && { 'if-modified-since': mark.lastModified }),
        },
        timeoutMs: Math.max(1, endsAtMs - performance.now()),
        maxBytes: MAX_FEED_BYTES,
        poolKey,
      });
      reportStatus(got.status);
      return got;
    });
    const { status, headers } = response;
    if (status === 200) {
      const { etag = null, 'last-modified': lastModified = null } = headers;
      return { octets: response.body, mark: { url: from, etag, lastModified } };
    }
    if (status === 304 && mark !== null) return null;
    if (!REDIRECTS.has(status)) throw rejectionOf(response, nowMs());
    from = targetOf(from, headers['location']);
  }
  throw new FeedError('redirects');
}

function targetOf(from: string, location: string | undefined): string {
  const target = location === undefined ? null : URL.parse(location, from);
  if (target === null) throw new FeedError('failed');
  target.hash = '';
  return target.href;
}

function rejectionOf({ status, headers }: OutboundResponse, nowMs: number): FeedError {
  const waitMs = retryAfterMs(headers['retry-after'], nowMs);
  if (status === 429) return new FeedError('throttled', status, waitMs);
  return new FeedError(REFUSALS.has(status) ? 'rejected' : 'failed', status, waitMs);
}

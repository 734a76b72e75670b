import { GraphErrorResponse, type MicrosoftUser } from '../contract.js';

/** Limits per client and mailbox: https://learn.microsoft.com/graph/throttling-limits#outlook-service-limits */
export const AT_ONCE = 4;
const IN_WINDOW = 10_000;
const WINDOW_MS = 10 * 60_000;
/** Observed value; Graph does not know when one of the four requests will end. */
const CONCURRENCY_RETRY_SECONDS = 1;

interface Mailbox {
  underWay: number;
  windowEndsAtMs: number;
  inWindow: number;
}

/** Counts requests per mailbox. */
export class Throttle {
  readonly #mailboxes = new Map<string, Mailbox>();

  constructor(private readonly clock: { nowMs(): number }) {}

  /**
   * Admits one request.
   * @returns a callback for the end of the request
   * @throws GraphErrorResponse 429 with Retry-After
   */
  enter(clientId: string, { tid, oid }: MicrosoftUser): () => void {
    const nowMs = this.clock.nowMs();
    const mailbox = this.#mailbox(`${clientId} ${tid} ${oid}`);
    if (nowMs >= mailbox.windowEndsAtMs || nowMs < mailbox.windowEndsAtMs - WINDOW_MS) {
      mailbox.windowEndsAtMs = nowMs + WINDOW_MS;
      mailbox.inWindow = 0;
    }
    mailbox.inWindow += 1;
    if (mailbox.inWindow > IN_WINDOW) {
      throw throttled('request', Math.ceil((mailbox.windowEndsAtMs - nowMs) / 1000));
    }
    if (mailbox.underWay >= AT_ONCE) throw throttled('MailboxConcurrency', CONCURRENCY_RETRY_SECONDS);
    mailbox.underWay += 1;
    return () => {
      mailbox.underWay -= 1;
    };
  }

  reset(): void {
    this.#mailboxes.clear();
  }

  #mailbox(key: string): Mailbox {
    const known = this.#mailboxes.get(key);
    if (known !== undefined) return known;
    const made = { underWay: 0, windowEndsAtMs: 0, inWindow: 0 };
    this.#mailboxes.set(key, made);
    return made;
  }
}

function throttled(limit: string, retryAfterSeconds: number): GraphErrorResponse {
  return new GraphErrorResponse(429, 'ApplicationThrottled', `Application is over its ${limit} limit.`, {
    'retry-after': String(retryAfterSeconds),
  });
}

import { GraphApiError } from '../errors.js';

/** How long a mailbox server that rejected the combination is not asked for it again. */
const REJECTION_KEPT_MS = 3_600_000;

/**
 * Reads an event with its own properties and the lists of a series in one request. Graph documents both `$expand`s, but
 * not beside each other, so a rejection falls back to one request for each.
 */
export class WholeReads {
  private rejectedUntilMs = -Infinity;

  constructor(private readonly monotonicMs: () => number = () => performance.now()) {}

  /** @throws errors of `inParts`, and of `whole` other than status 400 */
  async orParts<T>(whole: () => Promise<T>, inParts: () => Promise<T>): Promise<T> {
    if (this.monotonicMs() < this.rejectedUntilMs) return inParts();
    try {
      return await whole();
    } catch (error) {
      if (!(error instanceof GraphApiError) || error.status !== 400) throw error;
    }
    const read = await inParts();
    // The same event can be read otherwise, so the combination was the reason.
    this.rejectedUntilMs = this.monotonicMs() + REJECTION_KEPT_MS;
    return read;
  }
}

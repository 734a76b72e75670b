import { Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { Lease, type Taken } from './lease.js';
import type { QuotaStore } from './quota-store.js';

/** Keys that are used within a second or two. */
const MAX_SUBJECTS = 20_000;
/** After a failure nobody asks for that long: requests are not to wait for a store that hangs. */
const PAUSE_MS = 5_000;
const LINE_EVERY_MS = 60_000;

/** Quotas that all processes share, as long as the store answers. */
export class SharedQuotas {
  private readonly logger = new Logger('RateLimits');
  private readonly leases = new LRUCache<string, Lease>({ max: MAX_SUBJECTS });
  private pausedUntilMs = -Infinity;
  private lineAtMs = -Infinity;

  constructor(
    private readonly store: QuotaStore,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  /** One request's. @returns null while the store does not answer */
  async take(subject: string, quota: number): Promise<Taken | null> {
    if (this.nowMs() < this.pausedUntilMs) return null;
    let lease = this.leases.get(subject);
    if (lease === undefined) {
      lease = new Lease(this.store, subject, this.nowMs);
      this.leases.set(subject, lease);
    }
    try {
      return await lease.take(quota);
    } catch (error) {
      this.noteFailure(error);
      return null;
    }
  }

  close(): void {
    this.store.close();
  }

  private noteFailure(error: unknown): void {
    const nowMs = this.nowMs();
    this.pausedUntilMs = nowMs + PAUSE_MS;
    if (nowMs < this.lineAtMs) return;
    this.lineAtMs = nowMs + LINE_EVERY_MS;
    this.logger.warn({ msg: 'every process limits keys by itself: Redis does not answer', err: error });
  }
}

import { LRUCache } from 'lru-cache';
import { LEASE_MS } from './request-rate.js';

const LARGEST_LEASE = 8;

interface Lease {
  left: number;
  size: number;
  expiresAtMs: number;
}

/**
 * Requests that this process has already counted for an account and not yet sent. The size doubles while leases are
 * used up in time and starts over when one was not: a busy account costs few round trips, a quiet one wastes nothing.
 */
export class RequestLeases {
  private readonly leases = new LRUCache<string, Lease>({ max: 10_000 });

  /** Takes one; false when there is none. */
  take(account: string, nowMs: number): boolean {
    const lease = this.leases.get(account);
    if (lease === undefined || lease.left === 0 || nowMs >= lease.expiresAtMs) return false;
    lease.left -= 1;
    return true;
  }

  /** How many to count next. */
  nextSize(account: string, nowMs: number): number {
    const lease = this.leases.get(account);
    const usedUp = lease !== undefined && lease.left === 0 && nowMs < lease.expiresAtMs;
    return usedUp ? Math.min(lease.size * 2, LARGEST_LEASE) : 1;
  }

  /** `size` have been counted at `countedAtMs`, of which the first is being sent. */
  open(account: string, size: number, countedAtMs: number): void {
    const current = this.leases.get(account);
    if (current !== undefined && current.left > 0 && countedAtMs < current.expiresAtMs) {
      // Two takers met an empty lease at once. The earlier expiry holds for both: no request is sent too late.
      current.left += size - 1;
      return;
    }
    this.leases.set(account, { left: size - 1, size, expiresAtMs: countedAtMs + LEASE_MS });
  }

  /** The account has no requests to spare: take them one by one again. What is left of a lease stays usable. */
  close(account: string): void {
    const lease = this.leases.get(account);
    if (lease !== undefined && lease.left === 0) this.leases.delete(account);
  }
}

import type { ListedResource } from './resources.js';

interface CachedListing {
  listing: ListedResource[];
  expiresAtMs: number;
}

const KEPT_FOR_MS = 60_000;
const MAX_LISTINGS = 32;
const MAX_RESOURCES = 200_000;

/**
 * The listing of a read that goes over several pages, so that each page need not list the whole calendar again. A miss
 * costs a listing, nothing else: pages go by name, not by position.
 */
export class ListingCache {
  private readonly listings = new Map<string, CachedListing>();
  private resources = 0;

  constructor(private readonly nowMs: () => number) {}

  get(key: string): ListedResource[] | undefined {
    const cached = this.listings.get(key);
    if (cached === undefined) return undefined;
    if (cached.expiresAtMs > this.nowMs()) return cached.listing;
    this.drop(key);
    return undefined;
  }

  put(key: string, listing: ListedResource[]): void {
    this.drop(key);
    if (listing.length > MAX_RESOURCES) return;
    this.listings.set(key, { listing, expiresAtMs: this.nowMs() + KEPT_FOR_MS });
    this.resources += listing.length;
    for (const oldest of this.listings.keys()) {
      if (this.listings.size <= MAX_LISTINGS && this.resources <= MAX_RESOURCES) break;
      this.drop(oldest);
    }
  }

  drop(key: string): void {
    const cached = this.listings.get(key);
    if (cached === undefined) return;
    this.listings.delete(key);
    this.resources -= cached.listing.length;
  }
}

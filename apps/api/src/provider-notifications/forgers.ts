import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { DomainError } from '#domain';
import { clientNetwork } from '../auth/client-network.js';

const WINDOW_MS = 10_000;
const MAX_FORGED = 100;
const MAX_SOURCES = 10_000;

/**
 * Where pushes come from that are not genuine, counted in this process. Providers send some as well, to channels that are
 * gone, or for others who have their own channels lead to us; and behind a proxy that is not trusted everybody has one
 * address: what is genuine is taken wherever it comes from.
 */
@Injectable()
export class Forgers {
  private readonly logger = new Logger(Forgers.name);
  /** Pushes that were not genuine, by network, since the first of them. */
  private readonly forged = new LRUCache<string, number>({ max: MAX_SOURCES, ttl: WINDOW_MS, noUpdateTTL: true });

  /** Whether so much has come from there that what is not genuine is refused. */
  isDoubted(address: string): boolean {
    return (this.forged.get(clientNetwork(address)) ?? 0) >= MAX_FORGED;
  }

  /** @throws DomainError RateLimited */
  assertTrusted(address: string): void {
    if (!this.isDoubted(address)) return;
    const network = clientNetwork(address);
    throw new DomainError('RateLimited', 'Too many pushes to channels that there are not.', {
      retryAfterSeconds: this.forged.getRemainingTTL(network) / 1_000,
    });
  }

  note(address: string, count: number): void {
    if (count === 0) return;
    const network = clientNetwork(address);
    const before = this.forged.get(network) ?? 0;
    this.forged.set(network, before + count);
    if (before < MAX_FORGED && before + count >= MAX_FORGED) {
      this.logger.warn({ msg: 'pushes that are not genuine: their source is refused for a while', network });
    }
  }
}

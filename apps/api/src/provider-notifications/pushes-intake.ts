import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { ProviderPushes, PushesNotTaken } from '#application';
import { DomainError, type ChannelNotification, type ProviderType } from '#domain';
import { counter } from '#platform/telemetry';
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

const notifications = counter('calendar_notifications_total');

/** What every provider's pushes go through, whatever their form. */
@Injectable()
export class PushesIntake {
  constructor(
    private readonly pushes: ProviderPushes,
    private readonly forgers: Forgers,
  ) {}

  /** Whether somebody has sent too much that is not genuine. What is genuine is taken from there all the same. */
  isDoubted(source: string): boolean {
    return this.forgers.isDoubted(source);
  }

  /** For what is no push at all. @throws DomainError RateLimited, for whoever has sent too much that is not genuine */
  assertTrusted(source: string): void {
    this.forgers.assertTrusted(source);
  }

  /** Something came that is no push at all. */
  noteForged(provider: ProviderType, source: string): void {
    this.note(provider, source, 1);
  }

  /**
   * @returns whether each of them is genuine
   * @throws DomainError ServiceUnavailable: providers repeat what is answered so; RateLimited, when none is genuine, for
   *   whoever has sent too much that is not
   */
  async take(provider: ProviderType, source: string, pushes: readonly ChannelNotification[]): Promise<boolean> {
    const isDoubted = this.forgers.isDoubted(source);
    const { forged } = await this.pushes.take(pushes, isDoubted).catch((error: unknown) => {
      if (!(error instanceof PushesNotTaken)) throw error;
      const { retryAfterSeconds } = error;
      const message = 'Pushes cannot be taken at the moment. Try again.';
      throw new DomainError('ServiceUnavailable', message, { retryAfterSeconds, cause: error });
    });
    notifications.add(pushes.length - forged, { provider, outcome: 'accepted' });
    this.note(provider, source, forged);
    if (isDoubted && forged === pushes.length) this.forgers.assertTrusted(source);
    return forged === 0;
  }

  private note(provider: ProviderType, source: string, forged: number): void {
    notifications.add(forged, { provider, outcome: 'refused' });
    this.forgers.note(source, forged);
  }
}

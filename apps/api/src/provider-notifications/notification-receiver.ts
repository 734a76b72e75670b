import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { ProviderNotifications, NotificationsNotStored } from '#application/channels';
import type { ProviderType } from '#domain/accounts';
import type { ChannelNotification } from '#domain/channels';
import { DomainError } from '#domain/system';
import { counter } from '#platform/telemetry';
import { clientNetwork } from '../http/client-network.js';

const WINDOW_MS = 10_000;
const MAX_INVALID = 100;
const MAX_SOURCES = 10_000;

/**
 * Counts invalid notifications per source, in this process. Valid ones are accepted from every source: providers also
 * send invalid ones, and sources share one address behind an untrusted proxy.
 */
@Injectable()
export class InvalidNotificationLimiter {
  private readonly logger = new Logger(InvalidNotificationLimiter.name);
  private readonly invalid = new LRUCache<string, number>({ max: MAX_SOURCES, ttl: WINDOW_MS, noUpdateTTL: true });

  isDoubted(address: string): boolean {
    return (this.invalid.get(clientNetwork(address)) ?? 0) >= MAX_INVALID;
  }

  assertAllowed(address: string): void {
    if (!this.isDoubted(address)) return;
    const network = clientNetwork(address);
    throw new DomainError('RateLimited', 'Too many notifications of unknown channels.', {
      retryAfterSeconds: Math.max(1, Math.ceil(this.invalid.getRemainingTTL(network) / 1_000)),
    });
  }

  recordInvalid(address: string, count: number): void {
    if (count === 0) return;
    const network = clientNetwork(address);
    const before = this.invalid.get(network) ?? 0;
    this.invalid.set(network, before + count);
    if (before < MAX_INVALID && before + count >= MAX_INVALID) {
      this.logger.warn({ msg: 'notification source blocked: too many invalid notifications', network });
    }
  }
}

const received = counter('calendar_notifications_total');

@Injectable()
export class NotificationReceiver {
  constructor(
    private readonly notifications: ProviderNotifications,
    private readonly limiter: InvalidNotificationLimiter,
  ) {}

  isDoubted(source: string): boolean {
    return this.limiter.isDoubted(source);
  }

  /** @throws DomainError RateLimited when the source has sent too many invalid notifications */
  assertAllowed(source: string): void {
    this.limiter.assertAllowed(source);
  }

  recordInvalid(provider: ProviderType, source: string): void {
    this.count(provider, source, 1);
  }

  /**
   * @returns whether all notifications are valid
   * @throws DomainError ServiceUnavailable, after which providers retry; RateLimited when all are invalid and the
   * source has sent too many such
   */
  async take(provider: ProviderType, source: string, notifications: readonly ChannelNotification[]): Promise<boolean> {
    const isDoubted = this.limiter.isDoubted(source);
    const { invalid } = await this.notifications.take(notifications, isDoubted).catch((error: unknown) => {
      if (!(error instanceof NotificationsNotStored)) throw error;
      const { retryAfterSeconds } = error;
      const message = 'Notifications cannot be stored at the moment. Try again.';
      throw new DomainError('ServiceUnavailable', message, { retryAfterSeconds, cause: error });
    });
    received.add(notifications.length - invalid, { provider, outcome: 'accepted' });
    this.count(provider, source, invalid);
    if (isDoubted && invalid === notifications.length) this.limiter.assertAllowed(source);
    return invalid === 0;
  }

  private count(provider: ProviderType, source: string, invalid: number): void {
    received.add(invalid, { provider, outcome: 'rejected' });
    this.limiter.recordInvalid(source, invalid);
  }
}

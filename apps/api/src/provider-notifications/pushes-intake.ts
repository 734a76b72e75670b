import { Injectable } from '@nestjs/common';
import { ProviderPushes, PushesNotTaken } from '#application';
import { DomainError, type ChannelNotification, type ProviderType } from '#domain';
import { counter } from '#platform/telemetry';
import { Forgers } from './forgers.js';

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

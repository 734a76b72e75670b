import { Injectable, Logger } from '@nestjs/common';
import { ApplicationRepository, type ApplicationRef } from '#domain/applications';
import { ProviderChannelRepository, type ClaimedReconciliation, type ProviderChannel } from '#domain/channels';
import { DomainError, NotificationUrlUnreachable, Timer, type ErrorCode } from '#domain/system';
import type { SubscriptionDelivery } from '#domain/webhooks';
import { Deadline } from '#platform/deadline';
import { AccountChannels, RECONCILE_LEASE_MS, ReconcileLeaseLost } from '../accounts/account-channels.js';
import { SyncRequests } from '../sync/sync-requests.js';
import { ChannelClient, isRejection, nextTryMs, ChannelOpenError } from './channel-client.js';

/** Shorter than the reconciliation lease. */
const MAX_DURATION_MS = 30_000;
const DAY_MS = 24 * 60 * 60_000;
/** The operator may correct a PUBLIC_URL that the provider cannot reach. */
const UNREACHABLE_MS = 60 * 60_000;
/** Minimum, however short the channel's life is. */
const MIN_RENEWAL_DELAY_MS = 60_000;
const FIRST_SUBSCRIPTION_GRACE_MS = 20_000;
/** Unconfirmed channels that are kept, so that they do not pile up while a provider is down. */
const MAX_UNCONFIRMED = 3;
const WAIT_MS = 10_000;
const WAIT_STEP_MS = 200;

/** Retrying soon is useless. Reconnecting an account requests a reconciliation. */
const SETTLED: ReadonlySet<ErrorCode> = new Set(['EndUserAccountExpired', 'NotFound', 'Forbidden']);

/** A reconciliation deleted the calendar, which had no subscription yet. */
export class SyncedCalendarGone extends DomainError {
  constructor() {
    super('ProviderUnavailable', 'Another request ended the last subscription of the calendar. Try again.', {
      retryAfterSeconds: 1,
    });
  }
}

interface Kept {
  channel: ProviderChannel | null;
  againInMs: number;
}

/** Reconciles push channels: one live channel per calendar with subscriptions. */
@Injectable()
export class ChannelReconciler {
  private readonly logger = new Logger(ChannelReconciler.name);

  constructor(
    private readonly channels: ProviderChannelRepository,
    private readonly applications: ApplicationRepository,
    private readonly client: ChannelClient,
    private readonly atProvider: AccountChannels,
    private readonly syncRequests: SyncRequests,
    private readonly timer: Timer,
  ) {}

  due(limit: number): Promise<ClaimedReconciliation[]> {
    return this.channels.claimReconciliations({ limit, leaseMs: RECONCILE_LEASE_MS });
  }

  /** Retries provider errors later. @param stopping makes the reconciliation due at once for another process */
  async reconcile(reconciliation: ClaimedReconciliation, stopping: AbortSignal): Promise<void> {
    try {
      const inMs = await within(MAX_DURATION_MS, stopping, (signal) => this.compare(reconciliation, signal));
      if (inMs !== null) await this.channels.completeReconciliation(reconciliation, inMs);
    } catch (error) {
      if (error instanceof ReconcileLeaseLost)
        await this.channels.completeReconciliation(reconciliation, 0, reconciliation.failures);
      else await this.defer(reconciliation, stopping, error instanceof ChannelOpenError ? error.cause : error);
    }
  }

  /**
   * Prepares a calendar for its first subscription, and leaves nothing behind on failure.
   * @throws DomainError NotSupportedByProvider or NotificationUrlUnreachable when polling is not allowed;
   *   SyncedCalendarGone; ProviderUnavailable while another caller reconciles; what the provider throws
   */
  async ensure(
    application: ApplicationRef,
    syncedCalendarId: string,
    signal: AbortSignal,
  ): Promise<SubscriptionDelivery> {
    const reconciliation = await this.take(application, syncedCalendarId, signal);
    const unconfirmed: string[] = [];
    try {
      const kind = await within(MAX_DURATION_MS, signal, (limited) =>
        this.openUnlessLive(reconciliation, unconfirmed, limited),
      );
      await this.channels.completeReconciliation(reconciliation, FIRST_SUBSCRIPTION_GRACE_MS, reconciliation.failures);
      return kind;
    } catch (error) {
      await this.abandon(reconciliation, unconfirmed);
      if (!(error instanceof ReconcileLeaseLost)) throw error;
      throw (await this.channels.isRegistered(application, syncedCalendarId)) ? busy() : new SyncedCalendarGone();
    }
  }

  private async openUnlessLive(
    reconciliation: ClaimedReconciliation,
    unconfirmed: string[],
    signal: AbortSignal,
  ): Promise<SubscriptionDelivery> {
    if (reconciliation.channels.some((channel) => this.atProvider.isLive(channel))) return 'push';
    try {
      await this.openOrAgain(reconciliation, unconfirmed, signal);
      await this.syncRequests.gap(reconciliation.syncedCalendarId);
      return 'push';
    } catch (error) {
      const isUnreachable = error instanceof NotificationUrlUnreachable;
      if (!(isRejection(error) || isUnreachable) || !(await this.isPolled(reconciliation))) throw error;
      if (isUnreachable) this.logUnreachable(reconciliation, error);
      return 'polled';
    }
  }

  /** Retries once after a lost response: the second response lets the first channel be stopped too. */
  private async openOrAgain(
    reconciliation: ClaimedReconciliation,
    unconfirmed: string[],
    signal: AbortSignal,
  ): Promise<void> {
    for (let isLastTry = false; ; isLastTry = true) {
      try {
        await this.client.open(reconciliation, signal);
        return;
      } catch (error) {
        if (!(error instanceof ChannelOpenError)) throw error;
        const { cause, unconfirmedChannelId } = error;
        if (unconfirmedChannelId !== null) unconfirmed.push(unconfirmedChannelId);
        const mayHelp = unconfirmedChannelId !== null || (cause instanceof DomainError && cause.code === 'Conflict');
        if (isLastTry || !mayHelp || signal.aborted) throw cause;
      }
    }
  }

  /** Milliseconds to the next reconciliation, or null when the calendar was deleted. */
  private async compare(reconciliation: ClaimedReconciliation, signal: AbortSignal): Promise<number | null> {
    const { isWanted, isActive } = reconciliation;
    const current = await this.withoutOver(reconciliation, signal);
    if (isWanted && !isActive) return DAY_MS;
    const kept = isWanted ? await this.kept(reconciliation, current, signal) : null;
    if (isActive) {
      for (const channel of current) {
        if (channel.id !== kept?.channel?.id) {
          await this.atProvider.stop(reconciliation, channel, signal, kept?.channel ?? null);
        }
      }
    }
    if (kept !== null) return kept.againInMs;
    if (await this.channels.delete(reconciliation)) return null;
    return isActive ? 0 : DAY_MS;
  }

  private async withoutOver(reconciliation: ClaimedReconciliation, signal: AbortSignal): Promise<ProviderChannel[]> {
    const unconfirmed = reconciliation.channels.filter(({ state }) => state === 'opening');
    const over = new Set([
      ...reconciliation.channels.filter((channel) => this.atProvider.hasLapsed(channel)),
      ...unconfirmed.slice(0, -MAX_UNCONFIRMED),
    ]);
    for (const channel of over) await this.atProvider.stop(reconciliation, channel, signal);
    return reconciliation.channels.filter((channel) => !over.has(channel));
  }

  private async kept(
    reconciliation: ClaimedReconciliation,
    current: ProviderChannel[],
    signal: AbortSignal,
  ): Promise<Kept> {
    const live = current.find((channel) => this.atProvider.isLive(channel));
    if (live !== undefined && !live.isMissingNotifications) {
      if (this.client.renewalInMs(live) > 0) return this.until(live);
      const renewed = await this.client.renew(reconciliation, live, signal);
      if (renewed !== null) return this.until(renewed);
    }
    try {
      const opened = await this.client.open(reconciliation, signal);
      // No channel reported the changes in between.
      await this.syncRequests.gap(reconciliation.syncedCalendarId);
      return this.until(opened);
    } catch (error) {
      if (isRejection(error)) return { channel: null, againInMs: DAY_MS };
      const isUnreachable = error instanceof ChannelOpenError && error.cause instanceof NotificationUrlUnreachable;
      if (!isUnreachable || !(await this.isPolled(reconciliation))) throw error;
      // The old channel may still push to an earlier PUBLIC_URL.
      return { channel: live ?? null, againInMs: UNREACHABLE_MS };
    }
  }

  private until(channel: ProviderChannel): Kept {
    return { channel, againInMs: Math.max(MIN_RENEWAL_DELAY_MS, this.client.renewalInMs(channel)) };
  }

  private logUnreachable({ syncedCalendarId, accountId, providerType }: ClaimedReconciliation, err: Error): void {
    this.logger.warn({
      msg: 'PUBLIC_URL unreachable for the provider: calendar will be polled',
      ...{ syncedCalendarId, accountId, providerType, err },
    });
  }

  private async isPolled({ applicationId }: ClaimedReconciliation): Promise<boolean> {
    return (await this.applications.find(applicationId))?.pollsCalendars ?? false;
  }

  private async defer(reconciliation: ClaimedReconciliation, stopping: AbortSignal, error: unknown): Promise<void> {
    const { syncedCalendarId, accountId, providerType, failures } = reconciliation;
    if (stopping.aborted) {
      await this.channels.completeReconciliation(reconciliation, 0, failures);
      return;
    }
    const isSettled = error instanceof DomainError && SETTLED.has(error.code);
    const retryAfterSeconds = error instanceof DomainError ? error.retryAfterSeconds : undefined;
    const inMs = isSettled ? DAY_MS : nextTryMs(failures, retryAfterSeconds);
    this.logger.warn({
      msg: 'channel reconciliation failed',
      ...{ syncedCalendarId, accountId, providerType, failures: failures + 1, inMs, err: error },
    });
    await this.channels.completeReconciliation(reconciliation, inMs, failures + 1);
  }

  private async take(
    application: ApplicationRef,
    syncedCalendarId: string,
    signal: AbortSignal,
  ): Promise<ClaimedReconciliation> {
    for (let waitedMs = 0; waitedMs <= WAIT_MS && !signal.aborted; waitedMs += WAIT_STEP_MS) {
      const reconciliation = await this.channels.claimReconciliation(application, syncedCalendarId, RECONCILE_LEASE_MS);
      if (reconciliation !== null) return reconciliation;
      if (!(await this.channels.isRegistered(application, syncedCalendarId))) throw new SyncedCalendarGone();
      await this.timer.sleep(WAIT_STEP_MS);
    }
    throw busy();
  }

  /** Never throws: the next reconciliation repeats it. */
  private async abandon(reconciliation: ClaimedReconciliation, unconfirmed: string[]): Promise<void> {
    try {
      for (const channelId of unconfirmed) await this.channels.closed(reconciliation, channelId);
      if (!(await this.channels.delete(reconciliation)))
        await this.channels.completeReconciliation(reconciliation, 0, reconciliation.failures);
    } catch (error) {
      const { syncedCalendarId } = reconciliation;
      this.logger.warn({ msg: 'subscription cleanup deferred', syncedCalendarId, err: error });
    }
  }
}

async function within<T>(ms: number, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const late = () => new DomainError('ProviderTimeout', 'The provider did not answer in time.');
  const deadline = new Deadline({ ms, late, parents: [signal] });
  try {
    return await work(deadline.signal);
  } finally {
    deadline.clear();
  }
}

function busy(): DomainError {
  return new DomainError('ProviderUnavailable', 'Another request is preparing the calendar. Try again.', {
    retryAfterSeconds: 5,
  });
}

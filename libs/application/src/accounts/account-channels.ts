import { Injectable, Logger } from '@nestjs/common';
import type { ApplicationRef } from '#domain/applications';
import {
  ProviderChannelRepository,
  type CalendarPush,
  type ClaimedReconciliation,
  type ProviderChannel,
} from '#domain/channels';
import { CalendarProviders, type AccountSession } from '#domain/providers';
import { Clock, DomainError } from '#domain/system';
import { Deadline } from '#platform/deadline';
import { AccountAccess } from './account-access.js';

/** Longer than any reconciliation takes. Another process takes over when it ends. */
export const RECONCILE_LEASE_MS = 45_000;
const STOP_ON_DELETE_TIMEOUT_MS = 5_000;

/** Another caller holds the reconciliation, so nothing may be written. */
export class ReconcileLeaseLost extends Error {
  override readonly name = 'ReconcileLeaseLost';
}

@Injectable()
export class AccountChannels {
  private readonly logger = new Logger(AccountChannels.name);

  constructor(
    private readonly channels: ProviderChannelRepository,
    private readonly providers: CalendarProviders,
    private readonly access: AccountAccess,
    private readonly clock: Clock,
  ) {}

  pushOf({ providerType }: Pick<ClaimedReconciliation, 'providerType'>): CalendarPush | null {
    return this.providers.for(providerType).push;
  }

  /** @throws DomainError as {@link AccountAccess.use} */
  ask<T>(
    { applicationId, accountId }: ClaimedReconciliation,
    signal: AbortSignal,
    work: (session: AccountSession) => Promise<T>,
  ): Promise<T> {
    return this.access.useInBackground({ applicationId }, accountId, signal, 'channel', ({ session }) => work(session));
  }

  /**
   * Stops and deletes a channel. After a lost response our id and the resource id of `sibling` identify it.
   * @throws ReconcileLeaseLost, and what the provider throws
   */
  async stop(
    reconciliation: ClaimedReconciliation,
    channel: ProviderChannel,
    signal: AbortSignal,
    sibling: ProviderChannel | null = null,
  ): Promise<void> {
    const push = this.pushOf(reconciliation);
    const known = push === null || this.hasLapsed(channel) ? null : stoppable(push, channel, sibling);
    if (push !== null && known !== null) await this.ask(reconciliation, signal, (session) => push.stop(session, known));
    if (!(await this.channels.closed(reconciliation, channel.id))) throw new ReconcileLeaseLost();
  }

  isLive(channel: ProviderChannel): boolean {
    return channel.state === 'live' && !this.hasLapsed(channel);
  }

  hasLapsed({ expiresAt }: ProviderChannel): boolean {
    return expiresAt !== null && expiresAt.getTime() <= this.clock.nowMs();
  }

  /** Stops the account's channels before its deletion. Keeps the leases, so that no new channel opens. Never throws. */
  async stopAll(application: ApplicationRef, accountId: string): Promise<void> {
    const late = () => new DomainError('ProviderTimeout', 'The provider did not answer in time.');
    const deadline = new Deadline({ ms: STOP_ON_DELETE_TIMEOUT_MS, late });
    try {
      const reconciliations = await this.channels.claimReconciliationsOfAccount(
        application,
        accountId,
        RECONCILE_LEASE_MS,
      );
      const stops = reconciliations
        .filter(({ isActive }) => isActive)
        .flatMap((reconciliation) =>
          reconciliation.channels.map((channel) => this.stop(reconciliation, channel, deadline.signal)),
        );
      const failed = (await Promise.allSettled(stops)).find((outcome) => outcome.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
    } catch (error) {
      this.logger.warn({ msg: 'channels of a deleted account left to expire', accountId, err: error });
    } finally {
      deadline.clear();
    }
  }
}

function stoppable(
  push: CalendarPush,
  { id, token, subscriptionId, resourceId }: ProviderChannel,
  sibling: ProviderChannel | null,
) {
  if (subscriptionId !== null) return { subscriptionId, resourceId, token };
  if (!push.usesOurIds || sibling === null) return null;
  return { subscriptionId: id, resourceId: sibling.resourceId, token };
}

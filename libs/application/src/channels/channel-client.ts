import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { ProviderType } from '#domain/accounts';
import {
  ProviderChannelRepository,
  type ChannelFacts,
  type ClaimedReconciliation,
  type ChannelRequest,
  type ProviderChannel,
} from '#domain/channels';
import { Clock, DomainError } from '#domain/system';
import { AccountChannels, ReconcileLeaseLost } from '../accounts/account-channels.js';
import { PUBLIC_URL } from '../system/settings.js';

const FIRST_RETRY_MS = 5_000;
const LAST_RETRY_MS = 60 * 60_000;

/** `{public URL}/api/v1/providers/google/notifications` */
@Injectable()
export class NotificationUrls {
  private readonly root: string;

  constructor(@Inject(PUBLIC_URL) publicUrl: string) {
    this.root = `${publicUrl.replace(/\/+$/, '')}/api/v1/providers/`;
  }

  of(providerType: ProviderType): Pick<ChannelRequest, 'notificationUrl' | 'lifecycleUrl'> {
    const provider = this.root + providerType.toLowerCase();
    return { notificationUrl: `${provider}/notifications`, lifecycleUrl: `${provider}/lifecycle` };
  }
}

export class ChannelOpenError extends Error {
  override readonly name = 'ChannelOpenError';

  constructor(
    override readonly cause: unknown,
    /** Set when the provider may have opened it. */
    readonly unconfirmedChannelId: string | null,
  ) {
    super('A channel could not be opened', { cause });
  }
}

export function isRejection(error: unknown): boolean {
  return error instanceof DomainError && error.code === 'NotSupportedByProvider';
}

/** Opens and renews channels: stores the row, calls the provider, updates the row. */
@Injectable()
export class ChannelClient {
  constructor(
    private readonly channels: ProviderChannelRepository,
    private readonly atProvider: AccountChannels,
    private readonly addresses: NotificationUrls,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError NotSupportedByProvider when only polling is left; ChannelOpenError otherwise; ReconcileLeaseLost */
  async open(reconciliation: ClaimedReconciliation, signal: AbortSignal): Promise<ProviderChannel> {
    const push = this.atProvider.pushOf(reconciliation);
    if (push === null) throw neverPushed();
    const token = randomBytes(32).toString('base64url');
    const opened = await this.channels.open(reconciliation, { token });
    if (opened === null) throw new ReconcileLeaseLost();
    const request = { ...opened, token, ...this.addresses.of(reconciliation.providerType) };
    let facts: ChannelFacts | null;
    try {
      facts = await this.atProvider.ask(reconciliation, signal, (session) =>
        push.open(session, reconciliation.calendarId, request),
      );
    } catch (error) {
      const isUnconfirmed = hasNoResponse(error);
      if (!isUnconfirmed) await this.channels.closed(reconciliation, opened.channelId);
      if (isRejection(error)) throw error;
      throw new ChannelOpenError(error, isUnconfirmed ? opened.channelId : null);
    }
    if (facts === null) {
      await this.channels.closed(reconciliation, opened.channelId);
      throw neverPushed();
    }
    return this.takeOver(
      reconciliation,
      { id: opened.channelId, token, createdAt: new Date(this.clock.nowMs()) },
      facts,
      signal,
    );
  }

  renewalInMs({ renewAt }: ProviderChannel): number {
    return renewAt === null ? 0 : renewAt.getTime() - this.clock.nowMs();
  }

  /** Returns null when another channel has to be opened. @throws ReconcileLeaseLost, and what the provider throws */
  async renew(
    reconciliation: ClaimedReconciliation,
    channel: ProviderChannel,
    signal: AbortSignal,
  ): Promise<ProviderChannel | null> {
    const push = this.atProvider.pushOf(reconciliation);
    const { subscriptionId, resourceId, token } = channel;
    if (push === null || subscriptionId === null) return null;
    const known = { subscriptionId, resourceId, token };
    const facts = await this.atProvider.ask(reconciliation, signal, (session) => push.renew(session, known));
    return facts === null ? null : this.live(reconciliation, channel, facts);
  }

  private async takeOver(
    reconciliation: ClaimedReconciliation,
    channel: Pick<ProviderChannel, 'id' | 'token' | 'createdAt'>,
    facts: ChannelFacts,
    signal: AbortSignal,
  ): Promise<ProviderChannel> {
    try {
      return await this.live(reconciliation, channel, facts);
    } catch (error) {
      const push = this.atProvider.pushOf(reconciliation);
      // A channel that cannot be stopped sends an unknown token, and expires.
      await this.atProvider
        .ask(reconciliation, signal, async (session) => push?.stop(session, { ...facts, token: channel.token }))
        .catch(() => undefined);
      throw error;
    }
  }

  private async live(
    reconciliation: ClaimedReconciliation,
    { id, token, createdAt }: Pick<ProviderChannel, 'id' | 'token' | 'createdAt'>,
    { subscriptionId, resourceId, expiresAt }: ChannelFacts,
  ): Promise<ProviderChannel> {
    const facts = { subscriptionId, resourceId, expiresAt, renewAt: renewalOf(expiresAt, this.clock.nowMs()) };
    if (!(await this.channels.live(reconciliation, id, facts))) throw new ReconcileLeaseLost();
    return { id, token, state: 'live', ...facts, isMissingNotifications: false, createdAt };
  }
}

function hasNoResponse(error: unknown): boolean {
  return !(error instanceof DomainError) || error.provider?.status === null;
}

function neverPushed(): DomainError {
  return new DomainError('NotSupportedByProvider', 'The provider does not tell of changes in this calendar.');
}

/** When a fifth to a quarter of the life is left, at random, so that renewals spread. */
export function renewalOf(expiresAt: Date, nowMs: number, random = Math.random()): Date {
  const lifeMs = Math.max(0, expiresAt.getTime() - nowMs);
  return new Date(expiresAt.getTime() - lifeMs * (1 / 5 + random / 20));
}

/** Milliseconds to the next try: doubles up to an hour, with jitter. */
export function nextTryMs(failures: number, retryAfterSeconds = 0, random = Math.random()): number {
  const usualMs = Math.min(FIRST_RETRY_MS * 2 ** Math.min(failures, 20), LAST_RETRY_MS);
  return Math.round(Math.max(usualMs * (1 / 2 + random / 2), retryAfterSeconds * 1_000));
}

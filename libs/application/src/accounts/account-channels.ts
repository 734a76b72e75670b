import { Injectable, Logger } from '@nestjs/common';
import {
  CalendarProviders,
  Clock,
  DomainError,
  ProviderChannelRepository,
  type AccountSession,
  type ApplicationRef,
  type CalendarPush,
  type ChannelUpkeep,
  type ProviderChannel,
} from '#domain';
import { Deadline } from '#platform/deadline';
import { AccountAccess } from './account-access.js';

/** Longer than any upkeep takes; another process takes over when one has died. */
export const UPKEEP_LEASE_MS = 45_000;
/** How long an account that is deleted waits for its provider. */
const FAREWELL_MS = 5_000;

/** The upkeep is somebody else's by now: what was to be written is theirs to decide. */
export class UpkeepLost extends Error {
  override readonly name = 'UpkeepLost';
}

/** Push channels as their provider has them, reached by way of their account. */
@Injectable()
export class AccountChannels {
  private readonly logger = new Logger(AccountChannels.name);

  constructor(
    private readonly channels: ProviderChannelRepository,
    private readonly providers: CalendarProviders,
    private readonly access: AccountAccess,
    private readonly clock: Clock,
  ) {}

  /** null: the provider pushes nothing. */
  pushOf({ providerType }: Pick<ChannelUpkeep, 'providerType'>): CalendarPush | null {
    return this.providers.for(providerType).push;
  }

  /** @throws DomainError as {@link AccountAccess.use} */
  ask<T>(
    { applicationId, accountId }: ChannelUpkeep,
    signal: AbortSignal,
    work: (session: AccountSession) => Promise<T>,
  ): Promise<T> {
    return this.access.tend({ applicationId }, accountId, signal, ({ session }) => work(session));
  }

  /**
   * Stops a channel at its provider, unless it has ended by itself, and forgets it. One whose answer was lost can be
   * stopped by what the provider said of `sibling`, another one of the same calendar, where ids are ours; elsewhere it
   * ends by itself.
   * @throws UpkeepLost, and what the provider throws
   */
  async stop(
    upkeep: ChannelUpkeep,
    channel: ProviderChannel,
    signal: AbortSignal,
    sibling: ProviderChannel | null = null,
  ): Promise<void> {
    const push = this.pushOf(upkeep);
    const known = push === null || this.hasLapsed(channel) ? null : stoppable(push, channel, sibling);
    if (push !== null && known !== null) await this.ask(upkeep, signal, (session) => push.stop(session, known));
    if (!(await this.channels.closed(upkeep, channel.id))) throw new UpkeepLost();
  }

  isLive(channel: ProviderChannel): boolean {
    return channel.state === 'live' && !this.hasLapsed(channel);
  }

  hasLapsed({ expiresAt }: ProviderChannel): boolean {
    return expiresAt !== null && expiresAt.getTime() <= this.clock.nowMs();
  }

  /**
   * Stops what an account has, as long as its grant lives: it is going to be deleted. What cannot be stopped within a few
   * seconds ends by itself. Upkeeps stay taken, so that nobody opens channels again before the account is gone; when it
   * stays after all, they are due when their lease ends. Never throws.
   */
  async stopAll(application: ApplicationRef, accountId: string): Promise<void> {
    const late = () => new DomainError('ProviderTimeout', 'The provider did not answer in time.');
    const deadline = new Deadline({ ms: FAREWELL_MS, late });
    try {
      const upkeeps = await this.channels.takeAccountUpkeep(application, accountId, UPKEEP_LEASE_MS);
      const stops = upkeeps
        .filter(({ isActive }) => isActive)
        .flatMap((upkeep) => upkeep.channels.map((channel) => this.stop(upkeep, channel, deadline.signal)));
      const failed = (await Promise.allSettled(stops)).find((outcome) => outcome.status === 'rejected');
      if (failed !== undefined) throw failed.reason;
    } catch (error) {
      this.logger.warn({ msg: 'channels of a deleted account end by themselves', accountId, err: error });
    } finally {
      deadline.clear();
    }
  }
}

/** By what the provider knows the channel; null: by nothing that we know. */
function stoppable(
  push: CalendarPush,
  { id, token, subscriptionId, resourceId }: ProviderChannel,
  sibling: ProviderChannel | null,
) {
  if (subscriptionId !== null) return { subscriptionId, resourceId, token };
  if (!push.usesOurIds || sibling === null) return null;
  return { subscriptionId: id, resourceId: sibling.resourceId, token };
}

import { Processor } from '@nestjs/bullmq';
import { ChannelKeeper, UPKEEP_LEASE_MS } from '#application';
import { ProviderChannelRepository } from '#domain';
import { channelRenewal, WORKER_OPTIONS, type RowPayload } from '#jobs';
import { inSpan } from '#platform/telemetry';
import { JobProcessor, type FailedJobFacts } from './job-processor.js';

/** Opens, renews and stops the channels of a calendar. */
@Processor(channelRenewal.queue, { ...WORKER_OPTIONS, concurrency: 10 })
export class ChannelRenewalProcessor extends JobProcessor<RowPayload<'watchedCalendarId'>> {
  constructor(
    private readonly channels: ProviderChannelRepository,
    private readonly keeper: ChannelKeeper,
  ) {
    super(channelRenewal, 'keep-channel');
  }

  protected override async run(due: RowPayload<'watchedCalendarId'>, stopping: AbortSignal): Promise<void> {
    const upkeep = await this.channels.claimUpkeep(due, UPKEEP_LEASE_MS);
    if (upkeep === null) return;
    const attributes = {
      'calendar.application.id': upkeep.applicationId,
      'calendar.account.id': upkeep.accountId,
      'calendar.provider': upkeep.providerType,
    };
    await inSpan('channel.keep', { traceparent: null, attributes }, () => this.keeper.keep(upkeep, stopping));
  }

  protected override logFailure(failure: FailedJobFacts): void {
    this.logger.warn({ msg: 'a channel is seen to later: its lease ends', ...failure });
  }
}

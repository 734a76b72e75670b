import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { ChannelKeeper } from '#application';
import type { ChannelUpkeep, DueUpkeep, ProviderChannelRepository } from '#domain';
import { ChannelRenewalProcessor } from './channel-renewal.processor.js';

const DUE = {
  applicationId: '0197a000-0000-7000-8000-000000000001',
  watchedCalendarId: '0197a000-0000-7000-8000-000000000002',
};

/** @param isDue whether the row can be claimed */
function processorOf(isDue: boolean, keep: (signal: AbortSignal) => Promise<void> = async () => undefined) {
  const kept: string[] = [];
  const channels = {
    claimUpkeep: async (due: DueUpkeep) => (isDue ? ({ ...due, leaseId: 'lease' } as ChannelUpkeep) : null),
  };
  const keeper = {
    keep: async ({ watchedCalendarId }: ChannelUpkeep, signal: AbortSignal) => {
      kept.push(watchedCalendarId);
      await keep(signal);
    },
  };
  const processor = new ChannelRenewalProcessor(
    channels as unknown as ProviderChannelRepository,
    keeper as unknown as ChannelKeeper,
  );
  const close = jest.fn(async () => undefined);
  Object.defineProperty(processor, 'worker', { value: { close } });
  return { processor, kept, run: () => processor.process({ data: DUE } as never) };
}

describe('ChannelRenewalProcessor', () => {
  it('sees to the calendar that it is given', async () => {
    const { run, kept } = processorOf(true);
    await run();
    expect(kept).toEqual([DUE.watchedCalendarId]);
  });

  it('does nothing when the calendar is not due any more, or another worker has it', async () => {
    const { run, kept } = processorOf(false);
    await run();
    expect(kept).toEqual([]);
  });

  it('tells what is under way to stop', async () => {
    const begun = Promise.withResolvers<void>();
    const { run, processor } = processorOf(true, async (signal) => {
      begun.resolve();
      await new Promise((done) => signal.addEventListener('abort', done));
    });
    const running = run();
    await begun.promise;
    await processor.stop(new AbortController().signal);
    await expect(running).resolves.toBeUndefined();
  });

  it('says of a failed job that the lease ends', () => {
    const warning = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    const { processor } = processorOf(true);
    processor.onFailed({ id: '1', attemptsMade: 1, finishedOn: 1 } as never, new Error('database away'));
    expect(warning).toHaveBeenCalledWith(expect.objectContaining({ queue: 'channel-renewal', jobId: '1' }));
    warning.mockRestore();
  });
});

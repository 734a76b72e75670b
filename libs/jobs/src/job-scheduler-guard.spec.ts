import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { Queue } from 'bullmq';
import { housekeeping } from './jobs.js';
import { JobSchedulerGuard } from './job-scheduler-guard.js';

type Scheduler = { every: number; name: string } | undefined;

function fakeQueue(known: Scheduler) {
  const state = { known };
  const upsertJobScheduler = jest.fn(
    async (_id: string, { every }: { every: number }, template: { name: string; data: unknown; opts: unknown }) => {
      state.known = { every, name: template.name };
    },
  );
  const queue = { getJobScheduler: async () => state.known, upsertJobScheduler } as unknown as Queue;
  return { queue, upsertJobScheduler, lose: () => (state.known = undefined) };
}

describe('JobSchedulerGuard', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('sets a schedule that is missing', async () => {
    const { queue, upsertJobScheduler } = fakeQueue(undefined);
    const guard = new JobSchedulerGuard(queue, housekeeping, 60_000);
    await guard.start();
    expect(upsertJobScheduler).toHaveBeenCalledWith(
      'housekeeping',
      { every: 60_000 },
      { name: 'delete-expired', data: {}, opts: housekeeping.options },
    );
    await guard.stop();
  });

  it('leaves one alone that is as wanted: writing it again would move its next run', async () => {
    const { queue, upsertJobScheduler } = fakeQueue({ every: 60_000, name: 'delete-expired' });
    const guard = new JobSchedulerGuard(queue, housekeeping, 60_000);
    await guard.start();
    expect(upsertJobScheduler).not.toHaveBeenCalled();
    await guard.stop();
  });

  it('changes one whose interval is no longer the wanted one', async () => {
    const { queue, upsertJobScheduler } = fakeQueue({ every: 1_000, name: 'delete-expired' });
    const guard = new JobSchedulerGuard(queue, housekeeping, 60_000);
    await guard.start();
    expect(upsertJobScheduler).toHaveBeenCalledTimes(1);
    await guard.stop();
  });

  it('F10 sets one again, within a minute, that the store has lost', async () => {
    const { queue, upsertJobScheduler, lose } = fakeQueue(undefined);
    const guard = new JobSchedulerGuard(queue, housekeeping, 60_000);
    await guard.start();
    lose();
    await jest.advanceTimersByTimeAsync(60_000);
    expect(upsertJobScheduler).toHaveBeenCalledTimes(2);
    await guard.stop();
    lose();
    await jest.advanceTimersByTimeAsync(60_000);
    expect(upsertJobScheduler).toHaveBeenCalledTimes(2);
  });
});

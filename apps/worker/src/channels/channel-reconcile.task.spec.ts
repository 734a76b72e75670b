import { once } from 'node:events';
import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { ChannelReconciler } from '#application/channels';
import type { ClaimedReconciliation } from '#domain/channels';
import { ChannelReconcileTask } from './channel-reconcile.task.js';

const warnings = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
const runs: ChannelReconcileTask[] = [];
beforeEach(() => warnings.mockClear());
afterEach(async () => {
  for (const reconcileDue of runs.splice(0)) await reconcileDue.stop();
});

/** A sweep over so many calendars; `keep` stands for what is done with one. */
function taskOf(count: number, keep: (id: string, signal: AbortSignal) => Promise<void>) {
  const waiting = Array.from({ length: count }, (_, index) => ({ syncedCalendarId: `calendar-${index}` }));
  const limits: number[] = [];
  const emptied = Promise.withResolvers<void>();
  const reconciler = {
    async due(limit: number) {
      limits.push(limit);
      const due = waiting.splice(0, limit);
      if (due.length < limit) emptied.resolve();
      return due as ClaimedReconciliation[];
    },
    reconcile: ({ syncedCalendarId }: ClaimedReconciliation, signal: AbortSignal) => keep(syncedCalendarId, signal),
  };
  const reconcileDue = new ChannelReconcileTask(reconciler as unknown as ChannelReconciler);
  runs.push(reconcileDue);
  return { reconcileDue, limits, emptied: emptied.promise };
}

describe('ChannelReconcileTask', () => {
  it('sees to all calendars that are due, ten at a time', async () => {
    let running = 0;
    let most = 0;
    const kept: string[] = [];
    const { reconcileDue, emptied } = taskOf(35, async (id) => {
      most = Math.max(most, (running += 1));
      await new Promise(setImmediate);
      running -= 1;
      kept.push(id);
    });
    reconcileDue.onApplicationBootstrap();
    await emptied;
    await reconcileDue.stop();
    expect(new Set(kept).size).toBe(35);
    expect(most).toBe(10);
  });

  it('takes no more than can begin at once: one that hangs holds up no other', async () => {
    const kept: string[] = [];
    const othersAreDone = Promise.withResolvers<void>();
    const { reconcileDue, limits } = taskOf(30, async (id, signal) => {
      if (id === 'calendar-0') await once(signal, 'abort');
      if (kept.push(id) === 29) othersAreDone.resolve();
    });
    reconcileDue.onApplicationBootstrap();
    await othersAreDone.promise;
    expect(kept).not.toContain('calendar-0');
    expect(Math.max(...limits.slice(1))).toBeLessThanOrEqual(9);
    await reconcileDue.stop();
    expect(kept).toHaveLength(30);
  });

  it('goes on after one that fails', async () => {
    const kept: string[] = [];
    const { reconcileDue, emptied } = taskOf(5, async (id) => {
      if (id === 'calendar-1') throw new Error('database away');
      kept.push(id);
    });
    reconcileDue.onApplicationBootstrap();
    await emptied;
    await reconcileDue.stop();
    expect(kept).toHaveLength(4);
    expect(warnings).toHaveBeenCalledWith(expect.objectContaining({ syncedCalendarId: 'calendar-1' }));
  });

  it('tells what is under way to stop, and waits for it', async () => {
    const begun = Promise.withResolvers<void>();
    let stopped = 0;
    const { reconcileDue } = taskOf(10, async (id, signal) => {
      if (id === 'calendar-9') begun.resolve();
      await once(signal, 'abort');
      await new Promise(setImmediate);
      stopped += 1;
    });
    reconcileDue.onApplicationBootstrap();
    await begun.promise;
    await reconcileDue.stop();
    expect(stopped).toBe(10);
  });
});

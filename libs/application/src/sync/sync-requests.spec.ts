import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { SyncedCalendarRepository } from '#domain/sync';
import { SyncRequests } from './sync-requests.js';

const APP = { applicationId: 'app' };

function fixture() {
  const steps: string[] = [];
  const calendars = {
    requestSync: jest.fn(async () => void steps.push('stored')),
    requestSyncOfCalendar: jest.fn(async () => steps.push('stored') > 0),
    requestSyncOfAccount: jest.fn(async () => void steps.push('stored')),
    requestSyncAfterGap: jest.fn(async () => void steps.push('stored')),
  };
  const syncWakeup = { wake: () => void steps.push('woken') };
  const syncRequests = new SyncRequests(calendars as unknown as SyncedCalendarRepository, syncWakeup);
  return { syncRequests, calendars, steps };
}

describe('SyncRequests', () => {
  it('stores a sync request before it wakes anybody', async () => {
    const { syncRequests, calendars, steps } = fixture();
    await syncRequests.forNotification(['a', 'b']);
    await syncRequests.calendar(APP, 'account', 'calendar');
    expect(calendars.requestSync.mock.calls).toEqual([[['a', 'b']]]);
    expect(calendars.requestSyncOfCalendar.mock.calls).toEqual([[APP, 'account', 'calendar']]);
    await syncRequests.gap('a');
    expect(calendars.requestSyncAfterGap.mock.calls).toEqual([['a']]);
    expect(steps).toEqual(Array.from({ length: 3 }, () => ['stored', 'woken']).flat());
  });

  it('wakes nobody for a write to a calendar without subscriptions', async () => {
    const { syncRequests, calendars, steps } = fixture();
    calendars.requestSyncOfCalendar.mockResolvedValue(false);
    await syncRequests.calendar(APP, 'account', 'calendar');
    expect(steps).toEqual([]);
  });

  it('F16 lets a write succeed whose sync request cannot be stored, and a push fail, which the provider repeats', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
    const { syncRequests, calendars, steps } = fixture();
    const away = new Error('database away');
    calendars.requestSyncOfCalendar.mockRejectedValue(away);
    calendars.requestSync.mockRejectedValue(away);
    await syncRequests.calendar(APP, 'account', 'calendar');
    expect(warn).toHaveBeenCalledTimes(1);
    await expect(syncRequests.forNotification(['a'])).rejects.toBe(away);
    expect(steps).toEqual([]);
    warn.mockRestore();
  });
});

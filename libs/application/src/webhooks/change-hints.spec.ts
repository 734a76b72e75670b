import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { WatchedCalendarRepository } from '#domain';
import { ChangeHints } from './change-hints.js';

const APP = { applicationId: 'app' };

function world() {
  const steps: string[] = [];
  const calendars = {
    hint: jest.fn(async () => void steps.push('stored')),
    hintCalendar: jest.fn(async () => steps.push('stored') > 0),
    hintAccount: jest.fn(async () => void steps.push('stored')),
    lookAnew: jest.fn(async () => void steps.push('stored')),
  };
  const lookout = { wake: () => void steps.push('woken') };
  const hints = new ChangeHints(calendars as unknown as WatchedCalendarRepository, lookout);
  return { hints, calendars, steps };
}

describe('ChangeHints', () => {
  it('stores a hint before it wakes anybody', async () => {
    const { hints, calendars, steps } = world();
    await hints.watched(['a', 'b']);
    await hints.calendar(APP, 'account', 'calendar');
    expect(calendars.hint.mock.calls).toEqual([[['a', 'b']]]);
    expect(calendars.hintCalendar.mock.calls).toEqual([[APP, 'account', 'calendar']]);
    await hints.gap('a');
    expect(calendars.lookAnew.mock.calls).toEqual([['a']]);
    expect(steps).toEqual(Array.from({ length: 3 }, () => ['stored', 'woken']).flat());
  });

  it('wakes nobody for a write to a calendar without subscriptions', async () => {
    const { hints, calendars, steps } = world();
    calendars.hintCalendar.mockResolvedValue(false);
    await hints.calendar(APP, 'account', 'calendar');
    expect(steps).toEqual([]);
  });

  it('F16 lets a write succeed whose hint cannot be stored, and a push fail, which the provider repeats', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue(undefined);
    const { hints, calendars, steps } = world();
    const away = new Error('database away');
    calendars.hintCalendar.mockRejectedValue(away);
    calendars.hint.mockRejectedValue(away);
    await hints.calendar(APP, 'account', 'calendar');
    expect(warn).toHaveBeenCalledTimes(1);
    await expect(hints.watched(['a'])).rejects.toBe(away);
    expect(steps).toEqual([]);
    warn.mockRestore();
  });
});

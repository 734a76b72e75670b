import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { MemoryReadingPlans } from '#domain/testing/memory-usage';
import type { CalendarProviders, ProviderCapabilities } from '#domain/providers';
import type { ClaimedSync } from '#domain/sync';
import { DomainError } from '#domain/system';
import { POLLED, READS, type QuotaOwner } from '#domain/usage';
import { ReadingPlanner } from './reading-planner.js';
import { ReadingPlans } from './reading-plans.js';

const NOW_MS = Date.now();
const SERVER = 'https://dav.example.org';
const GOOGLE = { providerType: 'GOOGLE', quotaOwner: '123456789012' } as const;
const CALDAV = { providerType: 'CALDAV', quotaOwner: SERVER } as const;
const NOTHING = {
  ...{ pushed: 0, polled: 0, notifiedLately: 0, notifiedBefore: 0, calls: 0, requests: 0 },
  ...{ isStrained: false, isHurried: false },
};
const LIMITS: Partial<Record<string, Partial<ProviderCapabilities>>> = {
  GOOGLE: { requestsPerDay: 900_000 },
  CALDAV: { backgroundRequestsPerMinute: 600 },
};

/** Plans over the given calendars, and a reader of the plans. */
async function planned(...owners: (Partial<QuotaOwner> & Pick<QuotaOwner, 'providerType' | 'quotaOwner'>)[]) {
  const stored = new MemoryReadingPlans();
  stored.found = owners.map((owner) => ({ ...NOTHING, ...owner }));
  const changedAt = new Date(NOW_MS);
  for (const { pushed = 0 } of owners) {
    for (let count = 1; count < pushed; count += 1) stored.priorities.set(count, { priority: 2, changedAt });
  }
  const providers = { for: (type: string) => ({ capabilities: LIMITS[type] ?? {} }) } as unknown as CalendarProviders;
  await new ReadingPlanner(stored, providers).plan();
  const nowMs = jest.fn(() => NOW_MS);
  return { stored, nowMs, plans: new ReadingPlans(stored, { nowMs }) };
}

const sync = (given: Partial<ClaimedSync>) => ({ ...GOOGLE, readingPriority: null, ...given }) as ClaimedSync;
const pushed = (changedMs: number, priority = 2) =>
  sync({ readingPriority: { priority, changedAt: new Date(changedMs) } });

describe('an unchanged calendar is read', () => {
  it('as usual without a plan', async () => {
    const { plans } = await planned();
    expect(await plans.intervalOf(pushed(0), READS.near)).toBe(READS.near);
    expect(await plans.intervalOf(sync(CALDAV), POLLED)).toBe(POLLED);
  });

  it('near or far, by its priority, where the project has a daily limit', async () => {
    const { plans, stored } = await planned({ ...GOOGLE, pushed: 10_000, requests: 5 });
    expect(stored.plans).toMatchObject([
      { ...GOOGLE, requestsPerDay: 900_000, requestsUsed: 5, calendars: 10_000, others: READS.far },
    ]);
    expect(await plans.intervalOf(pushed(NOW_MS), READS.near)).toBe(READS.near);
    expect(await plans.intervalOf(pushed(NOW_MS - 1), READS.near)).toEqual(READS.far);
    expect(await plans.intervalOf(pushed(NOW_MS - 1, 1), READS.near)).toBe(READS.near);
    expect(await plans.intervalOf(sync({}), POLLED)).toBe(POLLED);
  });

  it('less often where the project has many without a live channel', async () => {
    const { plans } = await planned({ ...GOOGLE, polled: 5_000 });
    const { min, max } = await plans.intervalOf(sync({}), POLLED);
    expect(min).toBeGreaterThan(8 * 60_000);
    expect(max).toBeLessThan(11 * 60_000);
  });

  it('near where the provider counts by mailbox', async () => {
    const microsoft = { providerType: 'MICROSOFT', quotaOwner: 'client' } as const;
    const { plans, stored } = await planned({ ...microsoft, pushed: 90_000 }, { ...microsoft, quotaOwner: 'idle' });
    expect(stored.plans).toMatchObject([{ calendars: 90_000, near: 90_000 }]);
    expect(await plans.intervalOf({ ...pushed(0), ...microsoft }, READS.near)).toBe(READS.near);
  });

  it('less often at a server with many, and half as often for ten minutes after it was overloaded', async () => {
    const overload = new DomainError('ProviderUnavailable', 'Later.', {
      provider: { status: 503, code: null, message: '', retryable: true },
    });
    const { plans, stored } = await planned({ ...CALDAV, polled: 400 });
    expect(await plans.intervalOf(sync(CALDAV), POLLED)).toBe(POLLED);
    await plans.recordFailure(sync(CALDAV), new DomainError('ProviderUnavailable', 'unreachable'));
    await plans.recordFailure(sync({ ...CALDAV, quotaOwner: 'https://small.example' }), overload);
    expect(stored.strained).toEqual([]);
    await plans.recordFailure(sync(CALDAV), overload);
    expect(stored.strained).toEqual([SERVER]);
    const strained = await planned({ ...CALDAV, polled: 400, isStrained: true });
    expect(await strained.plans.intervalOf(sync(CALDAV), POLLED)).toEqual({ min: 72_000, max: 88_000 });
    const many = await planned({ ...CALDAV, polled: 1_000 });
    expect(await many.plans.intervalOf(sync(CALDAV), POLLED)).toEqual({ min: 90_000, max: 110_000 });
    expect((await planned({ ...CALDAV, polled: 200 })).stored.plans).toEqual([]);
  });

  it('by the last plan when the next cannot be read, and as usual when nobody has planned for an hour', async () => {
    const warnings = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    const { plans, stored, nowMs } = await planned({ ...GOOGLE, pushed: 20_000 });
    const other = await plans.intervalOf(pushed(0), READS.near);
    expect(other.max).toBeGreaterThan(READS.far.max);
    const now = jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 31_000);
    stored.all = async () => Promise.reject(new Error('database away'));
    expect(await plans.intervalOf(pushed(0), READS.near)).toEqual(other);
    expect(warnings).toHaveBeenCalled();
    nowMs.mockReturnValue(NOW_MS + 3_700_000);
    expect(await plans.intervalOf(pushed(0), READS.near)).toBe(READS.near);
    now.mockRestore();
    warnings.mockRestore();
  });
});

describe('missing notifications', () => {
  it('make all calendars of the project due, and those that are not near are read more often for an hour', async () => {
    const warnings = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    const missing = { pushed: 10_000, notifiedBefore: 600, notifiedLately: 3 };
    const { stored, plans } = await planned({ ...GOOGLE, ...missing }, { ...GOOGLE, quotaOwner: '2', pushed: 1 });
    expect(stored.hurried).toEqual([GOOGLE.quotaOwner]);
    expect(warnings).toHaveBeenCalledTimes(1);
    expect(await plans.intervalOf(pushed(0), READS.near)).toEqual(READS.hurried);
    const later = await planned({ ...GOOGLE, ...missing, isHurried: true });
    expect(later.stored.hurried).toEqual([]);
    expect([stored, later.stored].map(({ broughtForward }) => broughtForward)).toEqual([[], [GOOGLE.quotaOwner]]);
    warnings.mockRestore();
  });
});

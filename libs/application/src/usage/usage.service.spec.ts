import { jest } from '@jest/globals';
import { MemoryReadingPlans, MemoryRequestLedger } from '#domain/testing/memory-usage';
import { READS } from '#domain/usage';
import { UsageService } from './usage.service.js';

const APP = { applicationId: 'app' };

describe('UsageService', () => {
  const ledger = new MemoryRequestLedger();
  const plans = new MemoryReadingPlans();
  const usage = new UsageService(ledger, plans, { nowMs: () => Date.parse('2026-11-28T23:59:59.999Z') });

  it('counts days of UTC, today included', async () => {
    const daily = jest.spyOn(ledger, 'daily');
    await usage.ofApplication(APP, 1);
    await usage.ofApplication(APP, 35);
    expect(daily.mock.calls).toEqual([
      [APP, new Date('2026-11-28T00:00:00Z')],
      [APP, new Date('2026-10-25T00:00:00Z')],
    ]);
  });

  it('shows projects before servers, the most used first', async () => {
    const plan = {
      requestsPerDay: null,
      calendars: 1,
      near: 1,
      lastNear: null,
      polled: null,
      others: READS.far,
    } as const;
    await plans.replace([
      { ...plan, providerType: 'CALDAV', quotaOwner: 'https://dav.example', requestsUsed: 0 },
      { ...plan, providerType: 'GOOGLE', quotaOwner: '1', requestsUsed: 5 },
      { ...plan, providerType: 'GOOGLE', quotaOwner: '2', requestsUsed: 9 },
    ]);
    const { plans: shown } = await usage.ofInstallation(7);
    expect(shown.map(({ quotaOwner }) => quotaOwner)).toEqual(['2', '1', 'https://dav.example']);
  });
});

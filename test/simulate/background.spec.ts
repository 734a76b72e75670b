import { simulateDay } from './background.js';

/** A tenth of Google's default, for a tenth of the accounts. */
const REQUESTS_PER_DAY = 90_000;

describe('a day of quiet accounts at one project', () => {
  it('keeps to the daily requests, whatever the number of accounts, and finds lost notifications in time', () => {
    const few = simulateDay({ accounts: 400, requestsPerDay: REQUESTS_PER_DAY, lost: 0.05 });
    expect(few).toMatchObject({ near: 400, otherMinutes: 0 });
    expect(few.nearMinutes).toBeLessThanOrEqual(10);

    const more = simulateDay({ accounts: 1_000, requestsPerDay: REQUESTS_PER_DAY, lost: 0.05 });
    expect(more.near).toBeGreaterThan(100);
    expect(more.nearMinutes).toBeLessThanOrEqual(10);
    expect(more.otherMinutes).toBeLessThanOrEqual(30);

    const most = simulateDay({ accounts: 2_900, requestsPerDay: REQUESTS_PER_DAY, lost: 0.05 });
    expect(most.near).toBe(0);
    expect(most.otherMinutes).toBeLessThanOrEqual(60);

    for (const { requests, lost } of [few, more, most]) {
      expect(lost).toBeGreaterThan(10);
      expect(requests).toBeLessThanOrEqual(REQUESTS_PER_DAY);
    }
  });

  it('reads no calendar less often than once an hour where the daily requests do not suffice', () => {
    const { requests, otherMinutes } = simulateDay({ accounts: 1_000, requestsPerDay: 10_000, lost: 0.05 });
    expect(requests).toBeGreaterThan(10_000);
    expect(otherMinutes).toBeLessThanOrEqual(60);
  });

  it('finds dead credentials within ten minutes, also where calendars are read once an hour', () => {
    const { revokedFound, revokedMinutes } = simulateDay({
      accounts: 2_000,
      requestsPerDay: REQUESTS_PER_DAY / 2,
      revoked: 100,
    });
    expect(revokedFound).toBe(100);
    expect(revokedMinutes).toBeLessThanOrEqual(10);
  });

  it('reads all calendars at once where a provider stops sending notifications', () => {
    const day = { accounts: 2_000, requestsPerDay: 1.3 * REQUESTS_PER_DAY };
    const short = { from: 12, to: 12.3 };
    for (const outage of [short, { from: 9, to: 10 }]) {
      const { otherMinutes } = simulateDay({ ...day, outage });
      expect(otherMinutes).toBeLessThanOrEqual(25);
    }
  });
});

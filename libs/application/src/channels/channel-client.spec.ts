import { nextTryMs, NotificationUrls, renewalOf } from './channel-client.js';

const NOW_MS = Date.parse('2026-11-21T12:00:00Z');
const DAY_MS = 86_400_000;

describe('renewalOf', () => {
  it('W18 leaves a fifth to a quarter of the life', () => {
    const expiresAt = new Date(NOW_MS + 100 * DAY_MS);
    const leftMs = (random: number) => expiresAt.getTime() - renewalOf(expiresAt, NOW_MS, random).getTime();
    expect(leftMs(0)).toBe(20 * DAY_MS);
    expect(leftMs(1)).toBe(25 * DAY_MS);
  });

  it('is at once for a channel that has ended by our clock', () => {
    const expiresAt = new Date(NOW_MS - DAY_MS);
    expect(renewalOf(expiresAt, NOW_MS)).toEqual(expiresAt);
  });
});

describe('nextTryMs', () => {
  it('F31 doubles from five seconds up to an hour, by half of it at random', () => {
    expect([0, 1, 2, 9, 10, 10_000].map((failures) => nextTryMs(failures, 0, 1))).toEqual([
      5_000, 10_000, 20_000, 2_560_000, 3_600_000, 3_600_000,
    ]);
    expect(nextTryMs(3, 0, 0)).toBe(20_000);
    expect(nextTryMs(0, 0, 1 / 3)).toBe(3_333);
  });

  it('F24 waits as long as the provider says', () => {
    expect(nextTryMs(0, 120, 0)).toBe(120_000);
    expect(nextTryMs(10, 120, 0)).toBe(1_800_000);
  });
});

describe('NotificationUrls', () => {
  it.each(['https://calendar.example.com', 'https://calendar.example.com//'])('are below %s', (publicUrl) => {
    const addresses = new NotificationUrls(publicUrl);
    expect(addresses.of('GOOGLE')).toMatchObject({
      notificationUrl: 'https://calendar.example.com/api/v1/providers/google/notifications',
    });
    expect(addresses.of('MICROSOFT')).toEqual({
      notificationUrl: 'https://calendar.example.com/api/v1/providers/microsoft/notifications',
      lifecycleUrl: 'https://calendar.example.com/api/v1/providers/microsoft/lifecycle',
    });
  });

  it('keep the path that a proxy adds', () => {
    expect(new NotificationUrls('https://example.com/cal/').of('GOOGLE').notificationUrl).toBe(
      'https://example.com/cal/api/v1/providers/google/notifications',
    );
  });
});

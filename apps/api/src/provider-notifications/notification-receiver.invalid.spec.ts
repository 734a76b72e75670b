import { jest } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { Logger } from '@nestjs/common';
import { InvalidNotificationLimiter } from './notification-receiver.js';

const SOURCE = '192.0.2.7';

let warned: jest.SpiedFunction<typeof Logger.prototype.warn>;
beforeEach(() => {
  warned = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
});
afterEach(() => jest.restoreAllMocks());

describe('N46 InvalidNotificationLimiter', () => {
  it('refuses a source that has forged a hundred pushes, says when it may come again, and tells operators once', () => {
    const limiter = new InvalidNotificationLimiter();
    limiter.recordInvalid(SOURCE, 99);
    limiter.recordInvalid(SOURCE, 0);
    expect(() => limiter.assertAllowed(SOURCE)).not.toThrow();
    expect(limiter.isDoubted(SOURCE)).toBe(false);
    limiter.recordInvalid(SOURCE, 1);
    expect(limiter.isDoubted(SOURCE)).toBe(true);
    limiter.recordInvalid(SOURCE, 500);
    expect(() => limiter.assertAllowed(SOURCE)).toThrow(
      expect.objectContaining({ code: 'RateLimited', retryAfterSeconds: expect.closeTo(10, 0) }),
    );
    expect(warned.mock.calls).toEqual([[expect.objectContaining({ network: SOURCE })]]);
  });

  it('counts networks, and no others for them', () => {
    const limiter = new InvalidNotificationLimiter();
    limiter.recordInvalid('2001:db8:1:2::1', 60);
    limiter.recordInvalid('2001:db8:1:2:ffff::9', 60);
    expect(() => limiter.assertAllowed('2001:db8:1:2::77')).toThrow();
    expect(() => limiter.assertAllowed('2001:db8:1:3::1')).not.toThrow();
    expect(() => limiter.assertAllowed(SOURCE)).not.toThrow();
  });

  it('trusts again ten seconds after the first one, whatever came since', async () => {
    const now = jest.spyOn(performance, 'now').mockReturnValue(1_000);
    const at = async (ms: number) => {
      now.mockReturnValue(1_000 + ms);
      await sleep(5); // the cache asks for the time once a millisecond
    };
    const limiter = new InvalidNotificationLimiter();
    limiter.recordInvalid(SOURCE, 1);
    await at(8_500);
    limiter.recordInvalid(SOURCE, 200);
    expect(() => limiter.assertAllowed(SOURCE)).toThrow(expect.objectContaining({ retryAfterSeconds: 2 }));
    await at(10_001);
    expect(() => limiter.assertAllowed(SOURCE)).not.toThrow();
  });
});

import { DomainError } from '#domain/system';
import { VirtualTime } from '#domain/testing/virtual-time';
import { unavailable } from '../../testing/accounts-fixture.js';
import { RefreshBackoff } from './credentials.service.js';

/** Seconds that a caller is told to wait; null: it may try. */
function waitOf(backoff: RefreshBackoff): number | null {
  try {
    backoff.check('account 1');
    return null;
  } catch (error) {
    return (error as DomainError).retryAfterSeconds ?? Number.NaN;
  }
}

describe('RefreshBackoff', () => {
  it('waits twice as long after every failure, up to 30 seconds', async () => {
    const time = new VirtualTime();
    const backoff = new RefreshBackoff(time);
    const waits: (number | null)[] = [];
    for (let failure = 0; failure < 7; failure += 1) {
      backoff.record('account 1', unavailable());
      const wait = waitOf(backoff);
      waits.push(wait);
      await time.pass((wait ?? 0) * 1_000);
      expect(waitOf(backoff)).toBeNull();
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 30, 30]);
  });

  it('begins anew after a success, and knows other credentials nothing of it', () => {
    const backoff = new RefreshBackoff(new VirtualTime());
    backoff.record('account 1', unavailable());
    expect(() => backoff.check('account 2')).not.toThrow();
    backoff.clear('account 1');
    expect(waitOf(backoff)).toBeNull();
  });

  it('leaves errors alone that do not pass by waiting', () => {
    const backoff = new RefreshBackoff(new VirtualTime());
    for (const error of [new DomainError('EndUserAccountExpired', 'dead'), new TypeError('ours')]) {
      expect(backoff.record('account 1', error)).toBe(error);
    }
    expect(waitOf(backoff)).toBeNull();
  });

  it('F34 does not wait longer because the clock was set back', () => {
    const time = new VirtualTime();
    const backoff = new RefreshBackoff(time);
    backoff.record('account 1', unavailable());
    time.setBack(3_600_000);
    expect(waitOf(backoff)).toBeNull();
  });
});

import { GraphErrorResponse, type MicrosoftUser } from '../contract.js';
import { Throttle } from './throttle.js';

const IDA = { oid: 'o-1', tid: 't-1' } as MicrosoftUser;

describe('Throttle', () => {
  let now: number;
  let throttle: Throttle;
  beforeEach(() => {
    now = 1_000_000;
    throttle = new Throttle({ nowMs: () => now });
  });

  const rejection = (user = IDA): GraphErrorResponse | null => {
    try {
      throttle.enter('client', user)();
      return null;
    } catch (error) {
      return error as GraphErrorResponse;
    }
  };

  it('lets four in at once, and the next when one has left', () => {
    const [leave] = [1, 2, 3, 4].map(() => throttle.enter('client', IDA));
    expect(rejection()).toMatchObject({ status: 429, code: 'ApplicationThrottled', headers: { 'retry-after': '1' } });
    leave?.();
    expect(rejection()).toBeNull();
  });

  it('counts by client, directory and person', () => {
    for (let count = 0; count < 4; count += 1) throttle.enter('client', IDA);
    expect(rejection({ ...IDA, tid: 't-2' })).toBeNull();
    expect(rejection({ ...IDA, oid: 'o-2' })).toBeNull();
    expect(() => throttle.enter('other client', IDA)).not.toThrow();
  });

  it('lets 10,000 in within ten minutes, and says when there are more', () => {
    for (let count = 0; count < 10_000; count += 1) throttle.enter('client', IDA)();
    now += 4 * 60_000;
    expect(rejection()).toMatchObject({ status: 429, headers: { 'retry-after': '360' } });
    now += 6 * 60_000;
    expect(rejection()).toBeNull();
  });

  it('is not confused by a clock that is turned back', () => {
    for (let count = 0; count < 10_001; count += 1) if (rejection() !== null) break;
    now -= 86_400_000;
    expect(rejection()).toBeNull();
  });
});

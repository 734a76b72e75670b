import { UnifiedCalendarError, UnifiedCalendarNetworkError } from './errors.js';
import { pauseMs } from './retries.js';

const NETWORK = new UnifiedCalendarNetworkError('no answer');

function refused(status: number, retryAfter?: string, retryable?: boolean): UnifiedCalendarError {
  const headers = new Headers(retryAfter === undefined ? {} : { 'retry-after': retryAfter });
  const provider = retryable === undefined ? undefined : { status, code: null, message: '', retryable };
  return new UnifiedCalendarError({ status, headers }, { code: 'Code', message: 'A sentence.', provider });
}

describe('pauseMs', () => {
  it('doubles up to ten seconds, each up to a half shorter', () => {
    const failures = [1, 2, 3, 4, 5, 6, 20];
    expect(failures.map((count) => pauseMs(NETWORK, count, () => 0))).toEqual([
      500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000,
    ]);
    expect(pauseMs(NETWORK, 1, () => 1)).toBe(250);
  });

  it('waits as long as it is told to, never shorter', () => {
    expect(pauseMs(refused(429, '3'), 1, () => 0)).toBe(3_000);
    expect(pauseMs(refused(503, '3'), 9, () => 1)).toBe(3_500);
    expect(pauseMs(refused(429, '0'), 1, () => 0)).toBe(0);
  });

  it('does not wait longer than a minute', () => {
    expect(pauseMs(refused(429, '60'), 1, () => 0)).toBe(60_000);
    expect(pauseMs(refused(429, '61'), 1)).toBeNull();
  });

  it.each([429, 502, 503, 504])('%s passes', (status) => expect(pauseMs(refused(status), 1)).not.toBeNull());

  it.each([400, 401, 403, 404, 410, 412, 422, 500])('%s stays', (status) =>
    expect(pauseMs(refused(status), 1)).toBeNull(),
  );

  it('tells a conflict with itself from any other', () => {
    expect(pauseMs(refused(409, '1'), 1)).not.toBeNull();
    expect(pauseMs(refused(409), 1)).toBeNull();
  });

  it('believes the provider that nothing will change', () => {
    expect(pauseMs(refused(502, undefined, false), 1)).toBeNull();
    expect(pauseMs(refused(502, undefined, true), 1)).not.toBeNull();
  });

  it('leaves all other errors alone', () => expect(pauseMs(new TypeError('a mistake'), 1)).toBeNull());
});

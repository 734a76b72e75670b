import { GoogleApiError, googleFailure, readOnlyCalendar, REFUSALS, staleSyncToken } from './errors.js';

const READ = { kind: 'read', permission: 'see the events' } as const;
const WRITE = { kind: 'write', permission: 'change the events' } as const;
const fault = (status: number, reason: string | null = null, detail = '', retryAfterMs: number | null = null) =>
  new GoogleApiError(status, reason, detail, retryAfterMs);

describe('googleFailure', () => {
  it.each([
    [400, 'invalid', 'ProviderRejected'],
    [400, 'timeRangeEmpty', 'ProviderRejected'],
    [422, null, 'ProviderRejected'],
    [400, 'channelIdNotUnique', 'Conflict'],
    [400, 'push.webhookUrlNotHttps', 'ProviderUnavailable'],
    [401, 'push.webhookUrlUnauthorized', 'ProviderUnavailable'],
    [401, 'authError', 'CredentialsRejected'],
    [403, 'rateLimitExceeded', 'ProviderRateLimited'],
    [403, 'userRateLimitExceeded', 'ProviderRateLimited'],
    [403, 'RATE_LIMIT_EXCEEDED', 'ProviderRateLimited'],
    [429, 'rateLimitExceeded', 'ProviderRateLimited'],
    [429, null, 'ProviderRateLimited'],
    [403, 'quotaExceeded', 'ProviderRateLimited'],
    [403, 'dailyLimitExceeded', 'ProviderUnavailable'],
    [403, 'accessNotConfigured', 'ProviderUnavailable'],
    [403, 'SERVICE_DISABLED', 'ProviderUnavailable'],
    [403, 'forbiddenForNonOrganizer', 'Forbidden'],
    [403, 'forbidden', 'Forbidden'],
    [403, 'notACalendarUser', 'Forbidden'],
    [403, null, 'Forbidden'],
    [404, 'notFound', 'NotFound'],
    [409, 'duplicate', 'Conflict'],
    [410, 'deleted', 'NotFound'],
    [410, 'fullSyncRequired', 'SyncTokenExpired'],
    [410, 'updatedMinTooLongAgo', 'SyncTokenExpired'],
    [412, 'conditionNotMet', 'PreconditionFailed'],
    [413, 'uploadTooLarge', 'PayloadTooLarge'],
    [500, 'backendError', 'ProviderUnavailable'],
    [503, 'rateLimitExceeded', 'ProviderUnavailable'],
    [502, null, 'ProviderUnavailable'],
    [302, null, 'ProviderUnavailable'],
  ])('tells %d %s as %s', (status, reason, code) => {
    const error = googleFailure(fault(status, reason), READ);
    expect(error).toMatchObject({ code, provider: { status, code: reason } });
    expect(error.cause).toBeUndefined();
  });

  it('tells a write without the role as a read-only calendar, a read as forbidden', () => {
    expect(googleFailure(fault(403, 'requiredAccessLevel'), WRITE).code).toBe('ReadOnlyCalendar');
    expect(googleFailure(fault(403, 'requiredAccessLevel'), READ).code).toBe('Forbidden');
    expect(readOnlyCalendar(fault(403, 'forbidden')).code).toBe('ReadOnlyCalendar');
  });

  it.each(['insufficientPermissions', 'ACCESS_TOKEN_SCOPE_INSUFFICIENT'])(
    'names the permission that %s means',
    (reason) => {
      expect(googleFailure(fault(403, reason), WRITE)).toMatchObject({
        code: 'Forbidden',
        message: 'The account has not granted the permission to change the events.',
      });
    },
  );

  it('says who may change what participants share, and who has to act on a disabled API', () => {
    expect(googleFailure(fault(403, 'forbiddenForNonOrganizer'), WRITE).message).toContain('organizer');
    expect(googleFailure(fault(403, 'accessNotConfigured'), READ)).toMatchObject({
      message: expect.stringContaining('operator'),
      provider: { retryable: false },
    });
  });

  it("repeats Google's sentence to the caller of a rejected request, and not among the facts", () => {
    const error = googleFailure(fault(400, 'invalid', 'Invalid start time.'), WRITE);
    expect(error.message).toBe('Google does not accept this: Invalid start time.');
    expect(error.provider?.message).not.toContain('start time');
  });

  it.each([
    [fault(429), 10],
    [fault(403, 'rateLimitExceeded', '', 2_001), 3],
    [fault(403, 'rateLimitExceeded', '', 0), 1],
    [fault(403, 'quotaExceeded'), 3_600],
    [fault(503, null, '', 5_000), 5],
    [fault(503), undefined],
  ])('F24 tells when to come back: %s', (given, seconds) => {
    expect(googleFailure(given, READ).retryAfterSeconds).toBe(seconds);
  });

  it.each([
    [403, 'rateLimitExceeded', true],
    [429, null, true],
    [429, 'somethingElse', true],
    [403, 'quotaExceeded', false],
    [429, 'quotaExceeded', false],
    [403, 'forbidden', false],
    [500, 'rateLimitExceeded', false],
  ])('counts %d %s as a passing rate limit: %s', (status, reason, expected) => {
    expect(REFUSALS.isRateLimit(fault(status, reason))).toBe(expected);
  });

  it('has its own words for a token that is no longer good and for a condition that nobody set', () => {
    const rejected = fault(412, 'conditionNotMet');
    expect(staleSyncToken(fault(400, 'invalid')).code).toBe('SyncTokenExpired');
    expect(REFUSALS.final?.(rejected, { timeoutMs: 1, isConditional: true })).toBe(rejected);
    expect(REFUSALS.final?.(rejected, { timeoutMs: 1, isConditional: false })).toMatchObject({
      code: 'ProviderUnavailable',
      provider: { status: 412, retryable: true },
    });
  });
});

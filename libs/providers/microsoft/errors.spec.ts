import { GraphApiError, graphFailure, hasNoMailbox, isAccessDenied, readOnlyCalendar, REFUSALS } from './errors.js';

const READ = { kind: 'read', permission: 'see the events' } as const;
const fault = (status: number, code: string | null = null, detail = '', retryAfterMs: number | null = null) =>
  new GraphApiError(status, code, detail, retryAfterMs);
const CONDITIONAL = { timeoutMs: 1, isConditional: true };
const UNCONDITIONAL = { timeoutMs: 1, isConditional: false };

describe('graphFailure', () => {
  it.each([
    [400, 'ErrorInvalidRequest', 'ProviderRejected'],
    [400, 'ErrorPropertyValidationFailure', 'ProviderRejected'],
    [400, 'TimeZoneNotSupportedException', 'ProviderRejected'],
    [400, 'ErrorOccurrenceCrossingBoundary', 'ProviderRejected'],
    [400, 'ErrorInvalidIdMalformed', 'NotFound'],
    [400, 'ErrorFolderExists', 'Conflict'],
    [400, 'ErrorDeleteDistinguishedFolder', 'Forbidden'],
    [400, 'syncStateNotFound', 'SyncTokenExpired'],
    [422, null, 'ProviderRejected'],
    [401, 'InvalidAuthenticationToken', 'CredentialsRejected'],
    [401, null, 'CredentialsRejected'],
    [403, 'insufficient_claims', 'CredentialsRejected'],
    [403, 'ErrorAccessDenied', 'Forbidden'],
    [403, 'Authorization_RequestDenied', 'Forbidden'],
    [403, null, 'Forbidden'],
    [404, 'ErrorItemNotFound', 'NotFound'],
    [404, 'MailboxNotEnabledForRESTAPI', 'NotFound'],
    [409, 'ErrorFolderExists', 'Conflict'],
    [409, 'ErrorDuplicateTransactionId', 'Conflict'],
    [409, 'ErrorIrresolvableConflict', 'PreconditionFailed'],
    [409, null, 'Conflict'],
    [410, 'SyncStateNotFound', 'SyncTokenExpired'],
    [410, 'resyncRequired', 'SyncTokenExpired'],
    [410, null, 'NotFound'],
    [412, 'ErrorIrresolvableConflict', 'PreconditionFailed'],
    [412, null, 'PreconditionFailed'],
    [413, null, 'PayloadTooLarge'],
    [429, 'TooManyRequests', 'ProviderRateLimited'],
    [429, 'ApplicationThrottled', 'ProviderRateLimited'],
    [429, null, 'ProviderRateLimited'],
    [500, 'ErrorInternalServerTransientError', 'ProviderUnavailable'],
    [503, 'ErrorItemNotFound', 'ProviderUnavailable'],
    [507, 'ErrorQuotaExceeded', 'ProviderRejected'],
    [302, null, 'ProviderUnavailable'],
  ])('tells %d %s as %s', (status, code, expectedCode) => {
    const error = graphFailure(fault(status, code), READ);
    expect(error).toMatchObject({ code: expectedCode, provider: { status, code } });
    expect(error.cause).toBeUndefined();
  });

  it('names the permission that is denied', () => {
    expect(graphFailure(fault(403, 'ErrorAccessDenied'), READ).message).toContain('permission to see the events');
  });

  it('repeats the sentence of Graph about a request, and no other one', () => {
    expect(graphFailure(fault(400, 'ErrorInvalidRequest', 'The end is missing.'), READ).message).toBe(
      'Microsoft does not accept this: The end is missing.',
    );
    for (const status of [401, 403, 404, 409, 429, 500]) {
      expect(graphFailure(fault(status, null, 'canary'), READ).message).not.toContain('canary');
    }
  });

  it('says how long to wait', () => {
    expect(graphFailure(fault(429, null, '', 6_300), READ).retryAfterSeconds).toBe(7);
    expect(graphFailure(fault(429), READ).retryAfterSeconds).toBe(10);
    expect(graphFailure(fault(503, null, '', 500), READ).retryAfterSeconds).toBe(1);
    expect(graphFailure(fault(503), READ).retryAfterSeconds).toBeUndefined();
  });

  it('tells a write that was denied as a read-only calendar, where that is the reason', () => {
    expect(readOnlyCalendar(fault(403, 'ErrorAccessDenied')).code).toBe('ReadOnlyCalendar');
  });
});

describe('what Graph means', () => {
  it.each([
    [429, null, true],
    [400, 'activityLimitReached', true],
    [503, 'TooManyRequests', false],
    [403, 'ErrorAccessDenied', false],
  ])('by %d %s is a rate limit: %s', (status, code, isRateLimit) => {
    expect(REFUSALS.isRateLimit(fault(status, code))).toBe(isRateLimit);
  });

  it.each([
    [500, null, true],
    [504, null, true],
    [501, null, false],
    [507, null, false],
    [409, 'ErrorIrresolvableConflict', true],
    [409, 'ErrorFolderExists', false],
    [412, null, false],
  ])('by %d %s may pass: %s', (status, code, isTransient) => {
    expect(REFUSALS.isTransient(fault(status, code), UNCONDITIONAL)).toBe(isTransient);
  });

  it('by a conflict under a condition is that the condition failed', () => {
    expect(REFUSALS.isTransient(fault(412, 'ErrorIrresolvableConflict'), CONDITIONAL)).toBe(false);
  });

  it('tells rights, mailboxes and things that are gone apart', () => {
    expect([fault(403), fault(403, 'accessDenied'), fault(403, 'other'), fault(401)].map(isAccessDenied)).toEqual([
      true,
      true,
      false,
      false,
    ]);
    expect([fault(404, 'MailboxNotFound'), fault(404, 'ErrorItemNotFound')].map(hasNoMailbox)).toEqual([true, false]);
    expect(
      [fault(404), fault(410), fault(400, 'ErrorInvalidIdMalformed'), fault(400)].map(({ isGone }) => isGone),
    ).toEqual([true, true, true, false]);
  });
});

import type { DomainError } from '#domain/system';
import type { AdapterOperation } from '#providers/kit/adapter';
import {
  malformedResponseError,
  type ErrorMapping,
  ProviderResponseError,
  type ErrorRules,
  restErrorMappings,
  unreachable,
  parsedJson,
  providerErrorCode,
  providerErrorText,
  retryAfterMs,
} from '#providers/kit/calls';
import { listOf, recordOf } from '#providers/kit/events';

const MAPPINGS = restErrorMappings('Google', 'Google already has something with this id.');
/** The installation's Google Cloud project is at fault, not the account or the request. */
const MISCONFIGURED: ErrorMapping = [
  'ProviderUnavailable',
  "Google does not serve this installation: the operator has to look at its Google Cloud project's Calendar API and quota.",
];

export const NO_ADDRESS =
  'Google does not push to this installation: the operator has to give it a public PUBLIC_URL with https and a valid ' +
  'certificate, or let the application poll.';

/** https://developers.google.com/workspace/calendar/api/guides/push#create */
const NO_ADDRESS_REASONS: ReadonlySet<string | null> = new Set([
  'push.webhookUrlNotHttps',
  'push.webhookUrlUnauthorized',
]);

/** Google names no duration. The limit lasts for hours. */
const USAGE_LIMIT_SECONDS = 3_600;

/** Reasons take precedence over statuses: https://developers.google.com/workspace/calendar/api/guides/errors */
const REASONS: ReadonlyMap<string | null, ErrorMapping> = new Map<string, ErrorMapping>([
  ['rateLimitExceeded', MAPPINGS.rateLimited],
  ['userRateLimitExceeded', MAPPINGS.rateLimited],
  ['RATE_LIMIT_EXCEEDED', MAPPINGS.rateLimited],
  ['quotaExceeded', ['ProviderRateLimited', 'The account has reached a usage limit of Google Calendar.', true]],
  ['dailyLimitExceeded', MISCONFIGURED],
  ['accessNotConfigured', MISCONFIGURED],
  ['SERVICE_DISABLED', MISCONFIGURED],
  ['forbiddenForNonOrganizer', ['Forbidden', 'Only the organizer may change what all participants share.']],
  ['notACalendarUser', ['Forbidden', 'The Google account has no calendar.']],
  ['channelIdNotUnique', ['Conflict', 'Google had a channel with this id before; it needs another one.']],
  ['fullSyncRequired', MAPPINGS.staleToken],
  ['updatedMinTooLongAgo', MAPPINGS.staleToken],
]);

const MISSING_PERMISSION: ReadonlySet<string | null> = new Set([
  'insufficientPermissions',
  'ACCESS_TOKEN_SCOPE_INSUFFICIENT',
  'insufficientScopes',
]);

export function googleFailure(error: GoogleApiError, { kind, permission }: AdapterOperation): DomainError {
  const { status, code: reason } = error;
  if (status === 403 && MISSING_PERMISSION.has(reason)) {
    return domainErrorOf(['Forbidden', `The account has not granted the permission to ${permission}.`], error);
  }
  if (NO_ADDRESS_REASONS.has(reason)) return unreachable(NO_ADDRESS, error);
  if (reason === 'requiredAccessLevel' && kind === 'write') return readOnlyCalendar(error);
  return domainErrorOf(status < 500 ? REASONS.get(reason) : undefined, error);
}

export function readOnlyCalendar(error: GoogleApiError): DomainError {
  return domainErrorOf(MAPPINGS.readOnly, error);
}

/** Google answers 410 for an old sync token and 400 for an unknown one. */
export function staleSyncToken(error: GoogleApiError): DomainError {
  return domainErrorOf(MAPPINGS.staleToken, error);
}

function isRateLimit({ status, code: reason }: ProviderResponseError): boolean {
  const mapping = REASONS.get(reason) ?? (status === 429 ? MAPPINGS.rateLimited : undefined);
  return (status === 403 || status === 429) && mapping === MAPPINGS.rateLimited;
}

/** At times Google briefly fails a precondition that the request did not set, so a repeat may succeed. */
export const REFUSALS: ErrorRules = {
  provider: 'Google',
  isRateLimit,
  isTransient: ({ status }, { isConditional }) => status >= 500 || (status === 412 && !isConditional),
  final: (rejection, { isConditional }) =>
    rejection.status === 412 && !isConditional
      ? domainErrorOf(MAPPINGS.unavailable, new GoogleApiError(412, 'conditionNotMet', '', null))
      : rejection,
};

export function malformedResponse(): DomainError {
  return malformedResponseError('Google');
}

function domainErrorOf(mapping: ErrorMapping | undefined, error: GoogleApiError): DomainError {
  return MAPPINGS.toError(error, mapping, error.code === 'quotaExceeded' ? USAGE_LIMIT_SECONDS : undefined);
}

/** An error answer of Google; `code` is the `reason` of its body. */
export class GoogleApiError extends ProviderResponseError {
  override readonly name = 'GoogleApiError';

  constructor(status: number, reason: string | null, detail: string, retryAfterMs: number | null) {
    super('Google', status, reason, detail, retryAfterMs);
  }
}

/**
 * Reads an error of https://developers.google.com/workspace/calendar/api/guides/errors. Of any other answer, such as a
 * proxy's page, only the status counts.
 * @param secret is removed from the text
 */
export function readApiError(
  response: { status: number; headers: Record<string, string>; body: Buffer },
  { nowMs, secret }: { nowMs: number; secret: string },
): GoogleApiError {
  const error = recordOf(recordOf(parsedJson(response.body))['error']);
  const item = recordOf(listOf(error['errors'])[0]);
  const reason = [item, ...listOf(error['details']).map(recordOf)]
    .map((each) => providerErrorCode(each['reason']))
    .find((each) => each !== null);
  const detail = [error['message'], item['message']].find((each) => typeof each === 'string') ?? '';
  return new GoogleApiError(
    response.status,
    reason ?? null,
    providerErrorText(detail, secret),
    retryAfterMs(response.headers['retry-after'], nowMs),
  );
}

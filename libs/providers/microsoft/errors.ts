import type { DomainError } from '#domain/system';
import type { AdapterOperation } from '#providers/kit/adapter';
import {
  malformedResponseError,
  type ErrorMapping,
  ProviderResponseError,
  type ErrorRules,
  rejectedInput,
  restErrorMappings,
  mapToDomainError,
  unreachable,
  parsedJson,
  providerErrorCode,
  providerErrorText,
  retryAfterMs,
} from '#providers/kit/calls';
import { recordOf } from '#providers/kit/events';

const MAPPINGS = restErrorMappings('Microsoft', 'Microsoft already has something like this.');
const { rateLimited, notFound, staleToken, unavailable, rejectedToken, changed } = MAPPINGS;
const NO_MAILBOX: ErrorMapping = ['NotFound', 'The Microsoft account has no mailbox with calendars.'];
const FULL_MAILBOX: ErrorMapping = ['ProviderRejected', 'The mailbox of the account is full.'];

export const UNREACHED =
  'Microsoft cannot reach this installation: the operator has to give it a PUBLIC_URL that answers the internet by https, ' +
  'or let the application poll.';

/** Two concurrent writes; Graph answers 409 or 412. */
const WRITE_CONFLICT = 'ErrorIrresolvableConflict';
/** Missing scopes, or missing rights in another mailbox. Graph does not differentiate. */
const ACCESS_DENIED: ReadonlySet<string> = new Set([
  'erroraccessdenied',
  'accessdenied',
  'authorization_requestdenied',
]);
/** The access token predates a change in the directory; a new one may work. */
const INSUFFICIENT_CLAIMS = 'insufficient_claims';

/** Codes, before statuses: https://learn.microsoft.com/graph/errors, https://learn.microsoft.com/graph/throttling */
const MAPPINGS_BY_CODE: readonly (readonly [code: string, mapping: ErrorMapping])[] = [
  [INSUFFICIENT_CLAIMS, rejectedToken],
  ['InvalidAuthenticationToken', rejectedToken],
  ['unauthenticated', rejectedToken],
  ['ErrorInvalidIdMalformed', notFound],
  ['ErrorItemNotFound', notFound],
  ['ErrorFolderNotFound', notFound],
  ['ResourceNotFound', notFound],
  ['itemNotFound', notFound],
  ['MailboxNotEnabledForRESTAPI', NO_MAILBOX],
  ['MailboxNotFound', NO_MAILBOX],
  ['ErrorInvalidUser', NO_MAILBOX],
  ['ErrorFolderExists', ['Conflict', 'The account already has a calendar with this name.']],
  ['ErrorDuplicateTransactionId', ['Conflict', 'This has been created before.']],
  ['ErrorDeleteDistinguishedFolder', ['Forbidden', 'The default calendar of a Microsoft account cannot be deleted.']],
  [WRITE_CONFLICT, changed],
  ['resourceModified', changed],
  ['syncStateNotFound', staleToken],
  ['syncStateInvalid', staleToken],
  ['resyncRequired', staleToken],
  ['TooManyRequests', rateLimited],
  ['ApplicationThrottled', rateLimited],
  ['activityLimitReached', rateLimited],
  ['ErrorQuotaExceeded', FULL_MAILBOX],
];

/** In lower case, because Graph and its documentation differ in capitals. */
const CODES: ReadonlyMap<string, ErrorMapping> = new Map(
  MAPPINGS_BY_CODE.map(([code, mapping]) => [code.toLowerCase(), mapping]),
);

export function graphFailure(error: GraphApiError, { permission }: AdapterOperation): DomainError {
  const { status, code } = error;
  if (status === 403 && isDenial(code)) {
    const denied = `Microsoft denies the permission to ${permission}: the account has not granted it, or may not have it here.`;
    return mapToDomainError(['Forbidden', denied], error);
  }
  if (status === 507) return mapToDomainError(FULL_MAILBOX, error);
  return MAPPINGS.toError(error, status < 500 ? mappingOf(code) : undefined);
}

export function readOnlyCalendar(error: GraphApiError): DomainError {
  return mapToDomainError(MAPPINGS.readOnly, error);
}

export function channelOpenError(error: GraphApiError): Error {
  if (isUnreached(error)) return unreachable(UNREACHED, error);
  // A mailbox has at most 1,000 subscriptions of all programs. Graph reports this only in text.
  const isExplained = error.status === 403 && !isAccessDenied(error) && mappingOf(error.code) === undefined;
  return isExplained ? rejectedInput('Microsoft', error) : error;
}

/** https://learn.microsoft.com/graph/change-notifications-delivery-webhooks#notificationurl-validation */
export function isUnreached({ status, code }: GraphApiError): boolean {
  return status === 400 && code?.toLowerCase() === 'validationerror';
}

export function isAccessDenied({ status, code }: GraphApiError): boolean {
  return status === 403 && (code === null || isDenial(code));
}

/** Guests and unlicensed users have no mailbox, so the error does not concern a calendar. */
export function hasNoMailbox({ code }: GraphApiError): boolean {
  return mappingOf(code) === NO_MAILBOX;
}

function mappingOf(code: string | null): ErrorMapping | undefined {
  return code === null ? undefined : CODES.get(code.toLowerCase());
}

function isDenial(code: string | null): boolean {
  return code !== null && ACCESS_DENIED.has(code.toLowerCase());
}

function isRateLimit({ status, code }: ProviderResponseError): boolean {
  return status === 429 || (status < 500 && mappingOf(code) === rateLimited);
}

/** A conflict of two unconditional writes, of which the rejected one may be repeated. */
function isCollision({ status, code }: ProviderResponseError, isConditional: boolean): boolean {
  return (status === 409 || status === 412) && code === WRITE_CONFLICT && !isConditional;
}

/** A full mailbox (507) and unsupported requests (501) are not repeated. */
export const REFUSALS: ErrorRules = {
  provider: 'Microsoft',
  isRateLimit,
  isTransient: (rejection, { isConditional }) =>
    (rejection.status >= 500 && rejection.status !== 501 && rejection.status !== 507) ||
    isCollision(rejection, isConditional),
  final: (rejection, { isConditional }) =>
    isCollision(rejection, isConditional) ? mapToDomainError(unavailable, rejection) : rejection,
};

export function malformedResponse(): DomainError {
  return malformedResponseError('Microsoft');
}

/** An error answer of Graph; `code` is the most specific code of its body. */
export class GraphApiError extends ProviderResponseError {
  override readonly name = 'GraphApiError';

  constructor(status: number, code: string | null, detail: string, retryAfterMs: number | null) {
    super('Graph', status, code, detail, retryAfterMs);
  }

  override get isGone(): boolean {
    return super.isGone || (this.status === 400 && this.code === 'ErrorInvalidIdMalformed');
  }
}

const MAX_DEPTH = 8;
/** Continuous access evaluation: https://learn.microsoft.com/entra/identity-platform/claims-challenge */
const CLAIMS_CHALLENGE = /(?:^|[\s,])error="?insufficient_claims"?/i;

/**
 * Reads an error of https://learn.microsoft.com/graph/errors. Of any other answer, such as a proxy's page, only the
 * status counts.
 * @param secret is removed from the text
 */
export function readApiError(
  { status, headers, body }: { status: number; headers: Record<string, string>; body: Buffer },
  context: { nowMs: number; secret: string },
): GraphApiError {
  return apiErrorOf({ status, headers, body: parsedJson(body) }, context);
}

/** {@link faultOf} for a parsed body. @param headers names in lower case */
export function apiErrorOf(
  { status, headers, body }: { status: number; headers: Record<string, string>; body: unknown },
  { nowMs, secret }: { nowMs: number; secret: string },
): GraphApiError {
  const error = recordOf(recordOf(body)['error']);
  const isChallenge = CLAIMS_CHALLENGE.test(headers['www-authenticate'] ?? '');
  const detail = typeof error['message'] === 'string' ? error['message'] : '';
  return new GraphApiError(
    status,
    isChallenge ? INSUFFICIENT_CLAIMS : codeOf(error),
    providerErrorText(detail, secret),
    retryAfterMs(headers['retry-after'], nowMs),
  );
}

function codeOf(error: Record<string, unknown>): string | null {
  const codes: string[] = [];
  let inner = error;
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
    const code = providerErrorCode(inner['code']);
    if (code !== null) codes.unshift(code);
    inner = recordOf(inner['innerError'] ?? inner['innererror']);
  }
  const isKnown = (code: string) => mappingOf(code) !== undefined || isDenial(code);
  return codes.find(isKnown) ?? codes.at(-1) ?? null;
}

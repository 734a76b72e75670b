import type { DomainError } from '#domain';
import type { Operation } from '#providers/kit/adapter';
import {
  badAnswer,
  type Meaning,
  ProviderRefusal,
  type RefusalRules,
  rejectedInput,
  toldRefusal,
  unreachable,
  parsedJson,
  refusalCode,
  refusalSentence,
  retryAfterMs,
} from '#providers/kit/calls';
import { listOf, recordOf } from '#providers/kit/events';

const RATE_LIMITED: Meaning = ['ProviderRateLimited', 'Google asks to slow down.', true];
const NOT_FOUND: Meaning = ['NotFound', 'Google does not have this (any more).'];
const STALE_TOKEN: Meaning = [
  'SyncTokenExpired',
  'The sync token is no longer valid; read the calendar in full again.',
];
const UNAVAILABLE: Meaning = ['ProviderUnavailable', 'Google could not answer.', true];
const READ_ONLY: Meaning = ['ReadOnlyCalendar', 'The account may not write to this calendar.'];
/** The installation's Google Cloud project, not the account or the request. */
const MISCONFIGURED: Meaning = [
  'ProviderUnavailable',
  "Google does not serve this installation: the operator has to look at its Google Cloud project's Calendar API and quota.",
];

/** Where we are to be told of changes is not where Google may go. */
export const NO_ADDRESS =
  'Google does not push to this installation: the operator has to give it a public PUBLIC_URL with https and a valid ' +
  'certificate, or let the application poll.';

/** https://developers.google.com/workspace/calendar/api/guides/push#create */
const NO_ADDRESS_REASONS: ReadonlySet<string | null> = new Set([
  'push.webhookUrlNotHttps',
  'push.webhookUrlUnauthorized',
]);

/** Wait after a usage limit, which lasts for hours and does not say so, seconds. */
const USAGE_LIMIT_SECONDS = 3_600;

/** Reasons, before statuses: https://developers.google.com/workspace/calendar/api/guides/errors */
const REASONS: ReadonlyMap<string, Meaning> = new Map<string, Meaning>([
  ['rateLimitExceeded', RATE_LIMITED],
  ['userRateLimitExceeded', RATE_LIMITED],
  ['RATE_LIMIT_EXCEEDED', RATE_LIMITED],
  ['quotaExceeded', ['ProviderRateLimited', 'The account has reached a usage limit of Google Calendar.', true]],
  ['dailyLimitExceeded', MISCONFIGURED],
  ['accessNotConfigured', MISCONFIGURED],
  ['SERVICE_DISABLED', MISCONFIGURED],
  ['forbiddenForNonOrganizer', ['Forbidden', 'Only the organizer may change what all participants share.']],
  ['notACalendarUser', ['Forbidden', 'The Google account has no calendar.']],
  ['channelIdNotUnique', ['Conflict', 'Google had a channel with this id before; it needs another one.']],
  ['fullSyncRequired', STALE_TOKEN],
  ['updatedMinTooLongAgo', STALE_TOKEN],
]);

const MISSING_PERMISSION: ReadonlySet<string> = new Set([
  'insufficientPermissions',
  'ACCESS_TOKEN_SCOPE_INSUFFICIENT',
  'insufficientScopes',
]);

const STATUSES: ReadonlyMap<number, Meaning> = new Map<number, Meaning>([
  [401, ['CredentialsRejected', 'Google does not accept the access of the account (any more).']],
  [403, ['Forbidden', 'Google forbids this.']],
  [404, NOT_FOUND],
  [409, ['Conflict', 'Google already has something with this id.']],
  [410, NOT_FOUND],
  [412, ['PreconditionFailed', 'This has been changed in the meantime.']],
  [413, ['PayloadTooLarge', 'This is larger than Google accepts.']],
  [429, RATE_LIMITED],
]);

/** The one table from what Google answered to what a caller is told. */
export function googleFailure(fault: GoogleFault, { kind, permission }: Operation): DomainError {
  const { status, code: reason } = fault;
  if (status === 403 && reason !== null && MISSING_PERMISSION.has(reason)) {
    return answered(['Forbidden', `The account has not granted the permission to ${permission}.`], fault);
  }
  if (NO_ADDRESS_REASONS.has(reason)) return unreachable(NO_ADDRESS, fault);
  if (reason === 'requiredAccessLevel' && kind === 'write') return answered(READ_ONLY, fault);
  const meaning = (reason !== null && status < 500 ? REASONS.get(reason) : undefined) ?? STATUSES.get(status);
  if (meaning !== undefined) return answered(meaning, fault);
  // What is left of the 4xx is about the request, in Google's own words. Redirects are nonsense here.
  return status >= 400 && status < 500 ? rejectedInput('Google', fault) : answered(UNAVAILABLE, fault);
}

/** A write that Google refuses because of the role of the account in that calendar. */
export function readOnlyCalendar(fault: GoogleFault): DomainError {
  return answered(READ_ONLY, fault);
}

/** A sync token that Google cannot read (any more). It says 410, or 400 for one that it does not recognise. */
export function staleSyncToken(fault: GoogleFault): DomainError {
  return answered(STALE_TOKEN, fault);
}

function isRateLimit({ status, code: reason }: ProviderRefusal): boolean {
  const meaning = reason === null ? undefined : REASONS.get(reason);
  return (status === 429 && meaning === undefined) || ((status === 403 || status === 429) && meaning === RATE_LIMITED);
}

/** When a call is repeated. A precondition that nobody had set is refused now and then, and gone soon. */
export const REFUSALS: RefusalRules = {
  provider: 'Google',
  isRateLimit,
  isTransient: ({ status }, { isConditional }) => status >= 500 || (status === 412 && !isConditional),
  final: (refusal, { isConditional }) =>
    refusal.status === 412 && !isConditional
      ? answered(UNAVAILABLE, new GoogleFault(412, 'conditionNotMet', '', null))
      : refusal,
};

/** An answer that is JSON and yet makes no sense. */
export function nonsense(): DomainError {
  return badAnswer('Google');
}

function answered(meaning: Meaning, fault: GoogleFault): DomainError {
  return toldRefusal(meaning, fault, fault.code === 'quotaExceeded' ? USAGE_LIMIT_SECONDS : undefined);
}

/** What Google answered instead of a result; `code` is the `reason` of its error body. */
export class GoogleFault extends ProviderRefusal {
  override readonly name = 'GoogleFault';

  constructor(status: number, reason: string | null, detail: string, retryAfterMs: number | null) {
    super('Google', status, reason, detail, retryAfterMs);
  }
}

/**
 * What a refusal says, in the form of https://developers.google.com/workspace/calendar/api/guides/errors; of anything
 * else (a proxy's page, half of a body) the status is all there is.
 * @param secret never repeated, should the answer hold it
 */
export function faultOf(
  answer: { status: number; headers: Record<string, string>; body: Buffer },
  { nowMs, secret }: { nowMs: number; secret: string },
): GoogleFault {
  const error = recordOf(recordOf(parsedJson(answer.body))['error']);
  const item = recordOf(listOf(error['errors'])[0]);
  const reason = [item, ...listOf(error['details']).map(recordOf)]
    .map((each) => refusalCode(each['reason']))
    .find((each) => each !== null);
  const detail = [error['message'], item['message']].find((each) => typeof each === 'string') ?? '';
  return new GoogleFault(
    answer.status,
    reason ?? null,
    refusalSentence(detail, secret),
    retryAfterMs(answer.headers['retry-after'], nowMs),
  );
}

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
import { recordOf } from '#providers/kit/events';

const RATE_LIMITED: Meaning = ['ProviderRateLimited', 'Microsoft asks to slow down.', true];
const NOT_FOUND: Meaning = ['NotFound', 'Microsoft does not have this (any more).'];
const STALE_TOKEN: Meaning = [
  'SyncTokenExpired',
  'The sync token is no longer valid; read the calendar in full again.',
];
const UNAVAILABLE: Meaning = ['ProviderUnavailable', 'Microsoft could not answer.', true];
const READ_ONLY: Meaning = ['ReadOnlyCalendar', 'The account may not write to this calendar.'];
const REJECTED_TOKEN: Meaning = [
  'CredentialsRejected',
  'Microsoft does not accept the access of the account (any more).',
];
const NO_MAILBOX: Meaning = ['NotFound', 'The Microsoft account has no mailbox with calendars.'];
const CHANGED: Meaning = ['PreconditionFailed', 'This has been changed in the meantime.'];

/** The addresses for pushes did not answer as they have to, within ten seconds. */
export const UNREACHED =
  'Microsoft cannot reach this installation: the operator has to give it a PUBLIC_URL that answers the internet by https, ' +
  'or let the application poll.';

/** Conflicting writes, with a condition or without one; answered with 409 or 412. */
const WRITE_CONFLICT = 'ErrorIrresolvableConflict';
/** Scopes that are missing, or rights in somebody else's mailbox: Graph does not tell which. */
const ACCESS_DENIED: ReadonlySet<string> = new Set([
  'erroraccessdenied',
  'accessdenied',
  'authorization_requestdenied',
]);
/** The access token is too old for what has changed at the directory; a new one may do. */
export const INSUFFICIENT_CLAIMS = 'insufficient_claims';

/** Codes, before statuses: https://learn.microsoft.com/graph/errors, https://learn.microsoft.com/graph/throttling */
const MEANINGS: readonly (readonly [code: string, meaning: Meaning])[] = [
  [INSUFFICIENT_CLAIMS, REJECTED_TOKEN],
  ['InvalidAuthenticationToken', REJECTED_TOKEN],
  ['unauthenticated', REJECTED_TOKEN],
  ['ErrorInvalidIdMalformed', NOT_FOUND],
  ['ErrorItemNotFound', NOT_FOUND],
  ['ErrorFolderNotFound', NOT_FOUND],
  ['ResourceNotFound', NOT_FOUND],
  ['itemNotFound', NOT_FOUND],
  ['MailboxNotEnabledForRESTAPI', NO_MAILBOX],
  ['MailboxNotFound', NO_MAILBOX],
  ['ErrorInvalidUser', NO_MAILBOX],
  ['ErrorFolderExists', ['Conflict', 'The account already has a calendar with this name.']],
  ['ErrorDuplicateTransactionId', ['Conflict', 'This has been created before.']],
  ['ErrorDeleteDistinguishedFolder', ['Forbidden', 'The default calendar of a Microsoft account cannot be deleted.']],
  [WRITE_CONFLICT, CHANGED],
  ['resourceModified', CHANGED],
  ['syncStateNotFound', STALE_TOKEN],
  ['syncStateInvalid', STALE_TOKEN],
  ['resyncRequired', STALE_TOKEN],
  ['TooManyRequests', RATE_LIMITED],
  ['ApplicationThrottled', RATE_LIMITED],
  ['activityLimitReached', RATE_LIMITED],
  ['ErrorQuotaExceeded', ['ProviderRejected', 'The mailbox of the account is full.']],
];

/** By code in lower case: Graph and its documentation do not agree on capitals. */
const CODES: ReadonlyMap<string, Meaning> = new Map(MEANINGS.map(([code, meaning]) => [code.toLowerCase(), meaning]));

const STATUSES: ReadonlyMap<number, Meaning> = new Map<number, Meaning>([
  [401, REJECTED_TOKEN],
  [403, ['Forbidden', 'Microsoft forbids this.']],
  [404, NOT_FOUND],
  [409, ['Conflict', 'Microsoft already has something like this.']],
  [410, NOT_FOUND],
  [412, CHANGED],
  [413, ['PayloadTooLarge', 'This is larger than Microsoft accepts.']],
  [429, RATE_LIMITED],
  [507, ['ProviderRejected', 'The mailbox of the account is full.']],
]);

/** Whether a code of an error body tells more than the status it came with. */
export function isKnownCode(code: string): boolean {
  return meaningOf(code) !== undefined || isDenial(code);
}

/** The one table from what Graph answered to what a caller is told. */
export function graphFailure(fault: GraphFault, { permission }: Operation): DomainError {
  const { status, code } = fault;
  if (status === 403 && isDenial(code)) {
    const denied = `Microsoft denies the permission to ${permission}: the account has not granted it, or may not have it here.`;
    return toldRefusal(['Forbidden', denied], fault);
  }
  const meaning = (status < 500 ? meaningOf(code) : undefined) ?? STATUSES.get(status);
  if (meaning !== undefined) return toldRefusal(meaning, fault);
  // What is left of the 4xx is about the request, in Graph's own words. Redirects are nonsense here.
  return status >= 400 && status < 500 ? rejectedInput('Microsoft', fault) : toldRefusal(UNAVAILABLE, fault);
}

/** A write that Graph refuses because the calendar is not the account's to change. */
export function readOnlyCalendar(fault: GraphFault): DomainError {
  return toldRefusal(READ_ONLY, fault);
}

/** A refusal to push: in better words than those of the one table where there are any, else itself. */
export function pushRefusal(fault: GraphFault): Error {
  if (isUnreached(fault)) return unreachable(UNREACHED, fault);
  // A mailbox has at most 1,000 subscriptions, of all programs together: Graph says so in words.
  const isExplained = fault.status === 403 && !isAccessDenied(fault) && meaningOf(fault.code) === undefined;
  return isExplained ? rejectedInput('Microsoft', fault) : fault;
}

/** https://learn.microsoft.com/graph/change-notifications-delivery-webhooks#notificationurl-validation */
export function isUnreached({ status, code }: GraphFault): boolean {
  return status === 400 && code?.toLowerCase() === 'validationerror';
}

/** Whether a refusal is about rights, and not about the request. */
export function isAccessDenied({ status, code }: GraphFault): boolean {
  return status === 403 && (code === null || isDenial(code));
}

/** Guests and users without a licence have no mailbox; theirs is no answer about any calendar. */
export function hasNoMailbox({ code }: GraphFault): boolean {
  return meaningOf(code) === NO_MAILBOX;
}

function meaningOf(code: string | null): Meaning | undefined {
  return code === null ? undefined : CODES.get(code.toLowerCase());
}

function isDenial(code: string | null): boolean {
  return code !== null && ACCESS_DENIED.has(code.toLowerCase());
}

function isRateLimit({ status, code }: ProviderRefusal): boolean {
  return status === 429 || (status < 500 && meaningOf(code) === RATE_LIMITED);
}

/** A conflict that no condition had asked for: two writes met, and the one that was refused may go next. */
function isCollision({ status, code }: ProviderRefusal, isConditional: boolean): boolean {
  return (status === 409 || status === 412) && code === WRITE_CONFLICT && !isConditional;
}

/** When a call is repeated. A full mailbox and what Graph does not offer stay what they are. */
export const REFUSALS: RefusalRules = {
  provider: 'Microsoft',
  isRateLimit,
  isTransient: (refusal, { isConditional }) =>
    (refusal.status >= 500 && refusal.status !== 501 && refusal.status !== 507) || isCollision(refusal, isConditional),
  final: (refusal, { isConditional }) =>
    isCollision(refusal, isConditional) ? toldRefusal(UNAVAILABLE, refusal) : refusal,
};

/** An answer that is JSON and yet makes no sense. */
export function nonsense(): DomainError {
  return badAnswer('Microsoft');
}

/** What Graph answered instead of a result; `code` is the most specific one of its error body. */
export class GraphFault extends ProviderRefusal {
  override readonly name = 'GraphFault';

  constructor(status: number, code: string | null, detail: string, retryAfterMs: number | null) {
    super('Graph', status, code, detail, retryAfterMs);
  }

  override get isGone(): boolean {
    return super.isGone || (this.status === 400 && this.code === 'ErrorInvalidIdMalformed');
  }
}

/** Inner errors may be nested; what lies deeper than this tells nothing any more. */
const MAX_DEPTH = 8;
/** Continuous access evaluation: https://learn.microsoft.com/entra/identity-platform/claims-challenge */
const CLAIMS_CHALLENGE = /(?:^|[\s,])error="?insufficient_claims"?/i;

/**
 * What a refusal says, in the form of https://learn.microsoft.com/graph/errors; of anything else (a proxy's page, half of
 * a body) the status is all there is.
 * @param secret never repeated, should the answer hold it
 */
export function faultOf(
  { status, headers, body }: { status: number; headers: Record<string, string>; body: Buffer },
  context: { nowMs: number; secret: string },
): GraphFault {
  return refusalOf({ status, headers, body: parsedJson(body) }, context);
}

/** The same of a body that is parsed already. @param headers names in lower case */
export function refusalOf(
  { status, headers, body }: { status: number; headers: Record<string, string>; body: unknown },
  { nowMs, secret }: { nowMs: number; secret: string },
): GraphFault {
  const error = recordOf(recordOf(body)['error']);
  const isChallenge = CLAIMS_CHALLENGE.test(headers['www-authenticate'] ?? '');
  const detail = typeof error['message'] === 'string' ? error['message'] : '';
  return new GraphFault(
    status,
    isChallenge ? INSUFFICIENT_CLAIMS : codeOf(error),
    refusalSentence(detail, secret),
    retryAfterMs(headers['retry-after'], nowMs),
  );
}

/** The deepest code that means something to us, else the outermost one. */
function codeOf(error: Record<string, unknown>): string | null {
  const codes: string[] = [];
  let inner = error;
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
    const code = refusalCode(inner['code']);
    if (code !== null) codes.unshift(code);
    inner = recordOf(inner['innerError'] ?? inner['innererror']);
  }
  return codes.find(isKnownCode) ?? codes.at(-1) ?? null;
}

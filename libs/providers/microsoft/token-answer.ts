import type { ExpiryReason } from '#domain';
import { refusalCode } from '#providers/kit/calls';
import { grantedTokens, type JsonAnswer, refusal, type TokenAnswer, type TokenExchange } from '#providers/kit/oauth';

/** Access tokens of directories with many groups have some thousand characters; nobody says how many at most. */
const MAX_TOKEN_LENGTH = 16_384;
const MAX_NUMBERS = 20;

/** "A request loop was detected": the very same request comes too often. Being left alone for minutes is what helps. */
const LOOP = 50_196;
const LOOP_PAUSE_MS = 5 * 60_000;

/** Passing trouble of the platform, under whatever `error` it comes. */
const NOT_NOW: ReadonlySet<number> = new Set([
  50_033, 50_087, 70_012, 90_006, 90_012, 90_024, 90_033, 90_055, 90_090, 90_091,
]);
const NOT_NOW_ERRORS: ReadonlySet<string> = new Set(['temporarily_unavailable', 'server_error']);

/** Errors that refuse this one grant: it is over, or its user has to come by (MFA, Conditional Access, consent). */
const GRANT_REFUSALS: ReadonlyMap<string, ExpiryReason> = new Map<string, ExpiryReason>([
  ['invalid_grant', 'invalid_grant'],
  ['interaction_required', 'invalid_grant'],
  ['login_required', 'invalid_grant'],
  ['consent_required', 'consent_revoked'],
  ['access_denied', 'consent_revoked'],
]);

/** The user is not assigned to the application (any more). */
const NOT_ASSIGNED = 50_105;

/** Numbers that say more about a refused grant. */
const REASONS: ReadonlyMap<number, ExpiryReason> = new Map<number, ExpiryReason>([
  [50_034, 'user_deleted'],
  [51_004, 'user_deleted'],
  [NOT_ASSIGNED, 'consent_revoked'],
  [65_001, 'consent_revoked'],
  [65_004, 'consent_revoked'],
  [90_094, 'consent_revoked'],
  [90_095, 'consent_revoked'],
]);

/** A directory does not have the application, or its administrator has disabled it there. */
const UNKNOWN_IN_DIRECTORY: ReadonlySet<number> = new Set([70_001, 700_016, 7_000_112]);
/** Clients of many directories. The only directory of any other client fails for all of its users. */
const OF_MANY_DIRECTORIES: ReadonlySet<string> = new Set(['common', 'organizations']);

export interface TokenAnswerContext {
  exchange: TokenExchange;
  nowMs: number;
  /** Of the client, as in addresses. */
  tenant: string;
}

/**
 * RFC 6749 §5.1 and §5.2 with the numbers of
 * https://learn.microsoft.com/entra/identity-platform/reference-error-codes. `error` decides, as Microsoft asks for;
 * numbers only narrow it. Of a client for many directories, what fails in one directory refuses that grant; when the
 * client itself is gone, that is seen by the many that are refused at once. An error that nobody knows says that our
 * request was wrong, and so is the operator's.
 * @throws DomainError ProviderUnavailable, ProviderRateLimited, for what is not a decision
 */
export function readTokenAnswer(
  { status, body }: JsonAnswer,
  { exchange, nowMs, tenant }: TokenAnswerContext,
): TokenAnswer {
  if (status === 200) return grantedTokens(body, { exchange, nowMs, maxTokenLength: MAX_TOKEN_LENGTH });
  const error = refusalCode(body?.['error']);
  if (body === null || error === null || ![400, 401, 403].includes(status)) throw exchange.undecided(status, error);
  const numbers = numbersOf(body);
  if (numbers.includes(LOOP)) throw exchange.rateLimited(LOOP_PAUSE_MS);
  if (NOT_NOW_ERRORS.has(error) || numbers.some((number) => NOT_NOW.has(number))) {
    throw exchange.undecided(status, error);
  }
  const told = numbers.map((number) => ` AADSTS${number}`).join('');
  const reason = refusalReason(error, numbers, body['suberror'], tenant);
  return reason === null
    ? {
        state: 'client-refused',
        fault: refusal(status, error, `Microsoft does not accept the OAuth client or its request.${told}`),
      }
    : {
        state: 'grant-refused',
        reason,
        fault: refusal(status, error, `Microsoft does not accept the grant (any more).${told}`),
      };
}

/** Why the grant is refused; null: the client is. */
function refusalReason(
  error: string,
  numbers: readonly number[],
  suberror: unknown,
  tenant: string,
): ExpiryReason | null {
  const told = numbers.map((number) => REASONS.get(number)).find((reason) => reason !== undefined);
  const reason = GRANT_REFUSALS.get(error);
  if (reason !== undefined) return told ?? (suberror === 'consent_required' ? 'consent_revoked' : reason);
  if (error !== 'unauthorized_client') return null;
  if (numbers.includes(NOT_ASSIGNED)) return 'consent_revoked';
  const isOfThisDirectory = numbers.some((number) => UNKNOWN_IN_DIRECTORY.has(number));
  return isOfThisDirectory && OF_MANY_DIRECTORIES.has(tenant) ? 'consent_revoked' : null;
}

/** The numbers behind `AADSTS`; where there is no list of them, the one that the description begins with. */
function numbersOf({ error_codes: codes, error_description: description }: Record<string, unknown>): number[] {
  if (Array.isArray(codes)) {
    return codes.slice(0, MAX_NUMBERS).filter((code): code is number => Number.isSafeInteger(code) && code > 0);
  }
  const number = numberOf(description);
  return number === null ? [] : [number];
}

/** The number that a description begins with, `AADSTS65001: …`. */
export function numberOf(description: unknown): number | null {
  const digits = typeof description === 'string' ? /^AADSTS(\d{4,9})\b/.exec(description)?.[1] : undefined;
  return digits === undefined ? null : Number(digits);
}

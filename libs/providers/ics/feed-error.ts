import { DomainError, invalid, type ErrorCode } from '#domain/system';
import { EgressError } from '#egress';
import { transportFailure } from '#providers/kit/calls';

/** Name in messages. */
export const FEED_SERVER = 'The server of the calendar feed';

export type FeedFailure =
  | 'empty'
  | 'web-page'
  | 'not-a-calendar'
  | 'truncated'
  | 'too-many-events'
  | 'redirects'
  | 'rejected'
  | 'throttled'
  | 'failed';

/** An unusable feed. Holds nothing of its address or content. */
export class FeedError extends Error {
  override readonly name = 'FeedError';

  constructor(
    readonly failure: FeedFailure,
    /** HTTP status; null when it does not matter. */
    readonly status: number | null = null,
    readonly retryAfterMs: number | null = null,
  ) {
    super(`The feed cannot be used: ${failure}${status === null ? '' : ` (${status})`}`);
  }
}

const MAPPINGS: Record<FeedFailure, readonly [ErrorCode, string, isRetryable: boolean]> = {
  empty: ['ValidationFailed', 'leads to an empty answer, not to a calendar', true],
  'web-page': [
    'ValidationFailed',
    'leads to a web page, not to a calendar. Use the address that the calendar is published under in iCal format; one that asks for a login cannot be subscribed to',
    true,
  ],
  'not-a-calendar': ['ValidationFailed', 'leads to something that is not a calendar in iCal format', true],
  truncated: ['ProviderUnavailable', 'The calendar feed ends half-way.', true],
  'too-many-events': ['ValidationFailed', 'leads to a calendar of more than 50,000 events', false],
  redirects: ['ProviderUnavailable', 'The server of the calendar feed redirects without end.', false],
  rejected: [
    'CredentialsRejected',
    'The server does not give out a calendar under this address. It may be mistyped, withdrawn, or replaced by another one.',
    false,
  ],
  throttled: ['ProviderRateLimited', 'The server of the calendar feed asks for fewer requests.', true],
  failed: ['ProviderUnavailable', 'The server of the calendar feed failed.', true],
};

/** How long the server must reject a working feed before the account counts as rejected. */
const REJECTED_MS = 3_600_000;
/** Wait after a rate limit that names no duration. */
const RATE_LIMIT_SECONDS = 60;

export function toConnectError(error: unknown): unknown {
  if (error instanceof EgressError) {
    if (error.failure === 'address-blocked' || error.failure === 'bad-url') {
      return new DomainError('ServerNotAllowed', 'url must be an https address that is public.', { cause: error });
    }
    return error.failure === 'too-large'
      ? invalid('url', 'leads to more than 20 MB')
      : transportFailure(FEED_SERVER, error);
  }
  if (!(error instanceof FeedError)) return error;
  const [code, message] = MAPPINGS[error.failure];
  return code === 'ValidationFailed' ? invalid('url', message) : feedDomainError(error, code, message);
}

/**
 * Translates an error of a connected feed. Its address worked before, so the server is to blame until it has rejected
 * the address for an hour.
 * @param sinceMs when the feed first failed
 */
export function toReadError(error: unknown, sinceMs: number, nowMs: number): unknown {
  if (error instanceof EgressError) return transportFailure(FEED_SERVER, error);
  if (!(error instanceof FeedError)) return error;
  const [code, message] = MAPPINGS[error.failure];
  if (code === 'ValidationFailed') {
    return feedDomainError(error, 'ProviderUnavailable', `The address of the calendar feed ${message}.`);
  }
  if (code === 'CredentialsRejected' && nowMs - sinceMs < REJECTED_MS) {
    return feedDomainError(error, 'ProviderUnavailable', 'The server of the calendar feed refuses to give it out.');
  }
  return feedDomainError(error, code, message);
}

function feedDomainError({ failure, status, retryAfterMs }: FeedError, code: ErrorCode, message: string): DomainError {
  const isWait = failure === 'throttled' || retryAfterMs !== null;
  return new DomainError(code, message, {
    provider: { status, code: `feed-${failure}`, message, retryable: MAPPINGS[failure][2] },
    ...(isWait && { retryAfterSeconds: Math.ceil((retryAfterMs ?? RATE_LIMIT_SECONDS * 1_000) / 1_000) }),
  });
}

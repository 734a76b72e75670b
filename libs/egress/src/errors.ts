import { Deadline } from '#platform/deadline';
import type { EgressFailure } from './contract.js';

/** Without host, address, port or path: messages may be shown and must not describe our network. */
const MESSAGES: Record<EgressFailure, string> = {
  'address-blocked': 'The address is not allowed',
  dns: 'The host name could not be resolved',
  connect: 'The connection could not be opened',
  tls: 'The secure connection could not be established',
  timeout: 'The time limit of the request has passed',
  'too-large': 'The answer is larger than allowed',
  reset: 'The connection was lost before the answer was complete',
  aborted: 'The request was cancelled',
  'bad-url': 'The URL is not allowed',
  'invalid-response': 'The answer is not valid HTTP',
};

export interface EgressErrorOptions {
  /** The violated rule (`port`, `userinfo`, …), for logs. Constant text, never a part of the URL. */
  rule?: string;
  /** Reduced to name, message and code (see `reduced`). */
  cause?: unknown;
}

/** The only error of this lib. Holds no header, URL or body; `cause` may name the host and belongs in logs only. */
export class EgressError extends Error {
  override readonly name = 'EgressError';
  readonly rule: string | undefined;

  constructor(
    readonly failure: EgressFailure,
    options: EgressErrorOptions = {},
  ) {
    super(MESSAGES[failure], options.cause === undefined ? undefined : { cause: reduced(options.cause) });
    this.rule = options.rule;
  }
}

/** The original may hold what must not be logged: the raw response, the certificate of the peer, addresses. */
function reduced(cause: unknown): Error {
  if (!isError(cause)) return new Error(typeof cause === 'string' ? cause : `non-error ${typeof cause}`);
  const copy = new Error(cause.message);
  copy.name = cause.name;
  const code = codeOf(cause);
  return code === undefined ? copy : Object.assign(copy, { code });
}

const FAILURES: Record<string, EgressFailure> = {
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  ETIMEDOUT: 'timeout',
  UND_ERR_HEADERS_OVERFLOW: 'too-large',
  UND_ERR_RES_EXCEEDED_MAX_SIZE: 'too-large',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'invalid-response',
  UND_ERR_INVALID_ARG: 'bad-url',
  UND_ERR_NOT_SUPPORTED: 'bad-url',
  UND_ERR_REQ_CONTENT_LENGTH_MISMATCH: 'bad-url',
  UND_ERR_ABORTED: 'aborted',
  UND_ERR_ABORT: 'aborted',
  UND_ERR_DESTROYED: 'aborted',
  UND_ERR_CLOSED: 'aborted',
};

export function toEgressError(error: unknown): EgressError {
  if (error instanceof EgressError) return error;
  return new EgressError(FAILURES[codeOf(error) ?? ''] ?? (isInvalidResponse(error) ? 'invalid-response' : 'reset'), {
    cause: error,
  });
}

/** undici's parser errors have no code (8.12). Z_*, ERR__ERROR_* and ERR_BROTLI_* are codes of zlib. */
function isInvalidResponse(error: unknown): boolean {
  return (
    (isError(error) && error.name === 'HTTPParserError') || /^(Z_|ERR__ERROR_|ERR_BROTLI_)/.test(codeOf(error) ?? '')
  );
}

function isError(value: unknown): value is Error {
  return typeof value === 'object' && value !== null && 'message' in value && 'name' in value;
}

function codeOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !('code' in value)) return undefined;
  return typeof value.code === 'string' ? value.code : undefined;
}

/** Aborts with EgressError `timeout` or `aborted`, or with the EgressError of a parent. */
export function egressDeadline(ms: number, ...parents: readonly (AbortSignal | undefined)[]): Deadline {
  return new Deadline({
    ms,
    late: () => new EgressError('timeout'),
    parents,
    reasonOf: (cause) => (cause instanceof EgressError ? cause : new EgressError('aborted', { cause })),
  });
}

import { DomainError } from '#domain/system';
import { EgressError } from '#egress';
import { IcsSyntaxError } from '#icalendar';
import { ProviderResponseError, type ErrorMapping } from '#providers/kit/calls';
import type { DavHttpResponse } from './contract.js';
import { XmlError, type XmlRule } from './xml-reader.js';

export const THE_SERVER = 'The calendar server';

const READS: ReadonlySet<string> = new Set(['PROPFIND', 'REPORT', 'GET', 'OPTIONS']);

/** True for safe methods (RFC 9110 §9.2.1). */
export function isRead(method: string): boolean {
  return READS.has(method);
}

/** An unexpected response status. Contains no text of the server. */
export class DavStatusError extends ProviderResponseError {
  override readonly name = 'DavStatusError';

  constructor(
    readonly method: string,
    status: number,
    /** `{namespace}local` in DAV:error; null without one. */
    readonly precondition: string | null,
    retryAfterMs: number | null = null,
  ) {
    super(THE_SERVER, status, null, '', retryAfterMs);
  }

  static of(method: string, { status, precondition }: DavHttpResponse): DavStatusError {
    return new DavStatusError(method, status, precondition);
  }
}

/** Returns `otherwise` when the server rejects the request, with one of `statuses` if given. */
export async function orIfRejected<T, U>(
  response: Promise<T>,
  otherwise: U,
  statuses?: ReadonlySet<number>,
): Promise<T | U> {
  try {
    return await response;
  } catch (error) {
    if (error instanceof DavStatusError && (statuses?.has(error.status) ?? true)) return otherwise;
    throw error;
  }
}

export function isDone({ status }: DavHttpResponse): boolean {
  return status === 200 || status === 201 || status === 204;
}

export function isThrottled(status: number): boolean {
  return status === 429 || status === 503;
}

/**
 * A gateway responds for a server that is down (RFC 9110 §15.6.3 to 15.6.5; 520 to 530 are Cloudflare's). A 500 comes
 * from the server itself, often about one object.
 */
export function isGateway(status: number): boolean {
  return (status >= 502 && status <= 504) || (status >= 520 && status <= 530);
}

/** The same status means different things for a read and a write. */
export type DavOperation = 'read' | 'write';

const rejected = (message: string): ErrorMapping => ['ProviderRejected', message];

/** Preconditions of RFC 3744, 4331, 4791, 5397, 6578, 6638. Any other name is server text and dropped. */
const PRECONDITIONS: Record<string, ErrorMapping> = {
  'valid-calendar-data': rejected('The calendar server does not accept the event.'),
  'valid-calendar-object-resource': rejected('The calendar server does not accept the event.'),
  'supported-calendar-data': rejected('The calendar server does not accept the event.'),
  'supported-calendar-component': rejected('The calendar does not hold events.'),
  'supported-rscale': rejected('The calendar server does not know this kind of recurrence.'),
  'max-resource-size': rejected('The event is larger than the calendar server accepts.'),
  'min-date-time': rejected('The event is earlier than the calendar server accepts.'),
  'max-date-time': rejected('The event is later than the calendar server accepts.'),
  'max-instances': rejected('The series has more instances than the calendar server accepts.'),
  'max-attendees-per-instance': rejected('The event has more attendees than the calendar server accepts.'),
  'same-organizer-in-all-components': rejected('All instances of a series must have the same organizer.'),
  'valid-organizer': rejected('The calendar server does not accept the organizer.'),
  'calendar-collection-location-ok': rejected('The calendar server does not allow a calendar there.'),
  'calendar-collection-location': rejected('The calendar server does not allow a calendar there.'),
  'valid-filter': rejected('The calendar server cannot answer this query.'),
  'supported-filter': rejected('The calendar server cannot answer this query.'),
  'supported-report': ['NotSupportedByProvider', 'The calendar server cannot answer this query.'],
  'number-of-matches-within-limits': rejected('The range holds more events than the calendar server returns.'),
  'need-privileges': ['Forbidden', 'The account has no right to do this on the calendar server.'],
  'cannot-modify-protected-property': ['Forbidden', 'The calendar server does not allow this property to be changed.'],
  'allowed-attendee-scheduling-object-change': ['Forbidden', 'Only the organizer may change this.'],
  'allowed-organizer-scheduling-object-change': [
    'Forbidden',
    'The calendar server does not allow the organizer this change.',
  ],
  'no-uid-conflict': ['Conflict', 'The account already has an event with this iCalUid.'],
  'unique-scheduling-object-resource': ['Conflict', 'The account already has an event with this iCalUid.'],
  'resource-must-be-null': ['Conflict', 'There is already something at this place on the calendar server.'],
  'lock-token-submitted': ['Conflict', 'The calendar server has locked this.'],
  'no-conflicting-lock': ['Conflict', 'The calendar server has locked this.'],
  'valid-sync-token': ['SyncTokenExpired', 'The sync token is no longer valid; read the calendar in full again.'],
  'quota-not-exceeded': rejected('The account has no space left on the calendar server.'),
  'sufficient-disk-space': rejected('The calendar server has no space left.'),
};

/** Meaning of each status (docs/development/caldav-cases.md). */
const STATUSES: Record<number, ErrorMapping> = {
  400: ['ProviderRejected', 'The calendar server refused the request as invalid.'],
  401: ['Forbidden', 'The calendar server does not let the account in here, although its credentials are valid.'],
  402: ['Forbidden', 'The calendar server asks for a payment.'],
  403: ['Forbidden', 'The calendar server forbids this.'],
  404: ['NotFound', 'The calendar server does not have this (any more).'],
  405: ['NotSupportedByProvider', 'The calendar server cannot do this.'],
  408: ['ProviderTimeout', 'The calendar server took too long.', true],
  409: ['Conflict', 'The change conflicts with the state of the calendar server.'],
  410: ['NotFound', 'The calendar server does not have this (any more).'],
  412: ['PreconditionFailed', 'The event has been changed in the meantime.'],
  413: ['PayloadTooLarge', 'This is larger than the calendar server accepts.'],
  415: ['ProviderRejected', 'The calendar server does not accept this kind of content.'],
  422: ['ProviderRejected', 'The calendar server refused the request as invalid.'],
  423: ['Conflict', 'The calendar server has locked this.'],
  424: ['Conflict', 'The change conflicts with the state of the calendar server.'],
  429: ['ProviderRateLimited', 'The calendar server asks to slow down.', true],
  501: ['NotSupportedByProvider', 'The calendar server cannot do this.'],
  504: ['ProviderTimeout', 'The calendar server took too long.', true],
  507: ['ProviderRejected', 'The account has no space left on the calendar server.'],
};

export function davFailure(
  failure: { status: number; precondition?: string | null; retryAfterSeconds?: number | undefined },
  operation: DavOperation,
): DomainError {
  const { status, precondition, retryAfterSeconds } = failure;
  const local = precondition?.replace(/^\{.*\}/, '') ?? '';
  const known = Object.hasOwn(PRECONDITIONS, local) && status < 500 ? PRECONDITIONS[local] : undefined;
  const isWriteRejected = known !== undefined && local === 'need-privileges' && operation === 'write';
  const [code, message, retryable = false] = isWriteRejected ? READ_ONLY : (known ?? mappingOf(status));
  const reason = known === undefined ? (status === 507 ? 'quota' : null) : local;
  return new DomainError(code, message, {
    provider: { status, code: reason, message, retryable },
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}

const READ_ONLY: ErrorMapping = ['ReadOnlyCalendar', 'The account may not write to this calendar.'];

function mappingOf(status: number): ErrorMapping {
  const mapping = STATUSES[status];
  if (mapping !== undefined) return mapping;
  if (status >= 500) return ['ProviderUnavailable', 'The calendar server failed.', true];
  if (status >= 400) return ['ProviderRejected', 'The calendar server refused the request.'];
  return ['ProviderUnavailable', MALFORMED_RESPONSE];
}

const MALFORMED_RESPONSE = 'The calendar server gave an answer that makes no sense.';

/** Limits that a smaller request might not have exceeded. */
const TOO_MUCH: ReadonlySet<XmlRule> = new Set(['responses', 'nodes', 'kept', 'branch', 'text']);

/** Converts errors of reading a response; returns any other error unchanged. */
export function unreadableResponse(error: unknown): unknown {
  const rule = error instanceof XmlError ? error.rule : null;
  const failure = error instanceof EgressError ? error.failure : null;
  if (failure === 'too-large' || (rule !== null && TOO_MUCH.has(rule))) {
    return unusableResponse('The answer of the calendar server is larger than allowed.', 'response-too-large', error);
  }
  return failure === 'invalid-response' || rule !== null
    ? unusableResponse(MALFORMED_RESPONSE, 'response-invalid', error)
    : error;
}

export function unusableResponse(message: string, code: string, cause?: unknown): DomainError {
  return new DomainError('ProviderUnavailable', message, {
    provider: { status: null, code, message, retryable: false },
    ...(cause !== undefined && { cause }),
  });
}

/** For a request of one event. Lists report an unreadable event and skip it. */
export function unreadableEvent(cause?: IcsSyntaxError): DomainError {
  return unusableResponse('The calendar server holds an event that cannot be read.', 'object-unreadable', cause);
}

/** Converts errors of the client; returns any other error unchanged. */
export function toDomainError(error: unknown, operation: DavOperation): unknown {
  if (error instanceof IcsSyntaxError) return unreadableEvent(error);
  return error instanceof DavStatusError ? davFailure(error, operation) : error;
}

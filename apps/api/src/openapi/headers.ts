import type { OpenAPIObject } from '@nestjs/swagger';
import type { ErrorCode } from '#domain/system';
import { IDEMPOTENCY_KEY } from '../idempotency/idempotency.interceptor.js';

export const PARAMETER_DESCRIPTIONS: Record<string, string> = {
  applicationId: 'The application; where a key is sent, the one that the key belongs to.',
  provider: 'The provider, in lower case; one whose accounts do not sign in like this is refused.',
  endUserAccountId: 'The end user account.',
  calendarId: 'The calendar, an id from the calendar list.',
  eventId: 'The event, series or instance, an id from an event list.',
  endpointId: 'The endpoint, or the subscription.',
  messageId: 'The message: the header `webhook-id` of its attempts.',
};

interface HeaderParameter {
  name: string;
  in: 'header';
  required: false;
  description: string;
  schema: { type: 'string'; maxLength?: number; pattern?: string };
  example: string;
}

function header(
  name: string,
  description: string,
  bounds: Omit<HeaderParameter['schema'], 'type'>,
  example: string,
): HeaderParameter {
  return { name, in: 'header', required: false, description, schema: { type: 'string', ...bounds }, example };
}

export const REQUEST_HEADERS: {
  parameter: HeaderParameter;
  appliesTo: (method: string, codes: ReadonlySet<ErrorCode>) => boolean;
}[] = [
  {
    parameter: header(
      'Idempotency-Key',
      'Repeating a request with the same key within 24 hours answers what the first one answered. Printable ASCII.',
      { pattern: IDEMPOTENCY_KEY.source },
      '5f0c7cc1-9d1e-4a53-8f3a-64a1c2d3e4f5',
    ),
    appliesTo: (method) => method === 'post',
  },
  {
    parameter: header(
      'If-Match',
      'The `etag` of the version to change; any other is refused.',
      { maxLength: 1_024 },
      '"63-4f1c"',
    ),
    appliesTo: (_, codes) => codes.has('PreconditionFailed'),
  },
  {
    parameter: header(
      'x-request-id',
      'An id of your own for this request, up to 128 characters of printable ASCII; it comes back in the answer. One is made up instead of any other.',
      {},
      '7c0c8f4e-3f0a-4a53-9f6e-0c3f1d2b4a5e',
    ),
    appliesTo: () => true,
  },
];

type Headers = NonNullable<NonNullable<OpenAPIObject['components']>['headers']>;

const text = (description: string, example: string): Headers[string] => ({
  description,
  schema: { type: 'string' },
  example,
});

export const RESPONSE_HEADERS: Headers = {
  'x-request-id': text('The id of this request.', '7c0c8f4e-3f0a-4a53-9f6e-0c3f1d2b4a5e'),
  'RateLimit-Policy': text('The quota of the key: requests (`q`) in a window of seconds (`w`).', '"default";q=300;w=1'),
  RateLimit: text('Requests left (`r`) and seconds until there are more (`t`).', '"default";r=299;t=1'),
  'Retry-After': text('Seconds to wait before trying again. 429 and 503 always have it.', '1'),
  'x-ignored-fields': text('Fields of the request that were not applied, comma separated.', 'conferenceData, id'),
  'Idempotency-Replayed': text('`true` when this is the answer to an earlier request with the same key.', 'true'),
};

export const DEPRECATION_HEADERS: Headers = {
  Deprecation: text(
    'Since when the operation should not be used any more, seconds since 1970 (RFC 9745).',
    '@1795219200',
  ),
  Sunset: text('When it may stop to answer (RFC 8594).', 'Sun, 21 Nov 2027 00:00:00 GMT'),
  Link: text('A page that says what to do instead.', '<https://example.com/versioning>; rel="deprecation"'),
};

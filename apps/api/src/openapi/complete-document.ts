import type { OpenAPIObject } from '@nestjs/swagger';
import { ERROR_CODES, type ErrorCode } from '#domain';
import { ERROR_MEANING, ERROR_STATUS } from '../errors/error-status.js';
import { BROWSER_EXTENSION } from './browser-route.decorator.js';
import { FAILS_EXTENSION } from './fails.decorator.js';
import { PARAMETER_DESCRIPTIONS, REQUEST_HEADERS, RESPONSE_HEADERS } from './headers.js';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']>;
type Parameter = Extract<NonNullable<Operation['parameters']>[number], { name: string }>;
type Response = Extract<Operation['responses'][string], { description: string }>;

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const;

/** What any operation can end with. */
const ALWAYS: ErrorCode[] = ['ValidationFailed', 'RateLimited', 'InternalServerError'];

/** What any operation can end with that asks for a key. */
const ASKS_KEY: ErrorCode[] = ['MissingApiKey', 'InvalidApiKey', 'ApiKeyExpired', 'Forbidden'];

/** What any operation on an account's calendars can end with: it asks the provider. */
const ASKS_PROVIDER: ErrorCode[] = [
  'NotFound',
  'EndUserAccountExpired',
  'ProviderRejected',
  'ProviderRateLimited',
  'ProviderUnavailable',
  'ProviderTimeout',
];

const PROVIDER_PATHS = /^\/api\/v1\/(calendars|events|freeBusy)\//;

/** Adds what decorators would have to repeat at every handler: errors, headers, descriptions of path parameters. */
export function completeDocument(document: OpenAPIObject): OpenAPIObject {
  const components = (document.components ??= {});
  components.schemas = { ...components.schemas, ...errorSchemas() };
  components.headers = RESPONSE_HEADERS;
  const errors: ErrorResponses = (components.responses = {});
  for (const [path, item] of Object.entries(document.paths)) {
    // Probes are for the platform that runs the service, not for its clients.
    if (!path.startsWith('/api/')) delete document.paths[path];
    for (const method of METHODS) {
      const operation = item[method];
      if (operation !== undefined) completeOperation(operation, method, path, errors);
    }
  }
  return withoutDtoSuffix(document);
}

type ErrorResponses = NonNullable<NonNullable<OpenAPIObject['components']>['responses']>;

/** The classes are called `EventDto`; in a client generated from the document the type is an `Event`. */
function withoutDtoSuffix(document: OpenAPIObject): OpenAPIObject {
  const schemas = document.components?.schemas ?? {};
  const renamed = Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name.replace(/Dto$/, ''), schema]),
  );
  const text = JSON.stringify({ ...document, components: { ...document.components, schemas: renamed } });
  return JSON.parse(text.replace(/"(#\/components\/schemas\/\w+?)Dto"/g, '"$1"')) as OpenAPIObject;
}

function completeOperation(
  operation: Operation,
  method: (typeof METHODS)[number],
  path: string,
  errors: ErrorResponses,
): void {
  const extended = operation as Operation & { [FAILS_EXTENSION]?: ErrorCode[]; [BROWSER_EXTENSION]?: true };
  const isForBrowsers = extended[BROWSER_EXTENSION] === true;
  const codes = new Set([...(isForBrowsers ? [] : ASKS_KEY), ...ALWAYS, ...(extended[FAILS_EXTENSION] ?? [])]);
  delete extended[FAILS_EXTENSION];
  delete extended[BROWSER_EXTENSION];
  if (PROVIDER_PATHS.test(path)) for (const code of ASKS_PROVIDER) codes.add(code);
  if (method !== 'get' && operation.requestBody !== undefined) codes.add('PayloadTooLarge');
  if (method === 'post') for (const code of ['Conflict', 'IdempotencyKeyReused'] as const) codes.add(code);

  // The docstring's first sentence is what lists and generated clients show.
  const [summary = '', ...rest] = (operation.summary ?? '').split(/(?<=\.)\s+/);
  operation.summary = summary.replace(/\.$/, '');
  if (rest.length > 0) operation.description = rest.join(' ');
  operation.security = isForBrowsers ? [] : [{ apiKey: [] }];
  const parameters = (operation.parameters ?? []) as Parameter[];
  for (const parameter of parameters) parameter.description ??= PARAMETER_DESCRIPTIONS[parameter.name];
  operation.parameters = [
    ...parameters,
    ...REQUEST_HEADERS.filter(({ appliesTo }) => appliesTo(method, codes)).map(({ parameter }) => parameter),
  ];

  const [success] = Object.values(operation.responses) as Response[];
  if (success !== undefined) {
    if (!isForBrowsers) success.description = 'Done.';
    success.headers = { ...success.headers, ...headerReferences(['x-request-id', 'RateLimit-Policy', 'RateLimit']) };
    if (method !== 'get') success.headers['x-ignored-fields'] = reference('x-ignored-fields');
    if (method === 'post') success.headers['Idempotency-Replayed'] = reference('Idempotency-Replayed');
  }
  for (const [status, listed] of byStatus([...codes])) {
    const name = [status, ...listed, ...(isForBrowsers ? ['page'] : [])].join('.');
    errors[name] ??= isForBrowsers ? withPage(errorResponse(status, listed)) : errorResponse(status, listed);
    operation.responses[status] = { $ref: `#/components/responses/${name}` };
  }
}

/** The codes of an operation under the status that each is answered with. */
function byStatus(codes: ErrorCode[]): [number, ErrorCode[]][] {
  const listed = new Map<number, ErrorCode[]>([[503, ['InternalServerError']]]);
  for (const code of codes) listed.set(ERROR_STATUS[code], [...(listed.get(ERROR_STATUS[code]) ?? []), code]);
  if (codes.includes('PayloadTooLarge')) listed.set(415, ['ValidationFailed']);
  return [...listed].sort(([a], [b]) => a - b);
}

function errorResponse(status: number, codes: ErrorCode[]): Response {
  const mayRetry = status === 429 || status === 503;
  return {
    description: codes.map((code) => `\`${code}\`: ${ERROR_MEANING[code]}`).join('\n\n'),
    headers: headerReferences(['x-request-id', ...(mayRetry ? ['Retry-After'] : [])]),
    content: {
      'application/json': {
        schema: {
          allOf: [
            { $ref: '#/components/schemas/Error' },
            { type: 'object', properties: { code: { type: 'string', enum: codes, description: 'What happened.' } } },
          ],
        },
        example: exampleOf(codes[0] ?? 'InternalServerError'),
      },
    },
  };
}

/** For whoever prefers HTML. */
function withPage(response: Response): Response {
  return { ...response, content: { ...response.content, 'text/html': { schema: { type: 'string' } } } };
}

function exampleOf(code: ErrorCode): Record<string, unknown> {
  return {
    error: code,
    code,
    message: code === 'ValidationFailed' ? 'start.dateTime: is required' : ERROR_MEANING[code],
    requestId: '7c0c8f4e-3f0a-4a53-9f6e-0c3f1d2b4a5e',
    ...(code === 'ValidationFailed' && { details: [{ path: 'start.dateTime', message: 'is required' }] }),
    ...(code.startsWith('Provider') && {
      provider: { status: 503, code: null, message: 'Service unavailable', retryable: true },
    }),
  };
}

function headerReferences(names: string[]): NonNullable<Response['headers']> {
  return Object.fromEntries(names.map((name) => [name, reference(name)]));
}

function reference(name: string): { $ref: string } {
  return { $ref: `#/components/headers/${name}` };
}

function errorSchemas(): NonNullable<NonNullable<OpenAPIObject['components']>['schemas']> {
  const codes = ERROR_CODES.map((code) => `- \`${code}\` (${ERROR_STATUS[code]}): ${ERROR_MEANING[code]}`);
  return {
    ErrorCode: { type: 'string', enum: [...ERROR_CODES], description: `What happened.\n\n${codes.join('\n')}` },
    ErrorDetail: {
      type: 'object',
      description: 'One part of the request that is not valid.',
      required: ['path', 'message'],
      properties: {
        path: {
          type: 'string',
          description: 'Where, in dotted form; empty for the body as a whole.',
          example: 'start.dateTime',
        },
        message: { type: 'string', description: 'What is wrong with it.', example: 'is required' },
      },
    },
    ProviderFault: {
      type: 'object',
      description: 'What the provider said, reduced to facts.',
      required: ['status', 'code', 'message', 'retryable'],
      properties: {
        status: {
          type: ['integer', 'null'],
          description: "HTTP status of the provider's answer, if any.",
          example: 503,
        },
        code: { type: ['string', 'null'], description: "The provider's own code, if any.", example: null },
        message: { type: 'string', description: 'A sentence for people.', example: 'Service unavailable' },
        retryable: { type: 'boolean', description: 'Whether trying again later may help.', example: true },
      },
    },
    Error: {
      type: 'object',
      description: 'The body of every error.',
      required: ['error', 'code', 'message', 'requestId'],
      properties: {
        error: { $ref: '#/components/schemas/ErrorCode' },
        code: { $ref: '#/components/schemas/ErrorCode' },
        message: { type: 'string', description: 'A sentence for people.', example: 'start.dateTime: is required' },
        requestId: {
          type: 'string',
          description: 'The id of the request, as in `x-request-id`.',
          example: '7c0c8f4e-3f0a-4a53-9f6e-0c3f1d2b4a5e',
        },
        details: {
          type: 'array',
          description: 'Each part of the request that is not valid.',
          items: { $ref: '#/components/schemas/ErrorDetail' },
        },
        provider: { $ref: '#/components/schemas/ProviderFault' },
      },
    },
  };
}

import type { OpenAPIObject } from '@nestjs/swagger';
import type { ErrorCode } from '#domain/system';
import { DEPRECATED_EXTENSION } from '../http/deprecated.decorator.js';
import { BROWSER_EXTENSION, takeFails } from './operation.decorators.js';
import {
  closeRequestSchemas,
  openCodesOfAnswers,
  operationsOf,
  splitSummary,
  takeExtension,
  untypeReadOnlyFields,
  withoutDtoSuffix,
  type DescribedOperation,
  type ErrorResponses,
  type Parameter,
  type Response,
} from './document-parts.js';
import { addSamples } from './code-samples.js';
import { byStatus, errorResponse, errorSchemas, headerReferences, reference } from './error-responses.js';
import { MESSAGE_SCHEMAS, webhookOperations } from './webhook-operations.js';
import { DEPRECATION_HEADERS, PARAMETER_DESCRIPTIONS, REQUEST_HEADERS, RESPONSE_HEADERS } from './headers.js';

const ALWAYS: ErrorCode[] = ['ValidationFailed', 'RateLimited', 'InternalServerError'];

const ASKS_KEY: ErrorCode[] = ['MissingApiKey', 'InvalidApiKey', 'ApiKeyExpired', 'Forbidden'];

const ASKS_PROVIDER: ErrorCode[] = [
  'NotFound',
  'EndUserAccountExpired',
  'NotSupportedByProvider',
  'ServerNotAllowed',
  'ProviderRejected',
  'ProviderRateLimited',
  'ProviderUnavailable',
  'ProviderTimeout',
];

const PROVIDER_PATHS = /^\/api\/v1\/(calendars|events|freeBusy)\//;

export function completeDocument(document: OpenAPIObject): OpenAPIObject {
  const components = (document.components ??= {});
  components.schemas = { ...components.schemas, ...errorSchemas() };
  untypeReadOnlyFields(document);
  closeRequestSchemas(document);
  openCodesOfAnswers(document);
  const headers = (components.headers = { ...RESPONSE_HEADERS });
  const errors: ErrorResponses = (components.responses = {});
  for (const described of operationsOf(document)) {
    completeOperation(described, errors);
    addSamples(described);
    if (described.operation.deprecated === true) Object.assign(headers, DEPRECATION_HEADERS);
    // Probes serve the platform, not clients.
    if (!described.path.startsWith('/api/')) delete document.paths[described.path];
  }
  document.webhooks = webhookOperations();
  Object.assign(components.schemas, MESSAGE_SCHEMAS);
  return withoutDtoSuffix(document);
}

function completeOperation({ operation, method, path }: DescribedOperation, errors: ErrorResponses): void {
  const isForBrowsers = takeExtension(operation, BROWSER_EXTENSION) === true;
  const codes = new Set([...(isForBrowsers ? [] : ASKS_KEY), ...ALWAYS, ...takeFails(operation)]);
  if (takeExtension(operation, DEPRECATED_EXTENSION) === true) operation.deprecated = true;
  if (PROVIDER_PATHS.test(path)) for (const code of ASKS_PROVIDER) codes.add(code);
  if (method !== 'get' && operation.requestBody !== undefined) codes.add('PayloadTooLarge');
  if (method === 'post') for (const code of ['Conflict', 'IdempotencyKeyReused'] as const) codes.add(code);

  splitSummary(operation);
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
    if (operation.deprecated === true) {
      Object.assign(success.headers, headerReferences(Object.keys(DEPRECATION_HEADERS)));
    }
    if (method !== 'get') success.headers['x-ignored-fields'] = reference('x-ignored-fields');
    if (method === 'post') success.headers['Idempotency-Replayed'] = reference('Idempotency-Replayed');
  }
  for (const [status, listed] of byStatus([...codes])) {
    const name = [status, ...listed, ...(isForBrowsers ? ['page'] : [])].join('.');
    errors[name] ??= isForBrowsers ? withPage(errorResponse(status, listed)) : errorResponse(status, listed);
    operation.responses[status] = { $ref: `#/components/responses/${name}` };
  }
}

function withPage(response: Response): Response {
  return { ...response, content: { ...response.content, 'text/html': { schema: { type: 'string' } } } };
}

import type { OpenAPIObject } from '@nestjs/swagger';
import { ERROR_CODES, OPERATOR_ERROR_CODES, type ErrorCode } from '#domain';
import { ERROR_ACTION, ERROR_MEANING } from '../errors/error-status.js';
import {
  METHODS,
  splitSummary,
  withoutDtoSuffix,
  type Method,
  type Operation,
  type Response,
} from '../openapi/document-parts.js';
import { byStatus, errorResponse, errorSchemas, headerReferences } from '../openapi/error-responses.js';
import { FAILS_EXTENSION } from '../openapi/fails.decorator.js';
import { RESPONSE_HEADERS } from '../openapi/headers.js';

const ALWAYS: ErrorCode[] = ['ValidationFailed', 'Forbidden', 'RateLimited', 'InternalServerError'];
const UNAUTHENTICATED = 401;

const MEANING: Record<ErrorCode, string> = {
  ...ERROR_MEANING,
  Forbidden: 'There is no session (401); or the role, the CSRF token or our own Origin is missing.',
  NotFound: 'There is nothing with this id.',
  Conflict: 'It exists already, has changed meanwhile, or is needed as it is.',
};

const ACTION: Record<ErrorCode, string> = {
  ...ERROR_ACTION,
  Forbidden: 'Sign in, reload the page for a new CSRF token, or ask an admin.',
  NotFound: 'Read the list again.',
  Conflict: 'Read the present state and decide anew.',
};

/** Adds what decorators would have to repeat at every handler: errors, headers, the first sentence as the summary. */
export function completeOperatorDocument(document: OpenAPIObject): OpenAPIObject {
  const components = (document.components ??= {});
  const listed = [...ERROR_CODES, ...OPERATOR_ERROR_CODES];
  components.schemas = { ...components.schemas, ...errorSchemas(listed, MEANING, ACTION) };
  components.headers = {
    'x-request-id': RESPONSE_HEADERS['x-request-id'] ?? {},
    'Retry-After': RESPONSE_HEADERS['Retry-After'] ?? {},
  };
  const errors: Errors = (components.responses = {});
  for (const item of Object.values(document.paths)) {
    for (const method of METHODS) {
      const operation = item[method];
      if (operation !== undefined) completeOperation(operation, method, errors);
    }
  }
  return withoutDtoSuffix(document);
}

type Errors = NonNullable<NonNullable<OpenAPIObject['components']>['responses']>;

function completeOperation(operation: Operation, method: Method, errors: Errors): void {
  const extended = operation as Operation & { [FAILS_EXTENSION]?: ErrorCode[] };
  const codes = new Set([...ALWAYS, ...(extended[FAILS_EXTENSION] ?? [])]);
  delete extended[FAILS_EXTENSION];
  if (method !== 'get' && operation.requestBody !== undefined) codes.add('PayloadTooLarge');
  splitSummary(operation);
  for (const response of Object.values(operation.responses) as Response[]) {
    response.headers = { ...response.headers, ...headerReferences(['x-request-id']) };
  }
  const answers: [number, ErrorCode[]][] = [...byStatus([...codes]), [UNAUTHENTICATED, ['Forbidden']]];
  for (const [status, listed] of answers) {
    const name = [status, ...listed].join('.');
    errors[name] ??= errorResponse(status, listed, MEANING);
    operation.responses[status] = { $ref: `#/components/responses/${name}` };
  }
}

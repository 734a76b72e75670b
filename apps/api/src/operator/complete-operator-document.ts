import { DocumentBuilder, type OpenAPIObject } from '@nestjs/swagger';
import { ERROR_CODES, OPERATOR_ERROR_CODES, type ErrorCode } from '#domain/system';
import { ERROR_ACTION, ERROR_MEANING } from '../errors/error-status.js';
import {
  operationsOf,
  splitSummary,
  takeExtension,
  withoutDtoSuffix,
  type DescribedOperation,
  type ErrorResponses,
  type Response,
} from '../openapi/document-parts.js';
import { byStatus, errorResponse, errorSchemas, headerReferences } from '../openapi/error-responses.js';
import { takeFails } from '../openapi/operation.decorators.js';
import { RESPONSE_HEADERS } from '../openapi/headers.js';
import { TOKEN_AREA_EXTENSION, WITHOUT_SESSION_EXTENSION } from './operator.decorators.js';

const ALWAYS: ErrorCode[] = ['ValidationFailed', 'Forbidden', 'RateLimited', 'InternalServerError'];
const UNAUTHENTICATED = 401;

const MEANING: Record<ErrorCode, string> = {
  ...ERROR_MEANING,
  Forbidden:
    'There is no session and no valid token (401); or the role, the scope, the CSRF token or our own Origin is missing.',
  NotFound: 'There is nothing with this id.',
  Conflict: 'It exists already, has changed meanwhile, or is needed as it is.',
};

const ACTION: Record<ErrorCode, string> = {
  ...ERROR_ACTION,
  Forbidden:
    'Sign in, reload the page for a new CSRF token, ask an admin, or use a token with the scope of the message.',
  NotFound: 'Read the list again.',
  Conflict: 'Read the present state and decide anew.',
};

export function completeOperatorDocument(document: OpenAPIObject): OpenAPIObject {
  const components = (document.components ??= {});
  const listed = [...ERROR_CODES, ...OPERATOR_ERROR_CODES];
  components.schemas = { ...components.schemas, ...errorSchemas(listed, MEANING, ACTION) };
  components.headers = {
    'x-request-id': RESPONSE_HEADERS['x-request-id'] ?? {},
    'Retry-After': RESPONSE_HEADERS['Retry-After'] ?? {},
  };
  const errors: ErrorResponses = (components.responses = {});
  for (const described of operationsOf(document)) completeOperation(described, errors);
  return withoutDtoSuffix(document);
}

function completeOperation({ operation, method }: DescribedOperation, errors: ErrorResponses): void {
  const codes = new Set([...ALWAYS, ...takeFails(operation)]);
  if (method !== 'get' && operation.requestBody !== undefined) codes.add('PayloadTooLarge');
  splitSummary(operation);
  const area = takeExtension(operation, TOKEN_AREA_EXTENSION);
  if (area !== undefined) {
    const scope = `${area as string}:${method === 'get' ? 'read' : 'write'}`;
    operation.security = [{ session: [] }, { token: [scope] }];
  }
  if (takeExtension(operation, WITHOUT_SESSION_EXTENSION) !== undefined) operation.security = [];
  for (const response of Object.values(operation.responses) as Response[]) {
    response.headers = { ...response.headers, ...headerReferences(['x-request-id']) };
  }
  const responses: [number, ErrorCode[]][] = [...byStatus([...codes]), [UNAUTHENTICATED, ['Forbidden']]];
  for (const [status, listed] of responses) {
    const name = [status, ...listed].join('.');
    errors[name] ??= errorResponse(status, listed, MEANING);
    operation.responses[status] = { $ref: `#/components/responses/${name}` };
  }
}

const DESCRIPTION = `What the dashboard of an installation shows and does.

A session begins with \`POST /api/operator/v1/session\` and is carried by the cookie \`__Secure-uc_operator\`. Every request
that changes something has to carry the \`csrfToken\` of the session in the header \`x-csrf-token\`, this service's own
\`Origin\`, and JSON if it has a body. \`viewer\`s read; what changes something is for \`admin\`s. Errors have the same body
as those of the API of applications.

Programs send \`Authorization: Bearer uco_…\` instead: an operator token, without cookie, CSRF token or \`Origin\`. The
operations that take one name its scope; \`write\` includes \`read\`. Operators, sessions and tokens are for operators
alone. Audit entries name the token: \`operator-token:<id>\`.`;

export function operatorFrame(): Omit<OpenAPIObject, 'paths'> {
  return new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Unified Calendar operator API')
    .setDescription(DESCRIPTION)
    .setVersion('1')
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer('/', 'This service')
    .addCookieAuth('__Secure-uc_operator', { type: 'apiKey', description: 'The session.' }, 'session')
    .addBearerAuth(
      { type: 'http', scheme: 'bearer', bearerFormat: 'uco_…', description: 'An operator token.' },
      'token',
    )
    .addSecurityRequirements('session')
    .build();
}

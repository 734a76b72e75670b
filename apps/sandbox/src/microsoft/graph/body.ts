import type { ErrorObject } from 'ajv/dist/2020.js';
import { mediaType, type HttpRequest } from '../../http/message.js';
import type { GraphOperation } from './document.js';
import { IncorrectRequest } from './graph-error.js';
import { findProblem } from './schemas.js';

type Body = Record<string, unknown>;

/** Returns the validated JSON body; null without one. @throws IncorrectRequest */
export function readBody(operation: GraphOperation, request: HttpRequest): Body | null {
  if (request.body.length === 0) return checkBody(operation, null);
  if (operation.body === null) throw takesNone(operation);
  if (mediaType(request) !== 'application/json') {
    const message = 'Write requests (excluding DELETE) must contain the Content-Type header declaration.';
    throw new IncorrectRequest('the body is not labelled application/json', 400, 'BadRequest', message);
  }
  return checkBody(operation, parsed(request.body));
}

/** @param body null without one @throws IncorrectRequest */
export function checkBody(operation: GraphOperation, body: unknown): Body | null {
  if (operation.body === null) {
    if (body !== null) throw takesNone(operation);
    return null;
  }
  if (body === null) {
    if (!operation.body.isRequired) return null;
    throw new IncorrectRequest('the body is missing', 400, 'BadRequest', 'Empty Payload. JSON content expected.');
  }
  const problem = findProblem(operation.body.schema, body);
  if (problem !== null) throw refusalOf(problem);
  return body as Body;
}

function refusalOf({ keyword, instancePath, params, message = 'is wrong' }: ErrorObject): IncorrectRequest {
  const where = instancePath === '' ? 'the body' : instancePath.slice(1).replaceAll('/', '.');
  const violation = `${where} ${message}`;
  switch (keyword) {
    case 'additionalProperties': {
      const { additionalProperty: name } = params as { additionalProperty: string };
      const text = `The property '${name}' does not exist on the type. Make sure to only use property names that are defined by the type or mark the type as open type.`;
      return new IncorrectRequest(`${violation}: ${name}`, 400, 'RequestBodyRead', text);
    }
    case 'type':
      return new IncorrectRequest(violation, 400, 'RequestBodyRead', `Cannot convert the value of '${where}'.`);
    case 'enum':
      return new IncorrectRequest(violation, 400, 'RequestBodyRead', `Requested value of '${where}' was not found.`);
    case 'required':
      return new IncorrectRequest(
        violation,
        400,
        'ErrorPropertyValidationFailure',
        `At least one property of ${where} failed validation.`,
      );
    default:
      return new IncorrectRequest(
        violation,
        400,
        'ErrorInvalidRequest',
        `Your request can't be completed: ${where} is not valid.`,
      );
  }
}

function parsed(body: Buffer): unknown {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // Invalid JSON gets the same refusal as a value that is no object.
  }
  const message =
    'Unable to read JSON request payload. Please ensure Content-Type header is set and payload is of valid JSON format.';
  throw new IncorrectRequest('the body is no JSON object', 400, 'BadRequest', message);
}

function takesNone({ operationId }: GraphOperation): IncorrectRequest {
  return new IncorrectRequest(`${operationId} takes no body`, 400, 'BadRequest', 'The request takes no body.');
}

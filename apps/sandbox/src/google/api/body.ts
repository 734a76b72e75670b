import { mediaType, type HttpRequest } from '../../http/message.js';
import { schemaNamed, type MethodSpec, type SchemaSpec } from './discovery.js';
import { isDate, isDateTime, isInt32 } from './formats.js';
import { IncorrectRequest } from './google-error.js';

/** Returns the validated JSON body; null for a method without body. @throws IncorrectRequest */
export function readBody(method: MethodSpec, request: HttpRequest): Record<string, unknown> | null {
  if (method.request === undefined) {
    if (request.body.length > 0) throw badRequest(`${method.id} takes no body`, 'Bad Request');
    return null;
  }
  if (mediaType(request) !== 'application/json') {
    throw new IncorrectRequest('the body is not labelled application/json', {
      ...{ domain: 'global', reason: 'badContent', message: `Unsupported content with type: ${mediaType(request)}` },
    });
  }
  const body = parse(request.body);
  checkBody(method, body);
  return body;
}

/** Validates a body against its schema; null clears a field, only in PATCH. @throws IncorrectRequest */
export function checkBody(method: MethodSpec, body: unknown): asserts body is Record<string, unknown> {
  const name = method.request?.$ref ?? '';
  const problem = findProblem(schemaNamed(name), body, {
    at: '',
    methodId: method.id,
    allowsNull: method.httpMethod === 'PATCH',
  });
  if (problem === null) return;
  if (problem.kind === 'missing') {
    throw new IncorrectRequest(`the body lacks ${problem.at}`, {
      ...{ domain: 'global', reason: 'required', message: 'Required' },
    });
  }
  const where = name[0]?.toLowerCase() + name.slice(1) + (problem.at === '' ? '' : `.${problem.at}`);
  throw problem.kind === 'unknown'
    ? badRequest(
        `the body has ${problem.at}, which ${name} has not`,
        `Invalid JSON payload received. Unknown name "${problem.name}" at '${parentOf(where)}': Cannot find field.`,
      )
    : badRequest(`the body's ${problem.at} is no ${problem.wanted}`, `Invalid value at '${where}' (${problem.wanted})`);
}

export type Problem =
  | { kind: 'missing'; at: string }
  | { kind: 'unknown'; at: string; name: string }
  | { kind: 'type'; at: string; wanted: string };

export interface Judging {
  /** `attendees[0].email`; empty for the whole body. */
  at: string;
  /** Method whose required properties are checked; null checks none. */
  methodId: string | null;
  allowsNull: boolean;
}

/** Returns the first violation of the schema; null for a valid value. */
export function findProblem(schema: SchemaSpec, value: unknown, judging: Judging): Problem | null {
  const { at, allowsNull } = judging;
  if (schema.$ref !== undefined) return findProblem(schemaNamed(schema.$ref), value, judging);
  if (value === null && allowsNull && at !== '') return null;
  const { type = 'any', format, items = {} } = schema;
  if (type === 'any') return null;
  if (type === 'array') {
    if (!Array.isArray(value)) return { kind: 'type', at, wanted: 'array' };
    return first(value.entries(), ([index, item]) =>
      // PATCH replaces a list as a whole, so null clears nothing in it.
      findProblem(items, item, { ...judging, at: `${at}[${index}]`, allowsNull: false }),
    );
  }
  if (type === 'object') {
    if (!isObject(value)) return { kind: 'type', at, wanted: 'object' };
    return findPropertyProblem(schema, value, judging);
  }
  return isScalar(type, format, value) ? null : { kind: 'type', at, wanted: format ?? type };
}

function findPropertyProblem(
  { properties = {}, additionalProperties }: SchemaSpec,
  value: Record<string, unknown>,
  judging: Judging,
): Problem | null {
  const path = (name: string): string => (judging.at === '' ? name : `${judging.at}.${name}`);
  const wrong = first(Object.entries(value), ([name, item]): Problem | null => {
    const schema = Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
    if (schema === undefined) return { kind: 'unknown', at: path(name), name };
    return findProblem(schema, item, { ...judging, at: path(name) });
  });
  if (wrong !== null) return wrong;
  return first(Object.entries(properties), ([name, { annotations }]): Problem | null => {
    const isRequired = judging.methodId !== null && annotations?.required?.includes(judging.methodId);
    return isRequired && value[name] === undefined ? { kind: 'missing', at: path(name) } : null;
  });
}

function isScalar(type: string, format: string | undefined, value: unknown): boolean {
  switch (type) {
    case 'boolean':
      return typeof value === 'boolean';
    case 'integer':
      return typeof value === 'number' && isInt32(value);
    case 'string':
      // JSON writes 64-bit integers as strings, but the API also reads numbers.
      if (format === 'int64') return /^-?\d{1,19}$/.test(String(value)) && typeof value !== 'object';
      if (typeof value !== 'string') return false;
      if (format === 'date') return isDate(value);
      return format !== 'date-time' || isDateTime(value);
    default:
      return false;
  }
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    throw new IncorrectRequest('the body is no JSON', {
      domain: 'global',
      reason: 'parseError',
      message: 'Parse Error',
    });
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function first<T>(items: Iterable<T>, problemOf: (item: T) => Problem | null): Problem | null {
  for (const item of items) {
    const problem = problemOf(item);
    if (problem !== null) return problem;
  }
  return null;
}

function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf('.'));
}

function badRequest(violation: string, message: string): IncorrectRequest {
  return new IncorrectRequest(
    violation,
    { domain: 'global', reason: 'badRequest', message },
    { rpcStatus: 'INVALID_ARGUMENT' },
  );
}

import type { CalendarApiRequest } from '../contract.js';
import { CALENDAR_V3, type MethodSpec, type ParameterSpec } from './discovery.js';
import { IncorrectRequest } from './google-error.js';
import { isInt32, isInstant } from './formats.js';

type Query = CalendarApiRequest['query'];

/** Parameters of every method, without `oauth_token`, which would put a token into logs. */
const STANDARD = new Set(['alt', 'fields', 'key', 'prettyPrint', 'quotaUser', 'userIp']);
const MAX_QUOTA_USER = 40;

export interface Parameters {
  /** Typed parameters of the method, without the standard ones. */
  query: Query;
  fields: string | null;
  prettyPrint: boolean;
}

/** Reads a query with the types of the discovery document. @throws IncorrectRequest */
export function readParameters(method: MethodSpec, query: URLSearchParams): Parameters {
  const typed: Record<string, Query[string]> = {};
  for (const name of new Set(query.keys())) {
    const spec = specOf(method, name);
    const values = query.getAll(name);
    if (spec === undefined) throw unknownParameter(name);
    if (!spec.repeated && values.length > 1) throw invalidParameter(name, `Repeated value for: ${name}`);
    const read = values.map((value) => typedValue(name, spec, value));
    typed[name] = spec.repeated ? (read as string[]) : (read[0] ?? '');
  }
  for (const [name, { location, required }] of Object.entries(method.parameters ?? {})) {
    if (location === 'query' && required && typed[name] === undefined) throw missingParameter(name);
  }
  const { fields = null, prettyPrint = true, quotaUser = '' } = typed;
  if (String(quotaUser).length > MAX_QUOTA_USER) throw invalidParameter('quotaUser', 'Invalid value for: quotaUser');
  return {
    query: Object.fromEntries(Object.entries(typed).filter(([name]) => !STANDARD.has(name))),
    fields: fields as string | null,
    prettyPrint: prettyPrint as boolean,
  };
}

function specOf(method: MethodSpec, name: string): ParameterSpec | undefined {
  const own = method.parameters ?? {};
  if (Object.hasOwn(own, name)) return own[name]?.location === 'query' ? own[name] : undefined;
  return STANDARD.has(name) ? CALENDAR_V3.parameters[name] : undefined;
}

function typedValue(name: string, spec: ParameterSpec, text: string): string | number | boolean {
  switch (spec.type) {
    case 'boolean':
      if (text !== 'true' && text !== 'false') throw invalidParameter(name, `Invalid boolean value: '${text}'.`);
      return text === 'true';
    case 'integer':
      return integer(name, spec, text);
    default:
      if (spec.enum !== undefined && !spec.enum.includes(text)) {
        throw invalidParameter(name, `Invalid string value: '${text}'. Allowed values: [${spec.enum.join(', ')}]`);
      }
      if (spec.format === 'date-time' && !isInstant(text)) throw badInstant(name, text);
      return text;
  }
}

function integer(name: string, { minimum, maximum }: ParameterSpec, text: string): number {
  const value = Number(text);
  if (!/^-?\d+$/.test(text) || !isInt32(value)) throw invalidParameter(name, `Invalid integer value: '${text}'.`);
  const range = [Number(minimum ?? -(2 ** 31)), Number(maximum ?? 2 ** 31 - 1)] as const;
  if (value < range[0] || value > range[1]) {
    throw invalidParameter(name, `Invalid value '${text}'. Values must be within the range: [${range.join(', ')}]`);
  }
  return value;
}

function unknownParameter(name: string): IncorrectRequest {
  const message =
    `Invalid JSON payload received. Unknown name "${name}": Cannot bind query parameter. ` +
    `Field '${name}' could not be found in request message.`;
  return new IncorrectRequest(
    `unknown parameter ${name}`,
    { domain: 'global', reason: 'badRequest', message },
    { rpcStatus: 'INVALID_ARGUMENT' },
  );
}

function missingParameter(name: string): IncorrectRequest {
  const message = `Required parameter: ${name}`;
  return new IncorrectRequest(message, {
    ...{ domain: 'global', reason: 'required', message },
    ...{ locationType: 'parameter', location: name },
  });
}

export function invalidParameter(name: string, message: string): IncorrectRequest {
  return new IncorrectRequest(`parameter ${name}: ${message}`, {
    ...{ domain: 'global', reason: 'invalidParameter', message },
    ...{ locationType: 'parameter', location: name },
  });
}

/** Google gives no details about an unreadable instant or a missing offset. */
function badInstant(name: string, text: string): IncorrectRequest {
  return new IncorrectRequest(`parameter ${name}: '${text}' is no RFC 3339 instant with an offset`, {
    ...{ domain: 'global', reason: 'badRequest', message: 'Bad Request' },
  });
}

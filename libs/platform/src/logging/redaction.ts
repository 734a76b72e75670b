/** Names of secrets, in lower case, without `-` and `_`. */
const SECRET_NAMES = new Set([
  'authorization',
  'proxyauthorization',
  'xapikey',
  'apikey',
  'password',
  'accesstoken',
  'refreshtoken',
  'idtoken',
  'token',
  'clientsecret',
  'codeverifier',
  'secret',
  'secrets',
  'signingsecret',
  'endpointsecret',
  'clientstate',
  'xgoogchanneltoken',
  'validationtoken',
  'svixtoken',
  'encryptionkeys',
  'credentials',
  'cookie',
  'setcookie',
]);

const CENSOR = '[redacted]';
const MAX_DEPTH = 8;

/**
 * Copies only what changes: the flat object of the access log passes through. pino's own `redact` needs each path and
 * depth, and costs time on every line.
 */
export function redacted(record: Record<string, unknown>): Record<string, unknown> {
  return redactedObject(record, 0);
}

function redactedObject(object: Record<string, unknown>, depth: number): Record<string, unknown> {
  let copy: Record<string, unknown> | undefined;
  for (const name in object) {
    const value = object[name];
    const safe = isSecretName(name) && value !== null && value !== undefined ? CENSOR : redactedValue(value, depth + 1);
    if (safe !== value) {
      copy ??= { ...object };
      copy[name] = safe;
    }
  }
  return copy ?? object;
}

function redactedValue(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH) return '[too deep]';
  if (value instanceof Error) return loggedError(value);
  if (value instanceof Map || value instanceof Set || ArrayBuffer.isView(value)) return `[${value.constructor.name}]`;
  if (Array.isArray(value)) {
    const items = value.map((item) => redactedValue(item, depth + 1));
    return items.every((item, index) => item === value[index]) ? value : items;
  }
  return redactedObject(value as Record<string, unknown>, depth);
}

function isSecretName(name: string): boolean {
  return SECRET_NAMES.has(name.toLowerCase().replace(/[-_]/g, ''));
}

/** The logged fields of an error: errors of libraries also carry requests, headers and bodies. */
export interface LoggedError {
  type: string;
  message: string;
  code?: string;
  stack?: string;
  cause?: LoggedError;
}

const MAX_CAUSES = 5;

export function loggedError(error: unknown, depth = 0): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: 'something that is no Error was thrown' };
  const code = (error as { code?: unknown }).code;
  return {
    type: error.name,
    message: withoutSecrets(error.message),
    ...(typeof code === 'string' && { code }),
    ...(error.stack !== undefined && { stack: withoutSecrets(error.stack) }),
    ...(error.cause !== undefined && depth < MAX_CAUSES && { cause: loggedError(error.cause, depth + 1) }),
  };
}

/** Messages may quote URLs with tokens in user information or query, and responses that repeat the request. */
function withoutSecrets(text: string): string {
  return text
    .replace(/whsec_[\w+/=-]+/g, 'whsec_[redacted]')
    .replace(/([a-z][a-z0-9+.-]*:\/\/)[^\s/@]*@/gi, '$1')
    .replace(/([a-z][a-z0-9+.-]*:\/\/[^\s?#]*)[?#][^\s]*/gi, '$1');
}

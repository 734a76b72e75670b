import { isUtf8 } from 'node:buffer';
import { invalid } from '#domain/system';

/** Above the depth of every valid body; validators and mappers recurse. */
const MAX_DEPTH = 32;

/** Drops a byte order mark. */
const decoder = new TextDecoder();

/** Names that change how code treats an object: class-transformer calls `constructor`. */
const UNACCEPTABLE = new Set(['__proto__', 'constructor', 'prototype']);

const OPENING = new Set(['{'.charCodeAt(0), '['.charCodeAt(0)]);
const CLOSING = new Set(['}'.charCodeAt(0), ']'.charCodeAt(0)]);
const QUOTE = '"'.charCodeAt(0);
const BACKSLASH = '\\'.charCodeAt(0);

/**
 * Rejects deep nesting, text that cannot be stored (NUL, lone surrogates) and names that reach prototypes.
 * @throws DomainError ValidationFailed
 */
export function parseJsonBody(bytes: Buffer): Record<string, unknown> {
  assertShallow(bytes);
  const value = parse(bytes);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalid('', 'The body must be a JSON object.');
  }
  assertHarmless(value, '');
  return value as Record<string, unknown>;
}

function parse(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw invalid('', 'The body is not UTF-8.');
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch (error) {
    // The message of the SyntaxError quotes the body.
    if (error instanceof SyntaxError) throw invalid('', 'The body is not valid JSON.');
    throw error;
  }
}

function assertShallow(bytes: Buffer): void {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number;
    if (inString) {
      if (byte === BACKSLASH) i++;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (OPENING.has(byte)) {
      if (++depth > MAX_DEPTH) throw invalid('', 'The body is nested too deeply.');
    } else if (CLOSING.has(byte)) depth--;
  }
}

function assertHarmless(value: unknown, path: string): void {
  if (typeof value === 'string') {
    if (!isStorable(value)) throw invalid(path, 'must not contain NUL or half of a surrogate pair');
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [key, child] of Object.entries(value)) {
    const childPath = path === '' ? key : `${path}.${key}`;
    if (!isAcceptableName(key)) throw invalid(childPath, 'is not an acceptable name');
    if (!isStorable(key)) throw invalid(path, 'has a name with NUL or half of a surrogate pair');
    assertHarmless(child, childPath);
  }
}

export function isAcceptableName(name: string): boolean {
  return !UNACCEPTABLE.has(name);
}

/** PostgreSQL text, iCalendar and UTF-8 cannot contain these characters. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && text.isWellFormed();
}

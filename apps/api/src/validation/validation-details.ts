import type { ValidationError } from 'class-validator';
import { DomainError, type ErrorDetail } from '#domain/system';

/** Bounds the response to a body with thousands of unknown fields. */
const MAX_DETAILS = 50;

/** Flattens the error tree of class-validator: dotted paths, and messages without the field name. */
export function validationFailed(errors: ValidationError[]): DomainError {
  const details: ErrorDetail[] = [];
  collect(errors, '', details);
  const [first] = details;
  const more = details.length > 1 ? ` (and ${details.length - 1} more)` : '';
  const message = first === undefined ? 'The request is not valid.' : `${first.path}: ${first.message}${more}`;
  return new DomainError('ValidationFailed', message, { details });
}

function collect(errors: ValidationError[], prefix: string, details: ErrorDetail[]): void {
  for (const { property, constraints = {}, children = [] } of errors) {
    if (details.length >= MAX_DETAILS) return;
    const path = (prefix + property).slice(0, 200);
    const messages = Object.entries(constraints).map(([rule, text]) => messageOf(rule, text, property));
    // One reason per field: further ones follow from it ("must be a string", "must not be longer than").
    if (messages[0] !== undefined) details.push({ path, message: messages[0] });
    collect(children, `${prefix}${property}.`, details);
  }
}

function messageOf(rule: string, text: string, property: string): string {
  if (rule === 'whitelistValidation') return 'is not a known field';
  return text.startsWith(`${property} `) ? text.slice(property.length + 1) : text;
}

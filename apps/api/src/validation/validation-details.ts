import type { ValidationError } from 'class-validator';
import { DomainError, type ErrorDetail } from '#domain/system';

/** Bounds the response to a body with thousands of unknown fields. */
const MAX_DETAILS = 50;
/** A value of another type breaks further rules, which say less. */
const TYPE_RULES = ['isString', 'isNumber', 'isInt', 'isArray', 'isObject'];
/** Rules whose own messages speak of the validator. */
const MESSAGES: Readonly<Record<string, string>> = {
  whitelistValidation: 'is not a known field',
  nestedValidation: 'must be an object',
  isNumber: 'must be a number',
};

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
  for (const error of errors) {
    if (details.length >= MAX_DETAILS) return;
    const path = (prefix + error.property).slice(0, 200);
    const message = messageOf(error);
    if (message !== null) details.push({ path, message });
    collect(error.children ?? [], `${prefix}${error.property}.`, details);
  }
}

/** One reason per field: further ones follow from it ("must be a string", "must not be longer than"). */
function messageOf({ property, value, constraints = {}, children = [] }: ValidationError): string | null {
  const rule = TYPE_RULES.find((name) => name in constraints) ?? Object.keys(constraints)[0];
  if (rule === undefined) return null;
  // Nest removes the value of an error with children.
  if (value === undefined && children.length === 0) return 'is required';
  const text = MESSAGES[rule] ?? constraints[rule]!;
  return text.startsWith(`${property} `) ? text.slice(property.length + 1) : text;
}

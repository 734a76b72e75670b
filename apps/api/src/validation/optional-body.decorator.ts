import type { Class } from './read-only-field.decorator.js';

const OPTIONAL = Symbol('optional body');

/** A request without a body is one with an empty object. */
export function OptionalBody(): ClassDecorator {
  return ({ prototype }) => Reflect.defineMetadata(OPTIONAL, true, prototype as object);
}

export function isOptionalBody(type: Class): boolean {
  return Reflect.getMetadata(OPTIONAL, type.prototype as object) === true;
}

import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional, type ApiPropertyOptions } from '@nestjs/swagger';
import { Allow } from 'class-validator';

const READ_ONLY = Symbol('read-only fields');
const NESTED = Symbol('nested fields');

/** Marks a field of responses that requests may contain: it is dropped and listed in `x-ignored-fields`. */
export function ReadOnlyField(options: ApiPropertyOptions = {}): PropertyDecorator {
  return applyDecorators(
    (target: object, property: string | symbol) => remember(READ_ONLY, target, String(property), undefined),
    Allow(),
    ApiPropertyOptional({ ...(options as object), readOnly: true }),
  );
}

/** Adds such fields to a class that is never asked for them: their names, and what documents them. */
export function ReadOnlyFields(descriptions: Record<string, string>): ClassDecorator {
  return ({ prototype }) => {
    for (const [name, description] of Object.entries(descriptions)) {
      ReadOnlyField({ type: Object, description })(prototype as object, name);
    }
  };
}

/** Marks a field whose class has read-only fields of its own. */
export function HoldsReadOnlyFields(type: () => Class): PropertyDecorator {
  return (target, property) => remember(NESTED, target, String(property), type);
}

/** Mapped types such as OmitType do not copy this metadata. */
export function InheritsReadOnlyFields(parent: () => Class, omitted: readonly string[] = []): ClassDecorator {
  return ({ prototype }) => {
    for (const kind of [READ_ONLY, NESTED]) {
      const own = (Reflect.getMetadata(kind, prototype as object) as Map<string, unknown> | undefined) ?? [];
      const inherited = [...recall(kind, parent())].filter(([name]) => !omitted.includes(name));
      Reflect.defineMetadata(kind, new Map([...inherited, ...own]), prototype as object);
    }
  };
}

export type Class = abstract new (...args: never[]) => object;

function remember<T>(kind: symbol, target: object, property: string, value: T): void {
  const known = (Reflect.getMetadata(kind, target) as Map<string, T> | undefined) ?? new Map<string, T>();
  Reflect.defineMetadata(kind, new Map(known).set(property, value), target);
}

function recall<T>(kind: symbol, type: Class): Map<string, T> {
  return (Reflect.getMetadata(kind, type.prototype as object) as Map<string, T> | undefined) ?? new Map<string, T>();
}

/** Removes read-only fields in place. @returns their dotted names, without array indexes */
export function stripReadOnlyFields(body: object, type: Class, prefix = ''): string[] {
  const fields = body as Record<string, unknown>;
  const dropped: string[] = [];
  for (const name of recall(READ_ONLY, type).keys()) {
    if (!Object.hasOwn(fields, name)) continue;
    delete fields[name];
    dropped.push(prefix + name);
  }
  for (const [name, nestedType] of recall<() => Class>(NESTED, type)) {
    const nested = fields[name];
    for (const item of Array.isArray(nested) ? (nested as unknown[]) : [nested]) {
      if (typeof item !== 'object' || item === null) continue;
      dropped.push(...stripReadOnlyFields(item, nestedType(), `${prefix}${name}.`));
    }
  }
  return [...new Set(dropped)];
}

const OPTIONAL = Symbol('optional body');

export function OptionalBody(): ClassDecorator {
  return ({ prototype }) => Reflect.defineMetadata(OPTIONAL, true, prototype as object);
}

export function isOptionalBody(type: Class): boolean {
  return Reflect.getMetadata(OPTIONAL, type.prototype as object) === true;
}

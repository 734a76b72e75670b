import { applyDecorators, type Type } from '@nestjs/common';
import { Transform, Type as Typed, type TransformFnParams } from 'class-transformer';
import {
  buildMessage,
  IsBoolean,
  IsIn,
  IsNumber,
  IsObject,
  IsString,
  Matches,
  MaxLength,
  Min,
  ValidateBy,
  ValidateIf,
  ValidateNested,
} from 'class-validator';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';

/** Accepts undefined, but not null. */
export function Omittable(): PropertyDecorator {
  return ValidateIf((_, value) => value !== undefined);
}

/** Accepts undefined and null; null means "none" and, on update, "clear". */
export function Clearable(): PropertyDecorator {
  return ValidateIf((_, value) => value !== undefined && value !== null);
}

/** Accepts text in any case of letters. */
export function InLowerCase(): PropertyDecorator {
  return Transform(({ value }: TransformFnParams): unknown =>
    typeof value === 'string' ? value.toLowerCase() : value,
  );
}

interface Documented {
  enumName?: string;
  description?: string;
  format?: string;
  writeOnly?: true;
  default?: unknown;
  example?: unknown;
}

/** Text that may be left out or null. */
export function ClearableText({ maxLength, ...documented }: Documented & { maxLength?: number }): PropertyDecorator {
  return applyDecorators(
    ...(maxLength === undefined ? [] : [MaxLength(maxLength)]),
    IsString(),
    Clearable(),
    ApiPropertyOptional({ type: String, nullable: true, maxLength, ...documented }),
  );
}

export function OneOf(values: readonly string[], documented: Documented = {}): PropertyDecorator {
  return applyDecorators(IsIn(values), ApiProperty({ enum: values, ...documented }));
}

export function OmittableOneOf(values: readonly string[], documented: Documented = {}): PropertyDecorator {
  return applyDecorators(IsIn(values), Omittable(), ApiPropertyOptional({ enum: values, ...documented }));
}

export function ClearableOneOf(values: readonly string[], { enumName, ...documented }: Documented): PropertyDecorator {
  return applyDecorators(
    IsIn(values),
    Clearable(),
    ApiPropertyOptional({ enum: values, enumName, nullable: true, ...documented }),
  );
}

export function OmittableBoolean(documented: { example?: boolean; default?: boolean }): PropertyDecorator {
  return applyDecorators(IsBoolean(), Omittable(), ApiPropertyOptional({ type: Boolean, ...documented }));
}

/** An object with fields of its own. */
export function Nested(type: () => Type<object>): PropertyDecorator {
  return applyDecorators(Typed(type), ValidateNested(), IsObject());
}

export function ClearableNested(type: () => Type<object>): PropertyDecorator {
  // Swagger recognises a function that names a class by its own name, which is that of the option.
  return applyDecorators(Nested(type), Clearable(), ApiPropertyOptional({ type: () => type(), nullable: true }));
}

export function QueryBoolean(): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }: TransformFnParams): unknown => (value === 'true' ? true : value === 'false' ? false : value)),
    ValidateBy({
      name: 'queryBoolean',
      validator: {
        validate: (value) => typeof value === 'boolean',
        defaultMessage: buildMessage(() => '$property must be true or false'),
      },
    }),
  );
}

/** Accepts a count in a query string: 1 or more, clamped to `max`. */
export function QueryCount(max: number): PropertyDecorator {
  return applyDecorators(
    Transform(({ value }: TransformFnParams): unknown =>
      typeof value === 'string' && /^\d+$/.test(value) ? Math.min(Number(value), max) : value,
    ),
    ValidateBy({
      name: 'queryCount',
      validator: {
        validate: (value) => typeof value === 'number' && value >= 1,
        defaultMessage: buildMessage(() => '$property must be a whole number of at least 1'),
      },
    }),
  );
}

/** Accepts an object whose values are strings, under any names. */
export function StringRecord(): PropertyDecorator {
  return applyDecorators(
    Transform(({ obj, key }: TransformFnParams): unknown => (obj as Record<string, unknown>)[key]),
    ValidateBy({
      name: 'stringRecord',
      validator: {
        validate: (value: unknown) =>
          typeof value === 'object' &&
          value !== null &&
          !Array.isArray(value) &&
          Object.values(value).every((entry) => typeof entry === 'string'),
        defaultMessage: buildMessage(() => '$property must be an object whose values are strings'),
      },
    }),
  );
}

export function OpenObject(): PropertyDecorator {
  return applyDecorators(
    Transform(({ obj, key }: TransformFnParams): unknown => (obj as Record<string, unknown>)[key]),
    ValidateBy({
      name: 'openObject',
      validator: {
        validate: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
        defaultMessage: buildMessage(() => '$property must be an object'),
      },
    }),
  );
}

export function NotBlank(): PropertyDecorator {
  return Matches(/\S/, { message: '$property must not be empty' });
}

const MAX_LIMIT = 200;

/** Rows per page, 1 or more; clamped to 200. */
export function PageLimit(): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ type: 'integer', minimum: 1, default: 50 }),
    Omittable(),
    QueryCount(MAX_LIMIT),
  );
}

export function PageToken(): PropertyDecorator {
  return applyDecorators(Omittable(), IsString());
}

/** Messages per second, 1 or more; fractions allowed. */
export function MessagesPerSecond(): PropertyDecorator {
  return applyDecorators(IsNumber(), Min(1));
}

import { applyDecorators } from '@nestjs/common';
import { Transform, type TransformFnParams } from 'class-transformer';
import { buildMessage, Matches, ValidateBy, ValidateIf, IsString, IsNumber, Min } from 'class-validator';
import { ApiPropertyOptional } from '@nestjs/swagger';

/** Accepts undefined, but not null. */
export function Omittable(): PropertyDecorator {
  return ValidateIf((_, value) => value !== undefined);
}

/** Accepts undefined and null; null means "none" and, on update, "clear". */
export function Clearable(): PropertyDecorator {
  return ValidateIf((_, value) => value !== undefined && value !== null);
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

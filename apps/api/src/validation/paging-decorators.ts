import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import { Omittable, QueryCount } from './field-decorators.js';

const MAX_LIMIT = 200;

/** Rows on a page, 1 or more; larger is clamped to 200. */
export function PageLimit(): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ type: 'integer', minimum: 1, default: 50 }),
    Omittable(),
    QueryCount(MAX_LIMIT),
  );
}

/** Where the page before ended. */
export function PageToken(): PropertyDecorator {
  return applyDecorators(Omittable(), IsString());
}

/** Where this page ends; null on the last one. */
export function NextPageToken(): PropertyDecorator {
  return ApiProperty({ type: String, nullable: true, example: null });
}

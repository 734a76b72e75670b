import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsEmail, IsString, MaxLength } from 'class-validator';
import { NotBlank, Omittable } from '../validation/field-decorators.js';

/** Bounds the input before the password rules run; fits 256 characters of any kind. */
const MAX_PASSWORD_LENGTH = 1_024;

const EMAIL = { format: 'email', maxLength: 254, example: 'ada@example.com' };

function isEmail(): PropertyDecorator {
  return applyDecorators(
    // class-validator runs decorators from the bottom up; callers see the first error.
    MaxLength(EMAIL.maxLength),
    IsEmail({ require_tld: false }, { message: '$property must be an email address' }),
  );
}

export const OperatorEmail = (): PropertyDecorator => applyDecorators(ApiProperty(EMAIL), isEmail());

export const OptionalOperatorEmail = (): PropertyDecorator =>
  applyDecorators(ApiPropertyOptional(EMAIL), Omittable(), isEmail());

export const Password = (): PropertyDecorator =>
  applyDecorators(
    ApiProperty({ format: 'password', example: 'correct horse battery' }),
    MaxLength(MAX_PASSWORD_LENGTH),
    IsString(),
  );

export const PersonName = (): PropertyDecorator => applyDecorators(MaxLength(100), NotBlank(), IsString());

import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsEmail, IsString, MaxLength } from 'class-validator';
import { NotBlank, Omittable } from '../validation/field-decorators.js';

/** Characters of a password that are looked at before its own rules are: enough for 256 of any kind. */
const MAX_PASSWORD_LENGTH = 1_024;

const EMAIL = { format: 'email', maxLength: 254, example: 'ada@example.com' };

function isEmail(): PropertyDecorator {
  return applyDecorators(
    // class-validator reads from the bottom up; the first reason is told.
    MaxLength(EMAIL.maxLength),
    IsEmail({ require_tld: false }, { message: '$property must be an email address' }),
  );
}

/** Address of an operator. */
export const OperatorEmail = (): PropertyDecorator => applyDecorators(ApiProperty(EMAIL), isEmail());

export const OptionalOperatorEmail = (): PropertyDecorator =>
  applyDecorators(ApiPropertyOptional(EMAIL), Omittable(), isEmail());

export const Password = (): PropertyDecorator =>
  applyDecorators(
    ApiProperty({ format: 'password', example: 'correct horse battery' }),
    MaxLength(MAX_PASSWORD_LENGTH),
    IsString(),
  );

/** What an operator is called: 1 to 100 characters. */
export const PersonName = (): PropertyDecorator => applyDecorators(MaxLength(100), NotBlank(), IsString());

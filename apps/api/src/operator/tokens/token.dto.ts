import { ApiProperty } from '@nestjs/swagger';
import { ArrayNotEmpty, ArrayUnique, IsArray, IsIn, IsString, MaxLength } from 'class-validator';
import type { OperatorTokenView } from '#application/operator';
import { OPERATOR_TOKEN_SCOPES, type OperatorTokenScope } from '#domain/operator';
import { NotBlank } from '../../validation/field-decorators.js';

const MAX_NAME = 200;
const MAX_TIME = 64;
const SCOPES = { isArray: true, enum: OPERATOR_TOKEN_SCOPES, enumName: 'OperatorTokenScope' } as const;

/** Credential of a program for the operator API, without its text. */
export class OperatorTokenDto {
  /** @example '019a9b2e-8b20-7e15-9d26-6e3a7b8c9d01' */
  id!: string;

  /** @example 'Terraform' */
  name!: string;

  /**
   * First characters of the text.
   * @example 'uco_019a9b2e8b20'
   */
  prefix!: string;

  @ApiProperty({ ...SCOPES, example: ['applications:write'] })
  scopes!: OperatorTokenScope[];

  /** Email of the operator who created it, without whom it ends. null for a token of `ops`, which no operator ends. */
  @ApiProperty({ type: String, nullable: true, example: 'ada@example.com' })
  createdBy!: string | null;

  @ApiProperty({ format: 'date-time', example: '2026-11-21T09:30:00.000Z' })
  createdAt!: string;

  @ApiProperty({ format: 'date-time', example: '2027-02-19T09:30:00.000Z' })
  expiresAt!: string;

  /** Precise to the minute. null before the first use. */
  @ApiProperty({ type: String, nullable: true, format: 'date-time', example: '2026-11-21T10:12:00.000Z' })
  lastUsedAt!: string | null;

  static from({ createdAt, expiresAt, lastUsedAt, ...token }: OperatorTokenView): OperatorTokenDto {
    const { id, name, prefix, scopes, createdBy } = token;
    return {
      ...{ id, name, prefix, scopes, createdBy },
      createdAt: createdAt.toISOString(),
      expiresAt: expiresAt.toISOString(),
      lastUsedAt: lastUsedAt?.toISOString() ?? null,
    };
  }
}

/** Tokens, newest first, expired ones too. */
export class OperatorTokenListDto {
  data!: OperatorTokenDto[];
}

/** A new token with its text. */
export class NewOperatorTokenDto extends OperatorTokenDto {
  /**
   * The text, which no other response contains.
   * @example 'uco_019a9b2e8b207e159d266e3a7b8c9d01_Yk3b0n6rQ1y0mM0m3Zl5nX7bC9dE2fG4hJ6kL8mN0pQ'
   */
  token!: string;
}

/** A token to create. */
export class CreateOperatorTokenDto {
  /** @example 'Terraform' */
  @MaxLength(MAX_NAME)
  @NotBlank()
  @IsString()
  name!: string;

  /**
   * 7, 30, 90, 180 or 365 (days), or an ISO 8601 date or instant within 366 days.
   * @example '90'
   */
  @MaxLength(MAX_TIME)
  @IsString()
  expires!: string;

  @ApiProperty({ ...SCOPES, minItems: 1, uniqueItems: true, example: ['applications:write'] })
  @IsIn(OPERATOR_TOKEN_SCOPES, { each: true })
  @ArrayUnique()
  @ArrayNotEmpty()
  @IsArray()
  scopes!: OperatorTokenScope[];
}

import { ApiProperty } from '@nestjs/swagger';
import { ArrayNotEmpty, ArrayUnique, IsArray, IsIn, IsString, MaxLength } from 'class-validator';
import type { ApiKeyView } from '#application/applications';
import { API_KEY_SCOPES, type ApiKeyScope } from '#domain/applications';
import { NotBlank } from '../../validation/field-decorators.js';

const MAX_NAME = 200;
const MAX_TIME = 64;

/** A key of an application. Its text is nowhere. */
export class ApiKeyDto {
  /** @example '019a9b2e-8b20-7e15-9d26-6e3a7b8c9d01' */
  id!: string;

  /** @example 'Production server' */
  name!: string;

  /**
   * How its text begins: enough to tell it from others.
   * @example 'uck_019a9b2e8b20'
   */
  prefix!: string;

  @ApiProperty({ isArray: true, enum: API_KEY_SCOPES, enumName: 'ApiKeyScope', example: ['read', 'write'] })
  scopes!: ApiKeyScope[];

  /** Creation time. */
  @ApiProperty({ format: 'date-time', example: '2026-11-21T09:30:00.000Z' })
  createdAt!: string;

  /** When it ends; null: never. */
  @ApiProperty({ type: String, nullable: true, format: 'date-time', example: '2027-02-19T09:30:00.000Z' })
  expiresAt!: string | null;

  /** To the minute; null: not yet. */
  @ApiProperty({ type: String, nullable: true, format: 'date-time', example: '2026-11-21T10:12:00.000Z' })
  lastUsedAt!: string | null;

  /** null: it is not revoked. */
  @ApiProperty({ type: String, nullable: true, format: 'date-time', example: null })
  revokedAt!: string | null;

  static from({ apiKeyId: id, ...key }: ApiKeyView): ApiKeyDto {
    const { name, prefix, scopes, createdAt, expiresAt, lastUsedAt, revokedAt } = key;
    return { id, name, prefix, scopes, createdAt, expiresAt, lastUsedAt, revokedAt };
  }
}

/** The keys of an application, oldest first, revoked ones too. */
export class ApiKeyListDto {
  data!: ApiKeyDto[];
}

/** A new key, with its text. */
export class NewApiKeyDto extends ApiKeyDto {
  /**
   * The text. It is not shown again.
   * @example 'uck_019a9b2e8b207e159d266e3a7b8c9d01_Yk3b0n6rQ1y0mM0m3Zl5nX7bC9dE2fG4hJ6kL8mN0pQ'
   */
  apiKey!: string;
}

/** A key to be made. */
export class CreateApiKeyDto {
  /** @example 'Production server' */
  @MaxLength(MAX_NAME)
  @NotBlank()
  @IsString()
  name!: string;

  /**
   * 7, 30, 90, 180 or 365 (days), `never`, or an ISO 8601 date or instant.
   * @example '90'
   */
  @MaxLength(MAX_TIME)
  @IsString()
  expires!: string;

  @ApiProperty({ isArray: true, enum: API_KEY_SCOPES, enumName: 'ApiKeyScope', minItems: 1, uniqueItems: true })
  @IsIn(API_KEY_SCOPES, { each: true })
  @ArrayUnique()
  @ArrayNotEmpty()
  @IsArray()
  scopes!: ApiKeyScope[];
}

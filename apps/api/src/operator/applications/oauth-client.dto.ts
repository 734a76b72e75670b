import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayNotEmpty, ArrayUnique, IsArray, IsString, MaxLength } from 'class-validator';
import type { SignInProviderView } from '#application/oauth';
import { Clearable, NotBlank, Omittable } from '../../validation/field-decorators.js';
import { segmentOf } from './oauth-provider.js';
import { OAuthProviderField } from '../../validation/provider-fields.js';

const MAX_TEXT = 500;
const MAX_TIME = 64;
const SOURCES = ['application', 'installation', null] as const;

/** With what an application connects accounts of a provider. */
export class OAuthClientDto {
  @OAuthProviderField()
  provider!: string;

  /** Whose client it is: the application's own, that of the installation, or none yet. */
  @ApiProperty({ type: String, enum: SOURCES, nullable: true, example: 'application' })
  source!: (typeof SOURCES)[number];

  /** null: there is no client. */
  @ApiProperty({ type: String, nullable: true, example: '1234-abcd.apps.googleusercontent.com' })
  clientId!: string | null;

  /** What users are asked for; null: the default ones. */
  @ApiProperty({ type: [String], nullable: true, example: null })
  scopes!: string[] | null;

  /** What users are asked for unless the client says otherwise. */
  defaultScopes!: string[];

  /** microsoft: the directory whose users may sign in; null: any. */
  @ApiProperty({ type: String, nullable: true, example: null })
  tenant!: string | null;

  /** When the provider stops accepting the secret, as it was set; null: nobody has said. */
  @ApiProperty({ type: String, nullable: true, format: 'date-time', example: '2027-05-31T00:00:00.000Z' })
  expiresAt!: string | null;

  /**
   * To be registered at the provider, character by character.
   * @example 'https://calendar.example.com/api/v1/oauth/callback/google'
   */
  callbackUrl!: string;

  /** Since when its grants are held back: too many were refused at once. null: they are not. */
  @ApiProperty({ type: String, nullable: true, format: 'date-time', example: null })
  breakerTrippedSince!: string | null;

  static from({ providerType, ...view }: SignInProviderView): OAuthClientDto {
    return { provider: segmentOf(providerType), ...view };
  }
}

/** One for each of both providers. */
export class OAuthClientListDto {
  data!: OAuthClientDto[];
}

/** The client that an application is to have. */
export class SetOAuthClientDto {
  /**
   * As the provider issued it.
   * @example '1234-abcd.apps.googleusercontent.com'
   */
  @MaxLength(MAX_TEXT)
  @NotBlank()
  @IsString()
  clientId!: string;

  /** As the provider issued it; may be left out when the client has one and `clientId` stays. It is never shown. */
  @Omittable()
  @MaxLength(MAX_TEXT)
  @NotBlank()
  @IsString()
  clientSecret?: string;

  /** What users are asked for; null or left out: the default ones. */
  @ApiPropertyOptional({ type: [String], nullable: true, example: null })
  @Clearable()
  @MaxLength(MAX_TEXT, { each: true })
  @IsString({ each: true })
  @ArrayUnique()
  @ArrayNotEmpty()
  @IsArray()
  scopes?: string[] | null;

  /** microsoft: the id or domain of the directory whose users may sign in; null or left out: any. */
  @ApiPropertyOptional({ type: String, nullable: true, example: 'contoso.example' })
  @Clearable()
  @MaxLength(MAX_TEXT)
  @IsString()
  tenant?: string | null;

  /**
   * When the provider stops accepting the secret: an ISO 8601 date or instant; null: unknown. Left out: what is stored, as
   * long as the secret stays. Alerts warn 30, 14 and 3 days before.
   */
  @ApiPropertyOptional({ type: String, nullable: true, example: '2027-05-31' })
  @Clearable()
  @MaxLength(MAX_TIME)
  @IsString()
  expiresAt?: string | null;
}

import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform, type TransformFnParams } from 'class-transformer';
import { IsIn, IsString, MaxLength } from 'class-validator';
import { PROVIDERS } from '#providers';
import { OptionalBody } from '../validation/body-decorators.js';
import { Clearable, ClearableText, NotBlank, Omittable } from '../validation/field-decorators.js';
import { EVERY_PROVIDER } from '../validation/provider-fields.js';

const MAX_URL = 2_048;
const MAX_STATE = 4_096;
const MAX_EXTERNAL_ID = 255;
const MAX_SECRET = 128;
const QUOTED_TYPES = EVERY_PROVIDER.replaceAll(/[A-Z]{2,}/g, '`$&`');
const SLUGS = PROVIDERS.map(({ slug }) => slug);
const EXAMPLE = PROVIDERS.find(({ authentication }) => authentication === 'password')?.slug;

const InLowerCase = () =>
  Transform(({ value }: TransformFnParams): unknown => (typeof value === 'string' ? value.toLowerCase() : value));

/** One user, who is to connect one account. */
@OptionalBody()
export class CreateConnectLinkDto {
  /** Where the account is. */
  @ApiPropertyOptional({
    enum: SLUGS,
    nullable: true,
    description: `Where the account is; without it the user chooses. ${QUOTED_TYPES} are taken as well.`,
    example: EXAMPLE,
  })
  @Clearable()
  @InLowerCase()
  @IsIn(SLUGS)
  provider?: string | null;

  /** Where the user is sent back to: one of the redirect URLs of the application. Without it the first one of them. */
  @ClearableText({ maxLength: MAX_URL, example: 'https://app.example.com/connected' })
  redirectUrl?: string | null;

  /**
   * Id of the user in the application's own system, for the account that is connected. An account that has another one
   * keeps it: `external_id_mismatch`.
   */
  @ClearableText({ maxLength: MAX_EXTERNAL_ID, example: 'user-42' })
  externalId?: string | null;

  /** Comes back unchanged on the redirect; base64 recommended. */
  @ClearableText({ maxLength: MAX_STATE, example: 'eyJ1c2VyIjo0Mn0=' })
  state?: string | null;
}

/** Where to send the user's browser. */
export class ConnectLinkDto {
  /**
   * For this one user, and for one account: with it the account is connected, and the link is over.
   * @example 'https://calendar.example.com/api/v1/connect?link=mF9B5f41JqMxCi2Tn0u3W5bX8yZ0aA1cC2dD3eE4f5g'
   */
  url!: string;

  /** Thirty minutes from now. */
  @ApiProperty({ format: 'date-time', example: '2026-11-21T10:00:00.000Z' })
  expiresAt!: string;
}

export class ConnectPageQueryDto {
  @IsString()
  @NotBlank()
  @MaxLength(MAX_SECRET)
  link!: string;

  @Omittable()
  @IsIn(SLUGS)
  provider?: string;
}

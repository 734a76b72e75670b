import { ApiProperty, ApiPropertyOptional, PickType } from '@nestjs/swagger';
import { IsIn, IsString, MaxLength } from 'class-validator';
import { PROVIDERS } from '#providers';
import { CreateAuthorizationUrlDto } from '../oauth/oauth.dto.js';
import { OptionalBody } from '../validation/body-decorators.js';
import { Clearable, InLowerCase, NotBlank, Omittable } from '../validation/field-decorators.js';
import { EVERY_PROVIDER } from '../validation/provider-fields.js';

const MAX_SECRET = 128;
const QUOTED_TYPES = EVERY_PROVIDER.replaceAll(/[A-Z]{2,}/g, '`$&`');
const SLUGS = PROVIDERS.map(({ slug }) => slug);
const EXAMPLE = PROVIDERS.find(({ authentication }) => authentication === 'password')?.slug;

/** One user, who is to connect one account. */
@OptionalBody()
export class CreateConnectLinkDto extends PickType(CreateAuthorizationUrlDto, [
  'redirectUrl',
  'externalId',
  'state',
] as const) {
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

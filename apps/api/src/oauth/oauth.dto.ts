import { ApiProperty } from '@nestjs/swagger';
import { IsIn, IsString, MaxLength } from 'class-validator';
import { OAUTH_PROMPTS, type OAuthPrompt } from '#domain/oauth';
import {
  ClearableOneOf,
  ClearableText,
  InLowerCase,
  NotBlank,
  Omittable,
  OmittableOneOf,
} from '../validation/field-decorators.js';
import { OAUTH_SLUGS, OAUTH_TYPES } from '../validation/provider-fields.js';

const MAX_LOGIN = 320;
const MAX_URL = 2_048;
const MAX_STATE = 4_096;
const MAX_EXTERNAL_ID = 255;
const MAX_REQUEST = 128;
const QUOTED_OAUTH_TYPES = OAUTH_TYPES.replaceAll(/[A-Z]+/g, '`$&`');

/** What the application may say about a sign-in. */
export class AuthorizeQueryDto {
  /**
   * What the provider asks its user: for consent, for one of several accounts, or nothing at all. `none` ends with the
   * error `interaction_required` where the user would have to be asked.
   */
  @OmittableOneOf(OAUTH_PROMPTS, { enumName: 'OAuthPrompt', example: 'select_account' })
  prompt?: OAuthPrompt;

  /**
   * Email that the user must sign in with; any other account ends with the error `login_hint_mismatch`.
   * @example 'ada@example.com'
   */
  @Omittable()
  @IsString()
  @NotBlank()
  @MaxLength(MAX_LOGIN)
  loginHint?: string;

  /**
   * Where the user is sent back to: one of the redirect URLs of the application, letter for letter. Without it the first
   * one of them.
   * @example 'https://app.example.com/connected'
   */
  @Omittable()
  @IsString()
  @MaxLength(MAX_URL)
  redirectUrl?: string;

  /**
   * Comes back unchanged on the redirect; base64 recommended.
   * @example 'eyJ1c2VyIjo0Mn0='
   */
  @Omittable()
  @IsString()
  @MaxLength(MAX_STATE)
  state?: string;

  /**
   * Id of the user in the application's own system, for the account that is connected. An account that has another one
   * already keeps it: the sign-in ends with the error `external_id_mismatch`. Anybody can write this address: use
   * `POST /v1/oauth/authorizationUrls` for one that nobody can change.
   * @example 'user-42'
   */
  @Omittable()
  @IsString()
  @MaxLength(MAX_EXTERNAL_ID)
  externalId?: string;

  /**
   * A sign-in that the application has fixed: comes with an address of `POST /v1/oauth/authorizationUrls`, once, and
   * with no other parameter.
   * @example 'mF9B5f41JqMxCi2Tn0u3W5bX8yZ0aA1cC2dD3eE4f5g'
   */
  @Omittable()
  @IsString()
  @MaxLength(MAX_REQUEST)
  request?: string;
}

/** A sign-in of one user, whose browser can change nothing of it. */
export class CreateAuthorizationUrlDto {
  /** Where the user signs in. */
  @ApiProperty({
    enum: OAUTH_SLUGS,
    description: `Where the user signs in, as in the address without a key. ${QUOTED_OAUTH_TYPES} are taken as well.`,
    example: OAUTH_SLUGS[0],
  })
  @InLowerCase()
  @IsIn(OAUTH_SLUGS)
  provider!: string;

  /** Where the user is sent back to: one of the redirect URLs of the application. Without it the first one of them. */
  @ClearableText({ maxLength: MAX_URL, example: 'https://app.example.com/connected' })
  redirectUrl?: string | null;

  /** Email that the user must sign in with. */
  @ClearableText({ example: 'ada@example.com' })
  @NotBlank()
  @MaxLength(MAX_LOGIN)
  loginHint?: string | null;

  /**
   * Id of the user in the application's own system, for the account that is connected. An account that has another one
   * keeps it: `external_id_mismatch`.
   */
  @ClearableText({ maxLength: MAX_EXTERNAL_ID, example: 'user-42' })
  externalId?: string | null;

  /** What the provider asks its user. */
  @ClearableOneOf(OAUTH_PROMPTS, { enumName: 'OAuthPrompt', example: 'select_account' })
  prompt?: OAuthPrompt | null;

  /** Comes back unchanged on the redirect; base64 recommended. */
  @ClearableText({ maxLength: MAX_STATE, example: 'eyJ1c2VyIjo0Mn0=' })
  state?: string | null;
}

/** Where to send the user's browser. */
export class AuthorizationUrlDto {
  /**
   * For this one user, and for one visit: whoever opens it begins the sign-in.
   * @example 'https://calendar.example.com/api/v1/oauth/authorize/019a9b2d-0b7e-7b70-8f3a-64a1c2d3e4f5/google?request=mF9B5f41JqMxCi2Tn0u3W5bX8yZ0aA1cC2dD3eE4f5g'
   */
  url!: string;

  /** Ten minutes from now. */
  @ApiProperty({ format: 'date-time', example: '2026-11-21T09:40:00.000Z' })
  expiresAt!: string;
}

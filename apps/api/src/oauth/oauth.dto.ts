import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsString, MaxLength } from 'class-validator';
import { OAUTH_PROMPTS, type OAuthPrompt } from '#domain';
import { NotBlank, Omittable } from '../validation/field-decorators.js';

const MAX_LOGIN = 320;
const MAX_URL = 2_048;
const MAX_STATE = 4_096;
const MAX_EXTERNAL_ID = 255;

/** What the application may say about a sign-in. */
export class AuthorizeQueryDto {
  /**
   * What the provider asks its user: for consent, for one of several accounts, or nothing at all. `none` ends with the
   * error `interaction_required` where the user would have to be asked.
   */
  @ApiPropertyOptional({ enum: OAUTH_PROMPTS, enumName: 'OAuthPrompt', example: 'select_account' })
  @Omittable()
  @IsIn(OAUTH_PROMPTS)
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
}

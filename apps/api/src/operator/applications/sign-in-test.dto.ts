import { ApiProperty } from '@nestjs/swagger';
import type { SignInTestView } from '#application/oauth';
import { segmentOf } from './oauth-provider.js';
import { OAuthProviderField } from '../../validation/provider-fields.js';

const STATES = ['running', 'passed', 'failed'] as const;

/** A test that waits for the browser to come back from the provider. */
export class StartedSignInTestDto {
  /** @example '019a9b2e-8b20-7e15-9d26-6e3a7b8c9d01' */
  testId!: string;

  /**
   * Address at the provider to open in the browser.
   * @example 'https://accounts.google.com/o/oauth2/v2/auth?client_id=…'
   */
  authorizationUrl!: string;
}

/** Why a test failed. */
export class SignInTestErrorDto {
  /** @example 'client_refused' */
  code!: string;

  /** The failure, and how to mend it. */
  message!: string;
}

/** State and result of a test. */
export class SignInTestDto {
  @OAuthProviderField()
  provider!: string;

  @ApiProperty({ enum: STATES, example: 'passed' })
  state!: SignInTestView['state'];

  /** Address of the account that signed in, as the provider reports it. */
  @ApiProperty({ type: String, nullable: true, example: 'ada@example.com' })
  email!: string | null;

  grantedScopes!: string[];

  /** Requested scopes that the user did not grant. */
  missingScopes!: string[];

  /** Whether the provider issued a refresh token; null when it issued no tokens. */
  @ApiProperty({ type: Boolean, nullable: true, example: true })
  hasRefreshToken!: boolean | null;

  @ApiProperty({ type: SignInTestErrorDto, nullable: true })
  error!: SignInTestErrorDto | null;

  static from({ providerType, ...view }: SignInTestView): SignInTestDto {
    return { provider: segmentOf(providerType), ...view };
  }
}

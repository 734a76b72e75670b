import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsString, MaxLength } from 'class-validator';
import type { ProviderType } from '#domain/accounts';
import {
  ClearableText,
  NotBlank,
  Omittable,
  OmittableOneOf,
  PageLimit,
  PageToken,
  QueryCount,
} from '../validation/field-decorators.js';
import { ReadOnlyFields } from '../validation/body-decorators.js';
import { OAUTH_TYPES, PASSWORD_TYPES, ProviderTypeInput } from '../validation/provider-fields.js';

const MAX_LOGIN = 320;
const MAX_SECRET = 4_096;
const MAX_EXTERNAL_ID = 255;
const MAX_URL = 2_048;
const MAX_LIMIT = 200;
const SET_BY_SERVICE = 'Set by the service.';

/** An account to create, or new credentials for one that exists. */
@ReadOnlyFields({
  id: SET_BY_SERVICE,
  applicationId: SET_BY_SERVICE,
  status: SET_BY_SERVICE,
  authorizedScopes: 'Set by the service: what the user granted.',
  providerAccountId: SET_BY_SERVICE,
  providerId: SET_BY_SERVICE,
  createdAt: SET_BY_SERVICE,
  updatedAt: SET_BY_SERVICE,
})
export class UpsertEndUserAccountDto {
  /**
   * Email of the user; for CALDAV the login at the server.
   * @example 'ada'
   */
  @IsString()
  @NotBlank()
  @MaxLength(MAX_LOGIN)
  email!: string;

  /** The provider. */
  @ProviderTypeInput()
  providerType!: ProviderType;

  /** Id of the user in the application's own system. Sets or replaces it; null removes it. */
  @ClearableText({ maxLength: MAX_EXTERNAL_ID, example: 'user-42' })
  externalId?: string | null;

  /** OAuth refresh token. */
  @ClearableText({
    maxLength: MAX_SECRET,
    writeOnly: true,
    description: `OAuth refresh token. Required for ${OAUTH_TYPES}.`,
    example: null,
  })
  refreshToken?: string | null;

  /** App-specific password. */
  @ClearableText({
    maxLength: MAX_SECRET,
    writeOnly: true,
    description: `App-specific password. Required for ${PASSWORD_TYPES}.`,
    example: 'correct horse battery staple',
  })
  password?: string | null;

  /** Address of the server. Required for CALDAV, ignored for the others. */
  @ClearableText({ maxLength: MAX_URL, example: 'https://dav.example.com/' })
  serverUrl?: string | null;
}

/** Filters and paging of the account list. */
export class ListEndUserAccountsQueryDto {
  /**
   * Accounts on a page; larger is clamped to 200.
   * @example 50
   */
  @PageLimit()
  limit?: number;

  /**
   * Another name of `limit`.
   * @example 50
   */
  @ApiPropertyOptional({ type: 'integer', minimum: 1 })
  @Omittable()
  @QueryCount(MAX_LIMIT)
  pageSize?: number;

  /** `nextPageToken` of the page before, whose filters it knows. */
  @PageToken()
  pageToken?: string;

  /**
   * Part of the email or of the external id, in any case of letters, taken literally.
   * @example 'ada'
   */
  @Omittable()
  @IsString()
  @MaxLength(MAX_LOGIN)
  search?: string;

  /** Accounts of one status; without it all of them. */
  @OmittableOneOf(['active', 'expired'], { enumName: 'StatusFilter' })
  statusFilter?: 'active' | 'expired';
}

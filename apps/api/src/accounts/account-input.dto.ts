import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsString, MaxLength } from 'class-validator';
import { PROVIDER_TYPES, type ProviderType } from '#domain';
import { Clearable, NotBlank, Omittable, QueryCount } from '../validation/field-decorators.js';
import { ReadOnlyField } from '../validation/read-only-field.decorator.js';
import { PageLimit, PageToken } from '../validation/paging-decorators.js';

const MAX_LOGIN = 320;
const MAX_SECRET = 4_096;
const MAX_EXTERNAL_ID = 255;
const MAX_URL = 2_048;
const MAX_LIMIT = 200;

/** Credentials of an Apple account. */
export class ConnectAppleDto {
  /**
   * Email of the Apple account.
   * @example 'ada@icloud.com'
   */
  @IsString()
  @NotBlank()
  @MaxLength(MAX_LOGIN)
  email!: string;

  /**
   * App-specific password, made at account.apple.com; not the password of the account itself.
   * @example 'abcd-efgh-ijkl-mnop'
   */
  @IsString()
  @NotBlank()
  @MaxLength(MAX_SECRET)
  password!: string;

  /** Id of the user in the application's own system. Sets or replaces it; null removes it. */
  @ApiPropertyOptional({ type: String, nullable: true, maxLength: MAX_EXTERNAL_ID, example: 'user-42' })
  @Clearable()
  @IsString()
  @MaxLength(MAX_EXTERNAL_ID)
  externalId?: string | null;
}

/** Credentials of an account at a CalDAV server. */
export class ConnectCalDavDto {
  /**
   * Address of the server: https, public, the scheme may be left out. Its base address is enough: calendars are
   * discovered (RFC 6764).
   * @example 'dav.example.com'
   */
  @IsString()
  @NotBlank()
  @MaxLength(MAX_URL)
  serverUrl!: string;

  /**
   * Login at the server, which may be a plain user name.
   * @example 'ada'
   */
  @IsString()
  @NotBlank()
  @MaxLength(MAX_LOGIN)
  email!: string;

  /**
   * Password at the server; most hosted providers want an app-specific one.
   * @example 'correct horse battery staple'
   */
  @IsString()
  @NotBlank()
  @MaxLength(MAX_SECRET)
  password!: string;

  /** Id of the user in the application's own system. Sets or replaces it; null removes it. */
  @ApiPropertyOptional({ type: String, nullable: true, maxLength: MAX_EXTERNAL_ID, example: 'user-42' })
  @Clearable()
  @IsString()
  @MaxLength(MAX_EXTERNAL_ID)
  externalId?: string | null;
}

/** An account to create, or new credentials for one that exists. */
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
  @ApiProperty({ enum: PROVIDER_TYPES, enumName: 'ProviderType', example: 'CALDAV' })
  @IsIn(PROVIDER_TYPES)
  providerType!: ProviderType;

  /** Id of the user in the application's own system. Sets or replaces it; null removes it. */
  @ApiPropertyOptional({ type: String, nullable: true, maxLength: MAX_EXTERNAL_ID, example: 'user-42' })
  @Clearable()
  @IsString()
  @MaxLength(MAX_EXTERNAL_ID)
  externalId?: string | null;

  /** OAuth refresh token. Required for GOOGLE and MICROSOFT. */
  @ApiPropertyOptional({ type: String, nullable: true, writeOnly: true, example: null })
  @Clearable()
  @IsString()
  @MaxLength(MAX_SECRET)
  refreshToken?: string | null;

  /** App-specific password. Required for APPLE and CALDAV. */
  @ApiPropertyOptional({ type: String, nullable: true, writeOnly: true, example: 'correct horse battery staple' })
  @Clearable()
  @IsString()
  @MaxLength(MAX_SECRET)
  password?: string | null;

  /** Address of the server. Required for CALDAV, ignored for the others. */
  @ApiPropertyOptional({ type: String, nullable: true, maxLength: MAX_URL, example: 'https://dav.example.com/' })
  @Clearable()
  @IsString()
  @MaxLength(MAX_URL)
  serverUrl?: string | null;

  /** Set by the service. */
  @ReadOnlyField()
  id?: unknown;

  /** Set by the service. */
  @ReadOnlyField()
  applicationId?: unknown;

  /** Set by the service. */
  @ReadOnlyField()
  status?: unknown;

  /** Set by the service: what the user granted. */
  @ReadOnlyField()
  authorizedScopes?: unknown;

  /** Set by the service. */
  @ReadOnlyField()
  providerAccountId?: unknown;

  /** Set by the service. */
  @ReadOnlyField()
  providerId?: unknown;

  /** Set by the service. */
  @ReadOnlyField()
  createdAt?: unknown;

  /** Set by the service. */
  @ReadOnlyField()
  updatedAt?: unknown;
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
  @ApiPropertyOptional({ enum: ['active', 'expired'], enumName: 'StatusFilter' })
  @Omittable()
  @IsIn(['active', 'expired'])
  statusFilter?: 'active' | 'expired';
}

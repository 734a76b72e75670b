import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ACCOUNT_STATUSES, type AccountStatus, type ProviderType } from '#domain/accounts';
import { PASSWORD_TYPES, ProviderTypeField } from '../validation/provider-fields.js';
import { PageDto } from '../validation/page.dto.js';

/** One user's authenticated account at one provider. */
export class EndUserAccountDto {
  /**
   * Unique identifier.
   * @example '019a9b2e-5f0c-7cc1-9d1e-3a8f0b6f2a11'
   */
  id!: string;

  /** Creation time. */
  @ApiProperty({ format: 'date-time', example: '2026-11-21T09:30:00.000Z' })
  createdAt!: string;

  /** Time of the last change. */
  @ApiProperty({ format: 'date-time', example: '2026-11-21T09:30:00.000Z' })
  updatedAt!: string;

  /**
   * Email of the user. For CALDAV the login at the server, which may be a plain user name.
   * @example 'ada@example.com'
   */
  email!: string;

  /**
   * Id of the user in the application's own system; an empty string when none was given.
   * @example 'user-42'
   */
  externalId!: string;

  @ApiProperty({
    type: [String],
    description: `Scopes that the user granted; empty for ${PASSWORD_TYPES}.`,
    example: [],
  })
  authorizedScopes!: string[];

  /** Id of the account in the provider's own system; null where there is none. */
  @ApiProperty({ type: String, nullable: true, example: null })
  providerAccountId!: string | null;

  /**
   * Opaque, stable id of the application's configuration of the provider.
   * @example '019a9b2e-5f0c-7cc1-9d1e-aa10f00dcafe'
   */
  providerId!: string;

  /**
   * The application that owns the account.
   * @example '019a9b2d-0b7e-7b70-8f3a-64a1c2d3e4f5'
   */
  applicationId!: string;

  /** EXPIRED: the provider no longer accepts the credentials; calendars and events cannot be accessed. */
  @ApiProperty({ enum: ACCOUNT_STATUSES, enumName: 'EndUserAccountStatus', example: 'ACTIVE' })
  status!: AccountStatus;

  /** The provider. */
  @ProviderTypeField({ atServer: true })
  providerType!: ProviderType;

  /** Address of the CalDAV server, normalised; null for every other provider. */
  @ApiProperty({ type: String, nullable: true, example: 'https://dav.example.com/' })
  serverUrl!: string | null;

  /**
   * Only of an account whose provider gives nothing that can be used at present: since when what is shown is not what it
   * has.
   */
  @ApiPropertyOptional({ format: 'date-time', example: '2026-11-21T09:30:00.000Z' })
  staleSince?: string;
}

/** A page of accounts, newest first. */
export class EndUserAccountPageDto extends PageDto {
  /** The accounts. */
  data!: EndUserAccountDto[];
}

/** What the service holds to act for an account. */
export class CredentialsDto {
  /**
   * Unique identifier of the credentials.
   * @example '019a9b2e-6001-7d52-a2b4-0c1d2e3f4a5b'
   */
  id!: string;

  /**
   * The account they belong to.
   * @example '019a9b2e-5f0c-7cc1-9d1e-3a8f0b6f2a11'
   */
  endUserAccountId!: string;

  /** OAuth access token, valid for five minutes or more; null for accounts that have a password. */
  @ApiProperty({ type: String, nullable: true, example: null })
  accessToken!: string | null;

  /** OAuth refresh token; null for accounts that have a password. The password is never given out. */
  @ApiProperty({ type: String, nullable: true, example: null })
  refreshToken!: string | null;

  /** When the access token expires; null for accounts that have a password. */
  @ApiProperty({ type: String, nullable: true, format: 'date-time', example: null })
  expiresAt!: string | null;

  /** Always ACTIVE: the credentials of an EXPIRED account are not given out. */
  @ApiProperty({ enum: ['ACTIVE'], example: 'ACTIVE' })
  status!: 'ACTIVE';

  /** Creation time. */
  @ApiProperty({ format: 'date-time', example: '2026-11-21T09:30:00.000Z' })
  createdAt!: string;

  /** Time of the last change. */
  @ApiProperty({ format: 'date-time', example: '2026-11-21T09:30:00.000Z' })
  updatedAt!: string;
}

/** The account was removed. */
export class AccountDeletedDto {
  /**
   * A sentence for people.
   * @example 'The end user account was deleted.'
   */
  message!: string;

  /**
   * Always true.
   * @example true
   */
  ok!: boolean;

  /**
   * Always true.
   * @example true
   */
  success!: boolean;
}

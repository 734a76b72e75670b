import { ApiProperty } from '@nestjs/swagger';
import type { ProviderType } from '#domain/accounts';
import { PROVIDERS } from '#providers';
import { ProviderTypeField } from '../../validation/provider-fields.js';

const AUTHENTICATIONS = ['oauth', 'password', 'url'] as const;

/** What an operator reads who registers an OAuth client. */
export class OAuthClientFormDto {
  /** Where a client is registered, and as what: it follows "Register a client in the". */
  console!: string;

  /**
   * What the console calls the list that the callback URL goes into.
   * @example 'Authorized redirect URIs'
   */
  redirectName!: string;

  /** What the tenant of a client restricts; null: clients have none. */
  @ApiProperty({ type: String, nullable: true, example: null })
  tenant!: string | null;

  /** What users are asked for unless the client says otherwise. */
  defaultScopes!: string[];
}

/** A provider that accounts are connected with. */
export class ProviderDto {
  @ProviderTypeField()
  type!: ProviderType;

  /** How paths name it: the type in lower case. */
  slug!: string;

  /** What people call it. */
  label!: string;

  /** The path (`d`) of an SVG icon of 24 by 24, filled by the even-odd rule. */
  icon!: string;

  /** How its accounts connect: by a sign-in, with a password, or with the secret address of a calendar. */
  @ApiProperty({ enum: AUTHENTICATIONS, example: 'oauth' })
  authentication!: (typeof AUTHENTICATIONS)[number];

  /** Whether it reports changes by itself. Else calendars are polled, where their application wants that. */
  reportsChanges!: boolean;

  /** null: accounts connect without one. */
  @ApiProperty({ type: OAuthClientFormDto, nullable: true })
  oauthClient!: OAuthClientFormDto | null;
}

/** Every provider. */
export class ProviderListDto {
  data!: ProviderDto[];

  static ofAll(): ProviderListDto {
    return {
      data: PROVIDERS.map(({ type, slug, label, icon, authentication, notifications, oauthClient }) => ({
        ...{ type, slug, label, icon, authentication },
        reportsChanges: notifications !== undefined,
        oauthClient:
          oauthClient === undefined
            ? null
            : {
                ...oauthClient,
                tenant: oauthClient.tenant ?? null,
                defaultScopes: [...oauthClient.defaultScopes],
              },
      })),
    };
  }
}

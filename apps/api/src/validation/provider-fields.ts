import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { OAUTH_PROVIDERS, PROVIDER_TYPES, PROVIDERS } from '#providers';
import { Omittable } from './field-decorators.js';

/** `A, B and C`. */
const listed = (names: readonly string[]) => new Intl.ListFormat('en-GB').format(names);

export const EVERY_PROVIDER = listed(PROVIDER_TYPES);
export const OAUTH_SLUGS = OAUTH_PROVIDERS.map(({ slug }) => slug);
/** `A and B`: the types of providers by how accounts authenticate. */
export const OAUTH_TYPES = listed(OAUTH_PROVIDERS.map(({ type }) => type));
export const PASSWORD_TYPES = listed(
  PROVIDERS.filter(({ authentication }) => authentication === 'password').map(({ type }) => type),
);

const OF_OAUTH = OAUTH_PROVIDERS[0]?.type;
const OF_SERVER = PROVIDERS.find(({ connect }) => connect?.namesServer)?.type;

interface ProviderTypeOptions {
  nullable?: true;
  /** Whether the example is an account at a server of the user's choice. */
  atServer?: true;
}

/** The type of a provider, in a response. */
export const ProviderTypeField = ({ atServer, ...options }: ProviderTypeOptions = {}): PropertyDecorator =>
  ApiProperty({
    enum: PROVIDER_TYPES,
    enumName: 'ProviderType',
    ...options,
    example: atServer === true ? OF_SERVER : OF_OAUTH,
  });

/** The type of a provider, in a request. */
export const ProviderTypeInput = (): PropertyDecorator =>
  applyDecorators(IsIn(PROVIDER_TYPES), ProviderTypeField({ atServer: true }));

/** The type of a provider, as a filter. */
export const ProviderTypeFilter = (): PropertyDecorator =>
  applyDecorators(
    IsIn(PROVIDER_TYPES),
    Omittable(),
    ApiPropertyOptional({ enum: PROVIDER_TYPES, enumName: 'ProviderType' }),
  );

/** A provider that users sign in at, as paths name it. */
export const OAuthProviderField = (): PropertyDecorator =>
  ApiProperty({ enum: OAUTH_SLUGS, enumName: 'OAuthProvider', example: OAUTH_SLUGS[0] });

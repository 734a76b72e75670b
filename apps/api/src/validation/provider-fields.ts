import { applyDecorators } from '@nestjs/common';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn } from 'class-validator';
import { OAUTH_PROVIDERS, PROVIDER_TYPES, PROVIDERS } from '#providers';
import { Omittable } from './field-decorators.js';

/** Formats `A, B and C`. */
const listed = (names: readonly string[]) => new Intl.ListFormat('en-GB').format(names);

export const EVERY_PROVIDER = listed(PROVIDER_TYPES);
export const OAUTH_SLUGS = OAUTH_PROVIDERS.map(({ slug }) => slug);
export const OAUTH_TYPES = listed(OAUTH_PROVIDERS.map(({ type }) => type));
export const PASSWORD_TYPES = listed(
  PROVIDERS.filter(({ authentication }) => authentication === 'password').map(({ type }) => type),
);

const OF_OAUTH = OAUTH_PROVIDERS[0]?.type;
const OF_SERVER = PROVIDERS.find(({ connect }) => connect?.namesServer)?.type;

interface ProviderTypeOptions {
  nullable?: true;
  atServer?: true;
}

export const ProviderTypeField = ({ atServer, ...options }: ProviderTypeOptions = {}): PropertyDecorator =>
  ApiProperty({
    enum: PROVIDER_TYPES,
    enumName: 'ProviderType',
    ...options,
    example: atServer === true ? OF_SERVER : OF_OAUTH,
  });

export const ProviderTypeInput = (): PropertyDecorator =>
  applyDecorators(IsIn(PROVIDER_TYPES), ProviderTypeField({ atServer: true }));

export const ProviderTypeFilter = (): PropertyDecorator =>
  applyDecorators(
    IsIn(PROVIDER_TYPES),
    Omittable(),
    ApiPropertyOptional({ enum: PROVIDER_TYPES, enumName: 'ProviderType' }),
  );

export const OAuthProviderField = (): PropertyDecorator =>
  ApiProperty({ enum: OAUTH_SLUGS, enumName: 'OAuthProvider', example: OAUTH_SLUGS[0] });

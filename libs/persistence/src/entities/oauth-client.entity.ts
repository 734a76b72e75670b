import { defineEntity, p } from '@mikro-orm/core';
import type { ProviderType } from '#domain';
import { EncryptedType } from '../encryption/encrypted.type.js';
import { ApplicationEntity } from './application.entity.js';
import { ownedByApplication } from './tenancy.js';

/** An application's own OAuth client at one provider. */
export const OAuthClientEntity = defineEntity({
  name: 'OAuthClient',
  tableName: 'oauth_client',
  ...ownedByApplication(),
  properties: {
    /** Another one with every replacement: the ciphertext is bound to it. */
    id: p.uuid().primary(),
    application: () => p.manyToOne(ApplicationEntity).deleteRule('cascade'),
    providerType: p.text().$type<ProviderType>(),
    clientId: p.text(),
    clientSecret: p.type(EncryptedType),
    scopes: p.array().nullable(),
    tenant: p.text().nullable(),
    updatedAt: p.datetime(3),
  },
  uniques: [{ name: 'oauth_client_key', properties: ['application', 'providerType'] }],
});

import { defineEntity, p } from '@mikro-orm/core';
import { ApplicationEntity } from './application.entity.js';
import { ownedByApplication } from './tenancy.js';

/** An application's configuration of one provider. Its id is the `providerId` that accounts show: opaque and stable. */
export const ProviderConfigurationEntity = defineEntity({
  name: 'ProviderConfiguration',
  tableName: 'provider_configuration',
  ...ownedByApplication(),
  properties: {
    id: p.uuid().primary(),
    application: () => p.manyToOne(ApplicationEntity).deleteRule('cascade'),
    providerType: p.text(),
    createdAt: p.datetime(3),
  },
  uniques: [{ name: 'provider_configuration_key', properties: ['application', 'providerType'] }],
});

import { defineEntity, p } from '@mikro-orm/core';
import type { JsonObject } from '#domain';
import { ApplicationEntity } from './application.entity.js';
import { ProviderConfigurationEntity } from './provider-configuration.entity.js';
import { ownedByApplication } from './tenancy.js';

export const EndUserAccountEntity = defineEntity({
  name: 'EndUserAccount',
  tableName: 'end_user_account',
  ...ownedByApplication(),
  properties: {
    id: p.uuid().primary(),
    application: () => p.manyToOne(ApplicationEntity).deleteRule('cascade'),
    providerConfiguration: () => p.manyToOne(ProviderConfigurationEntity).deleteRule('cascade').index(),
    /** Plain text: a new provider needs no migration. */
    providerType: p.text(),
    email: p.text(),
    externalId: p.text().nullable(),
    authorizedScopes: p.array(),
    providerAccountId: p.text().nullable(),
    status: p.text(),
    statusReason: p.text().nullable(),
    serverUrl: p.text().nullable(),
    providerState: p.json<JsonObject>().nullable(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  // One account per person where the provider tells persons apart, else one per login. A server of the user's choice may
  // tell `Ada` from `ada`; a service that has email addresses for logins does not.
  uniques: [
    {
      name: 'end_user_account_of_person',
      expression:
        'create unique index "end_user_account_of_person" on "end_user_account" ' +
        '("application_id", "provider_type", "provider_account_id") where "provider_account_id" is not null',
    },
    {
      name: 'end_user_account_of_login',
      // server_url is null unless the user chose the server, and a plain unique index takes nulls for different.
      expression:
        'create unique index "end_user_account_of_login" on "end_user_account" ' +
        `("application_id", "provider_type", (case when "server_url" is null then lower("email") else "email" end), ` +
        '"server_url") nulls not distinct ' +
        'where "provider_account_id" is null',
    },
  ],
  indexes: [
    {
      name: 'end_user_account_newest_first',
      expression:
        'create index "end_user_account_newest_first" on "end_user_account" ' +
        '("application_id", "created_at" desc, "id" desc)',
    },
  ],
});

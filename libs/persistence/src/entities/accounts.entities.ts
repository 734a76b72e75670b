import { defineEntity, p } from '@mikro-orm/core';
import type { AccountStatus, AccountStatusReason, ProviderType } from '#domain/accounts';
import type { JsonObject } from '#domain/system';
import { ApplicationEntity } from './applications.entities.js';
import { ProviderConfigurationEntity } from './providers.entities.js';
import { ownedByApplication } from './tenancy.js';
import { EncryptedType } from '../encryption/encrypted.type.js';

export const EndUserAccountEntity = defineEntity({
  name: 'EndUserAccount',
  tableName: 'end_user_account',
  ...ownedByApplication(),
  properties: {
    id: p.uuid().primary(),
    application: () => p.manyToOne(ApplicationEntity).deleteRule('cascade'),
    providerConfiguration: () => p.manyToOne(ProviderConfigurationEntity).deleteRule('cascade').index(),
    /** Text instead of an enum: a new provider needs no migration. */
    providerType: p.text().$type<ProviderType>(),
    email: p.text(),
    externalId: p.text().nullable(),
    authorizedScopes: p.array(),
    providerAccountId: p.text().nullable(),
    status: p.text().$type<AccountStatus>(),
    statusReason: p.text().$type<AccountStatusReason>().nullable(),
    serverUrl: p.text().nullable(),
    providerState: p.json<JsonObject>().nullable(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  // One account per person where the provider identifies persons, else one per login. A server of the user's choice may
  // distinguish `Ada` from `ada`; a service with email logins does not.
  uniques: [
    {
      name: 'end_user_account_of_person',
      expression:
        'create unique index "end_user_account_of_person" on "end_user_account" ' +
        '("application_id", "provider_type", "provider_account_id") where "provider_account_id" is not null',
    },
    {
      name: 'end_user_account_of_login',
      // server_url is null unless the user chose the server, and a plain unique index treats nulls as distinct.
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

/** State of the credential checks. A separate table, because it must not change the `updatedAt` of the account. */
export const CredentialCheckEntity = defineEntity({
  name: 'AccountHealth',
  tableName: 'credential_check',
  ...ownedByApplication(),
  properties: {
    endUserAccount: () => p.oneToOne(EndUserAccountEntity).owner().primary().deleteRule('cascade'),
    application: () => p.manyToOne(ApplicationEntity).deleteRule('cascade').index(),
    /** null until the account has its place in the interval. */
    nextCheckAt: p.datetime(3).nullable().index(),
    /** null before the first check. */
    checkedAt: p.datetime(3).nullable(),
    lastUsedAt: p.datetime(3).nullable(),
    /** When the provider last accepted the credentials. */
    acceptedAt: p.datetime(3).nullable(),
    /** Version of the credentials that the provider rejected, and when it first did; null when it did not. */
    rejectedVersion: p.integer().nullable(),
    firstRejectedAt: p.datetime(3).nullable(),
  },
  indexes: [
    {
      name: 'credential_check_rejected',
      expression:
        'create index "credential_check_rejected" on "credential_check" ("application_id") ' +
        'where "rejected_version" is not null',
    },
  ],
});

export const AccountStatusChangeEntity = defineEntity({
  name: 'AccountStatusChange',
  tableName: 'account_status_change',
  ...ownedByApplication(),
  properties: {
    id: p.uuid().primary(),
    applicationId: p.uuid(),
    account: () => p.manyToOne(EndUserAccountEntity).deleteRule('cascade'),
    /** `CONNECTED` stands for created or reconnected. */
    status: p.text().$type<AccountStatus | 'CONNECTED'>(),
    reason: p.text().nullable(),
    changedAt: p.datetime(3),
  },
  indexes: [{ name: 'account_status_change_of_account', properties: ['account', 'changedAt'] }],
});

export const CredentialEntity = defineEntity({
  name: 'Credential',
  tableName: 'credential',
  ...ownedByApplication(),
  properties: {
    id: p.uuid().primary(),
    application: () => p.manyToOne(ApplicationEntity).deleteRule('cascade').index(),
    endUserAccount: () => p.oneToOne(EndUserAccountEntity).owner().deleteRule('cascade'),
    secret: p.type(EncryptedType),
    /** Incremented by every write, to fence late writers. */
    rowVersion: p.integer(),
    /** The client that holds the grant; null for passwords. */
    oauthClientId: p.text().nullable(),
    leaseId: p.uuid().nullable(),
    leasedUntil: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  indexes: [
    {
      name: 'credential_of_oauth_client',
      expression:
        'create index "credential_of_oauth_client" on "credential" ("oauth_client_id") ' +
        'where "oauth_client_id" is not null',
    },
  ],
});

export const FailedConnectEntity = defineEntity({
  name: 'FailedConnect',
  tableName: 'failed_connect',
  ...ownedByApplication(),
  properties: {
    id: p.uuid().primary(),
    application: () => p.manyToOne(ApplicationEntity).deleteRule('cascade'),
    actor: p.text(),
    /** HMAC of provider type and login. */
    loginHash: p.type('bytea').$type<Buffer>(),
    rejectedAt: p.datetime(3).index(),
  },
  indexes: [
    { name: 'failed_connect_of_login', properties: ['application', 'loginHash', 'rejectedAt'] },
    { name: 'failed_connect_of_actor', properties: ['application', 'actor', 'rejectedAt'] },
  ],
});

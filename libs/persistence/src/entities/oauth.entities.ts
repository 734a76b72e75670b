import { defineEntity, p } from '@mikro-orm/core';
import type { ProviderType } from '#domain';
import { EncryptedType, DisposableSecretType } from '../encryption/encrypted.type.js';
import { ApplicationEntity } from './applications.entities.js';
import { ownedByApplication, systemOnly } from './tenancy.js';

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

/** Where an application lets its users be sent back to after they signed in. */
export const RedirectUrlEntity = defineEntity({
  name: 'RedirectUrl',
  tableName: 'redirect_url',
  ...ownedByApplication(),
  properties: {
    id: p.uuid().primary(),
    application: () => p.manyToOne(ApplicationEntity).deleteRule('cascade'),
    url: p.text(),
    createdAt: p.datetime(3),
  },
  uniques: [{ name: 'redirect_url_key', properties: ['application', 'url'] }],
});

/** One sign-in under way, or one that an application has made an address for. */
export const OAuthAttemptEntity = defineEntity({
  name: 'OAuthAttempt',
  tableName: 'oauth_attempt',
  ...ownedByApplication(),
  properties: {
    id: p.uuid().primary(),
    application: () => p.manyToOne(ApplicationEntity).deleteRule('cascade').index(),
    providerType: p.text(),
    stateHash: p.type('bytea').$type<Buffer>().unique('oauth_attempt_state'),
    /** JSON of the rest of `OAuthAttempt` or `PreparedSignIn`. */
    secret: p.type(DisposableSecretType),
    expiresAt: p.datetime(3).index(),
  },
});

/** An operator's walk through the sign-in of an application, and how it ended. */
export const SignInTestEntity = defineEntity({
  name: 'SignInTest',
  tableName: 'sign_in_test',
  ...ownedByApplication(),
  properties: {
    id: p.uuid().primary(),
    application: () => p.manyToOne(ApplicationEntity).deleteRule('cascade').index(),
    providerType: p.text().$type<ProviderType>(),
    /** `running`, `passed`, `failed`. */
    state: p.text().$type<'running' | 'passed' | 'failed'>(),
    email: p.text().nullable(),
    grantedScopes: p.array(),
    missingScopes: p.array(),
    hasRefreshToken: p.boolean().nullable(),
    errorCode: p.text().nullable(),
    errorMessage: p.text().nullable(),
    createdAt: p.datetime(3).index(),
  },
});

/** How an account's last refresh ended, per OAuth client: clients may serve several applications. */
export const GrantTallyEntity = defineEntity({
  name: 'GrantTally',
  tableName: 'grant_tally',
  ...systemOnly(),
  properties: {
    providerType: p.text().primary(),
    clientId: p.text().primary(),
    /** Without a foreign key: what happened to an account counts when it is gone, too. */
    accountId: p.uuid().primary(),
    refused: p.boolean(),
    judgedAt: p.datetime(3).index(),
  },
});

/** OAuth clients whose accounts are not declared EXPIRED for the time being. */
export const GrantHoldEntity = defineEntity({
  name: 'GrantHold',
  tableName: 'grant_hold',
  ...systemOnly(),
  properties: {
    providerType: p.text().primary(),
    clientId: p.text().primary(),
    heldSince: p.datetime(3),
    probedAt: p.datetime(3).nullable(),
  },
});

/** A grant that outlived its account and has to be revoked. */
export const GrantRevocationEntity = defineEntity({
  name: 'GrantRevocation',
  tableName: 'grant_revocation',
  ...ownedByApplication(),
  properties: {
    id: p.uuid().primary(),
    application: () => p.manyToOne(ApplicationEntity).deleteRule('cascade').index(),
    providerType: p.text().$type<ProviderType>(),
    providerAccountId: p.text().nullable(),
    clientId: p.text(),
    token: p.type(DisposableSecretType),
    attempts: p.integer(),
    nextAttemptAt: p.datetime(3).index(),
  },
});

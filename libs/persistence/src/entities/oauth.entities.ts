import { defineEntity, p } from '@mikro-orm/core';
import type { ProviderType } from '#domain/accounts';
import { EncryptedType, DisposableSecretType } from '../encryption/encrypted.type.js';
import { ApplicationEntity } from './applications.entities.js';
import { ownedByApplication, systemOnly } from './tenancy.js';

export const OAuthClientEntity = defineEntity({
  name: 'OAuthClient',
  tableName: 'oauth_client',
  ...ownedByApplication(),
  properties: {
    /** Changes with every replacement: encryption binds the secret to it. */
    id: p.uuid().primary(),
    application: () => p.manyToOne(ApplicationEntity).deleteRule('cascade'),
    providerType: p.text().$type<ProviderType>(),
    clientId: p.text(),
    clientSecret: p.type(EncryptedType),
    scopes: p.array().nullable(),
    tenant: p.text().nullable(),
    /** When the secret ends. */
    expiresAt: p.datetime(3).nullable(),
    updatedAt: p.datetime(3),
  },
  uniques: [{ name: 'oauth_client_key', properties: ['application', 'providerType'] }],
});

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

export const AuthorizationRequestEntity = defineEntity({
  name: 'AuthorizationRequest',
  tableName: 'authorization_request',
  ...ownedByApplication(),
  properties: {
    id: p.uuid().primary(),
    application: () => p.manyToOne(ApplicationEntity).deleteRule('cascade').index(),
    providerType: p.text(),
    stateHash: p.type('bytea').$type<Buffer>().unique('authorization_request_state'),
    /** JSON of the rest of `AuthorizationRequest` or `PreparedSignIn`. */
    secret: p.type(DisposableSecretType),
    expiresAt: p.datetime(3).index(),
  },
});

export const ConnectLinkEntity = defineEntity({
  name: 'ConnectLink',
  tableName: 'connect_link',
  ...ownedByApplication(),
  properties: {
    id: p.uuid().primary(),
    application: () => p.manyToOne(ApplicationEntity).deleteRule('cascade').index(),
    providerType: p.text().$type<ProviderType>().nullable(),
    secretHash: p.type('bytea').$type<Buffer>().unique('connect_link_secret'),
    /** JSON of the rest of `ConnectLink`. */
    secret: p.type(DisposableSecretType),
    expiresAt: p.datetime(3).index(),
  },
});

export const SignInTestEntity = defineEntity({
  name: 'SignInTest',
  tableName: 'sign_in_test',
  ...ownedByApplication(),
  properties: {
    id: p.uuid().primary(),
    application: () => p.manyToOne(ApplicationEntity).deleteRule('cascade').index(),
    providerType: p.text().$type<ProviderType>(),
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

/** Outcome of the last refresh of each account, per OAuth client. Several applications may share a client. */
export const RefreshStatsEntity = defineEntity({
  name: 'RefreshStats',
  tableName: 'refresh_stats',
  ...systemOnly(),
  properties: {
    providerType: p.text().primary(),
    clientId: p.text().primary(),
    /** Without a foreign key: the outcome counts after the account is deleted, too. */
    accountId: p.uuid().primary(),
    refused: p.boolean(),
    decidedAt: p.datetime(3).index(),
  },
});

/** OAuth clients whose mass-expiry breaker is tripped: their accounts do not become EXPIRED. */
export const MassExpiryBreakerEntity = defineEntity({
  name: 'MassExpiryBreaker',
  tableName: 'mass_expiry_breaker',
  ...systemOnly(),
  properties: {
    providerType: p.text().primary(),
    clientId: p.text().primary(),
    breakerTrippedSince: p.datetime(3),
    probedAt: p.datetime(3).nullable(),
  },
});

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

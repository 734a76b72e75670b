import { defineEntity, p } from '@mikro-orm/core';
import type { OperatorRole, OperatorTokenScope } from '#domain/operator';
import { systemOnly, ownedByApplication } from './tenancy.js';
import { DisposableSecretType } from '../encryption/encrypted.type.js';

export const OperatorEntity = defineEntity({
  name: 'Operator',
  tableName: 'operator',
  ...systemOnly(),
  properties: {
    id: p.uuid().primary(),
    /** Lower case. */
    email: p.text().unique('operator_email'),
    name: p.text(),
    role: p.text().$type<OperatorRole>(),
    /** PHC string of argon2id; null for operators with single sign-on only. */
    passwordHash: p.text().nullable(),
    /** Identity at the provider of the single sign-on; null until linked. */
    issuer: p.text().nullable(),
    subject: p.text().nullable(),
    createdAt: p.datetime(3),
    lastSignInAt: p.datetime(3).nullable(),
  },
  uniques: [
    {
      name: 'operator_identity',
      expression:
        'create unique index "operator_identity" on "operator" ("issuer", "subject") where "subject" is not null',
    },
  ],
});

export const OperatorInvitationEntity = defineEntity({
  name: 'OperatorInvitation',
  tableName: 'operator_invitation',
  ...systemOnly(),
  properties: {
    id: p.uuid().primary(),
    tokenHash: p.type('bytea').$type<Buffer>().unique('operator_invitation_token'),
    /** Lower case; null for the setup link, whose user enters it. */
    email: p.text().nullable(),
    role: p.text().$type<OperatorRole>(),
    invitedBy: () => p.manyToOne(OperatorEntity).deleteRule('set null').nullable().index(),
    createdAt: p.datetime(3),
    expiresAt: p.datetime(3).index(),
  },
});

/** Failed sign-ins per email address (existing or not), network, both together, and device. */
export const OperatorSignInFailureEntity = defineEntity({
  name: 'OperatorSignInFailure',
  tableName: 'operator_sign_in_failure',
  ...systemOnly(),
  properties: {
    /** SHA-256 of `email:…`, `network:…`, `login:<network> <address>`, `device:…`, `operator:…`. */
    subjectHash: p.type('bytea').$type<Buffer>().primary(),
    failures: p.integer(),
    blockedUntil: p.datetime(3).nullable(),
    lastAt: p.datetime(3).index(),
  },
});

export const OperatorSessionEntity = defineEntity({
  name: 'OperatorSession',
  tableName: 'operator_session',
  ...systemOnly(),
  properties: {
    secretHash: p.type('bytea').$type<Buffer>().primary(),
    operator: () => p.manyToOne(OperatorEntity).deleteRule('cascade').index(),
    createdAt: p.datetime(3),
    /** Last authentication of the operator; null means `createdAt`. */
    authenticatedAt: p.datetime(3).nullable(),
    /** Short form of the user agent (`Firefox on Linux`) and network of the sign-in; null when unknown. */
    device: p.text().nullable(),
    network: p.text().nullable(),
    /** Precise to the minute; null means `createdAt`. */
    lastUsedAt: p.datetime(3).nullable(),
    /** Extended by requests up to `endsAt`. */
    idleUntil: p.datetime(3),
    endsAt: p.datetime(3).index(),
  },
});

export const OperatorTokenEntity = defineEntity({
  name: 'OperatorToken',
  tableName: 'operator_token',
  ...systemOnly(),
  properties: {
    /** Part of the token's text. */
    id: p.uuid().primary(),
    name: p.text(),
    scopes: p.array().$type<OperatorTokenScope[]>(),
    secretHash: p.type('bytea').$type<Buffer>(),
    /** null for tokens of `ops`, which belong to the installation. */
    createdBy: () => p.manyToOne(OperatorEntity).deleteRule('cascade').nullable().index(),
    createdAt: p.datetime(3),
    expiresAt: p.datetime(3),
    lastUsedAt: p.datetime(3).nullable(),
  },
});

export const OperatorSsoRequestEntity = defineEntity({
  name: 'OperatorSsoRequest',
  tableName: 'operator_sso_request',
  ...systemOnly(),
  properties: {
    id: p.uuid().primary(),
    stateHash: p.type('bytea').$type<Buffer>().unique('operator_sso_request_state'),
    /** JSON: PKCE verifier, nonce, redirect target. */
    secret: p.type(DisposableSecretType),
    expiresAt: p.datetime(3).index(),
  },
});

/** Without foreign keys: entries outlive the application they are about. */
export const AuditEntryEntity = defineEntity({
  name: 'AuditEntry',
  tableName: 'audit_entry',
  ...ownedByApplication(),
  properties: {
    id: p.uuid().primary(),
    /** null for actions that concern no application. */
    applicationId: p.uuid().nullable(),
    actor: p.text(),
    action: p.text(),
    subject: p.text(),
    requestId: p.text().nullable(),
    recordedAt: p.datetime(3).index(),
  },
  indexes: [{ name: 'audit_entry_by_application', properties: ['applicationId', 'recordedAt'] }],
});

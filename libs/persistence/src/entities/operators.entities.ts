import { defineEntity, p } from '@mikro-orm/core';
import type { OperatorRole } from '#domain';
import { systemOnly, ownedByApplication } from './tenancy.js';
import { DisposableSecretType } from '../encryption/encrypted.type.js';

/** A person who runs the installation. */
export const OperatorEntity = defineEntity({
  name: 'Operator',
  tableName: 'operator',
  ...systemOnly(),
  properties: {
    id: p.uuid().primary(),
    /** In lower case. */
    email: p.text().unique('operator_email'),
    name: p.text(),
    /** `admin` or `viewer`. */
    role: p.text().$type<OperatorRole>(),
    /** PHC string of argon2id; null: signs in by single sign-on alone. */
    passwordHash: p.text().nullable(),
    /** Who the identity provider of the single sign-on says it is; null: it did not yet. */
    issuer: p.text().nullable(),
    subject: p.text().nullable(),
    createdAt: p.datetime(3),
    lastLoginAt: p.datetime(3).nullable(),
  },
  uniques: [
    {
      name: 'operator_identity',
      expression:
        'create unique index "operator_identity" on "operator" ("issuer", "subject") where "subject" is not null',
    },
  ],
});

/** A link with which somebody becomes an operator, once. */
export const OperatorInvitationEntity = defineEntity({
  name: 'OperatorInvitation',
  tableName: 'operator_invitation',
  ...systemOnly(),
  properties: {
    id: p.uuid().primary(),
    /** SHA-256 of the link's token. */
    tokenHash: p.type('bytea').$type<Buffer>().unique('operator_invitation_token'),
    /** In lower case; null: the setup link, whose visitor says it. */
    email: p.text().nullable(),
    role: p.text().$type<OperatorRole>(),
    invitedBy: () => p.manyToOne(OperatorEntity).deleteRule('set null').nullable().index(),
    createdAt: p.datetime(3),
    expiresAt: p.datetime(3).index(),
  },
});

/** Wrong logins: of an address, whether there is an operator behind it or not, of a network, of both, of a device. */
export const OperatorLoginFailureEntity = defineEntity({
  name: 'OperatorLoginFailure',
  tableName: 'operator_login_failure',
  ...systemOnly(),
  properties: {
    /** SHA-256 of `email:<address>`, `network:<network>`, `login:<network> <address>`, `device:<id>`, `operator:<id>`. */
    subjectHash: p.type('bytea').$type<Buffer>().primary(),
    failures: p.integer(),
    /** Until then nobody is asked for a password. */
    blockedUntil: p.datetime(3).nullable(),
    lastAt: p.datetime(3).index(),
  },
});

/** A browser that an operator is logged in with. */
export const OperatorSessionEntity = defineEntity({
  name: 'OperatorSession',
  tableName: 'operator_session',
  ...systemOnly(),
  properties: {
    /** SHA-256 of the cookie's secret, which is nowhere else. */
    secretHash: p.type('bytea').$type<Buffer>().primary(),
    operator: () => p.manyToOne(OperatorEntity).deleteRule('cascade').index(),
    createdAt: p.datetime(3),
    /** When the operator proved last who they are; null: when it was made. */
    authenticatedAt: p.datetime(3).nullable(),
    /** What the browser called itself, in short (`Firefox on Linux`), and from where it signed in; null: it is not known. */
    device: p.text().nullable(),
    network: p.text().nullable(),
    /** To the minute; null: when it was made. */
    lastUsedAt: p.datetime(3).nullable(),
    /** Moved on by requests, never beyond `endsAt`. */
    idleUntil: p.datetime(3),
    endsAt: p.datetime(3).index(),
  },
});

/** A single sign-on of an operator under way. */
export const OperatorSignOnEntity = defineEntity({
  name: 'OperatorSignOn',
  tableName: 'operator_sign_on',
  ...systemOnly(),
  properties: {
    id: p.uuid().primary(),
    /** SHA-256 of state and browser. */
    stateHash: p.type('bytea').$type<Buffer>().unique('operator_sign_on_state'),
    /** JSON: PKCE verifier, nonce, where to go afterwards. */
    secret: p.type(DisposableSecretType),
    expiresAt: p.datetime(3).index(),
  },
});

/** No foreign key: what was done to an application outlives it. */
export const AuditEntryEntity = defineEntity({
  name: 'AuditEntry',
  tableName: 'audit_entry',
  ...ownedByApplication(),
  properties: {
    id: p.uuid().primary(),
    /** null: it was done to none of them. */
    applicationId: p.uuid().nullable(),
    actor: p.text(),
    action: p.text(),
    subject: p.text(),
    requestId: p.text().nullable(),
    recordedAt: p.datetime(3).index(),
  },
  indexes: [{ name: 'audit_entry_by_application', properties: ['applicationId', 'recordedAt'] }],
});

import { defineEntity, p } from '@mikro-orm/core';
import { DisposableSecretType } from '../encryption/encrypted.type.js';
import { ApplicationEntity } from './application.entity.js';
import { ownedByApplication } from './tenancy.js';

/** A grant that outlived its account and has to be revoked. */
export const GrantRevocationEntity = defineEntity({
  name: 'GrantRevocation',
  tableName: 'grant_revocation',
  ...ownedByApplication(),
  properties: {
    id: p.uuid().primary(),
    application: () => p.manyToOne(ApplicationEntity).deleteRule('cascade').index(),
    providerType: p.text(),
    providerAccountId: p.text().nullable(),
    clientId: p.text(),
    token: p.type(DisposableSecretType),
    attempts: p.integer(),
    nextAttemptAt: p.datetime(3).index(),
  },
});

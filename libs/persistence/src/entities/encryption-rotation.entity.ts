import { defineEntity, p } from '@mikro-orm/core';
import { systemOnly } from './tenancy.js';

/** How far a key rotation has come, per encrypted column: what makes it resumable. */
export const EncryptionRotationEntity = defineEntity({
  name: 'EncryptionRotation',
  tableName: 'encryption_rotation',
  ...systemOnly(),
  properties: {
    keyId: p.text().primary(),
    tableName: p.text().primary(),
    columnName: p.text().primary(),
    /** Every row up to this id has been visited; null: none yet. */
    lastRowId: p.uuid().nullable(),
    visited: p.integer(),
    rewritten: p.integer(),
    finishedAt: p.datetime(3).nullable(),
  },
});

import { defineEntity, p } from '@mikro-orm/core';
import { systemOnly } from './tenancy.js';

/** Progress of a key rotation per encrypted column, which makes it resumable. */
export const EncryptionRotationEntity = defineEntity({
  name: 'EncryptionRotation',
  tableName: 'encryption_rotation',
  ...systemOnly(),
  properties: {
    keyId: p.text().primary(),
    tableName: p.text().primary(),
    columnName: p.text().primary(),
    /** The last visited row; null before the first. */
    lastRowId: p.uuid().nullable(),
    visited: p.integer(),
    rewritten: p.integer(),
    finishedAt: p.datetime(3).nullable(),
  },
});

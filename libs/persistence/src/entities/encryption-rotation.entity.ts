import { defineEntity, p } from '@mikro-orm/core';
import { systemOnly } from './tenancy.js';

export const EncryptionRotationEntity = defineEntity({
  name: 'EncryptionRotation',
  tableName: 'encryption_rotation',
  ...systemOnly(),
  properties: {
    keyId: p.text().primary(),
    tableName: p.text().primary(),
    columnName: p.text().primary(),
    /** null before the first row. */
    lastRowId: p.uuid().nullable(),
    visited: p.integer(),
    rewritten: p.integer(),
    finishedAt: p.datetime(3).nullable(),
  },
});

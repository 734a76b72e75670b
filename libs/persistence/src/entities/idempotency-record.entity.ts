import { defineEntity, p } from '@mikro-orm/core';
import { DisposableSecretType } from '../encryption/encrypted.type.js';
import { ApplicationEntity } from './application.entity.js';
import { ownedByApplication } from './tenancy.js';

export const IdempotencyRecordEntity = defineEntity({
  name: 'IdempotencyRecord',
  tableName: 'idempotency_record',
  ...ownedByApplication(),
  properties: {
    id: p.uuid().primary(),
    application: () => p.manyToOne(ApplicationEntity).deleteRule('cascade'),
    key: p.text(),
    /** `<key id>:<HMAC of the request with that key, hexadecimal>`. */
    fingerprint: p.text(),
    claimId: p.uuid(),
    lockedUntil: p.datetime(3),
    /** JSON of `StoredAnswer`; null while the request runs. An answer holds calendar content. */
    answer: p.type(DisposableSecretType).nullable(),
    expiresAt: p.datetime(3).index(),
  },
  uniques: [{ name: 'idempotency_record_key', properties: ['application', 'key'] }],
});

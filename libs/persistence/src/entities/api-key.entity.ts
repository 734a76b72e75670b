import { defineEntity, p } from '@mikro-orm/core';
import type { ApiKeyScope } from '#domain';
import { ApplicationEntity } from './application.entity.js';
import { ownedByApplication } from './tenancy.js';

export const ApiKeyEntity = defineEntity({
  name: 'ApiKey',
  tableName: 'api_key',
  ...ownedByApplication(),
  properties: {
    /** The key id inside of the key text: chosen by who makes the key, hence text. */
    id: p.text().primary(),
    application: () => p.manyToOne(ApplicationEntity).deleteRule('cascade').index(),
    name: p.text(),
    scopes: p.array().$type<ApiKeyScope[]>(),
    /** SHA-256 of the secret part. The secret itself is nowhere. */
    secretHash: p.type('bytea').$type<Buffer>(),
    secretTail: p.text(),
    expiresAt: p.datetime(3).nullable(),
    revokedAt: p.datetime(3).nullable(),
    lastUsedAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
  },
});

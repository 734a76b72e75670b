import { defineEntity, p } from '@mikro-orm/core';
import type { ProviderType } from '#domain/accounts';
import type { Environment, ApiKeyScope } from '#domain/applications';
import { ownedByApplication, systemOnly } from './tenancy.js';
import { DisposableSecretType } from '../encryption/encrypted.type.js';

export const ApplicationEntity = defineEntity({
  name: 'Application',
  tableName: 'application',
  ...ownedByApplication('id'),
  properties: {
    id: p.uuid().primary(),
    name: p.text(),
    rateLimitRps: p.integer().nullable(),
    // The defaults serve older versions, which do not write these columns.
    enrichesWebhooks: p.boolean().default(false),
    pollsCalendars: p.boolean().default(false),
    requiresSignedLinks: p.boolean().default(false),
    /** `#rrggbb`. null for the service's own. */
    accentColor: p.text().nullable(),
    environment: p.text().$type<Environment>().default('development'),
    createdAt: p.datetime(3),
    /** When the next step of the deletion is due, during which the application is hidden; null unless being deleted. */
    deletionDueAt: p.datetime(3).nullable(),
  },
});

export const ApiKeyEntity = defineEntity({
  name: 'ApiKey',
  tableName: 'api_key',
  ...ownedByApplication(),
  properties: {
    /** The key id inside the key text. Text, because the creator of the key chooses it. */
    id: p.text().primary(),
    application: () => p.manyToOne(ApplicationEntity).deleteRule('cascade').index(),
    name: p.text(),
    scopes: p.array().$type<ApiKeyScope[]>(),
    secretHash: p.type('bytea').$type<Buffer>(),
    secretTail: p.text(),
    expiresAt: p.datetime(3).nullable(),
    revokedAt: p.datetime(3).nullable(),
    lastUsedAt: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
  },
});

export const IdempotencyRecordEntity = defineEntity({
  name: 'IdempotencyRecord',
  tableName: 'idempotency_record',
  ...ownedByApplication(),
  properties: {
    id: p.uuid().primary(),
    application: () => p.manyToOne(ApplicationEntity).deleteRule('cascade'),
    key: p.text(),
    /** `<key id>:<HMAC of the request under that key, hexadecimal>`. */
    fingerprint: p.text(),
    claimId: p.uuid(),
    lockedUntil: p.datetime(3),
    /** JSON of `StoredResponse`, which holds calendar content; null while the request runs. */
    response: p.type(DisposableSecretType).nullable(),
    expiresAt: p.datetime(3).index(),
  },
  uniques: [{ name: 'idempotency_record_key', properties: ['application', 'key'] }],
});

/** Metadata of a completed request. Without foreign keys: the row outlives what it refers to. */
export const RequestRecordEntity = defineEntity({
  name: 'RequestRecord',
  tableName: 'request_record',
  ...systemOnly(),
  properties: {
    id: p.uuid().primary(),
    requestId: p.text().index(),
    startedAt: p.datetime(3),
    method: p.text(),
    /** The path with parameter names, without ids or query. */
    route: p.text(),
    status: p.integer(),
    errorCode: p.text().nullable(),
    durationMs: p.integer(),
    applicationId: p.uuid().nullable(),
    apiKeyId: p.text().nullable(),
    accountId: p.uuid().nullable(),
    providerType: p.text().$type<ProviderType>().nullable(),
    /** null when the trace was not exported. */
    traceId: p.text().nullable(),
  },
  indexes: [
    { name: 'request_record_newest_first', properties: ['startedAt', 'id'] },
    { name: 'request_record_of_application', properties: ['applicationId', 'startedAt'] },
    {
      name: 'request_record_of_account',
      expression:
        'create index "request_record_of_account" on "request_record" ("account_id", "started_at") ' +
        'where "account_id" is not null',
    },
    {
      // Errors are rare among successes.
      name: 'request_record_unusual',
      expression:
        'create index "request_record_unusual" on "request_record" ("started_at", "id") where "status" >= 300',
    },
  ],
});

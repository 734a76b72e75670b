import { defineEntity, p } from '@mikro-orm/core';
import { ApplicationEntity } from './applications.entities.js';
import { ownedByApplication } from './tenancy.js';

/** Its id is the public `providerId` of accounts: opaque and stable. */
export const ProviderConfigurationEntity = defineEntity({
  name: 'ProviderConfiguration',
  tableName: 'provider_configuration',
  ...ownedByApplication(),
  properties: {
    id: p.uuid().primary(),
    application: () => p.manyToOne(ApplicationEntity).deleteRule('cascade'),
    providerType: p.text(),
    createdAt: p.datetime(3),
  },
  uniques: [{ name: 'provider_configuration_key', properties: ['application', 'providerType'] }],
});

/** Rate limit of an account: one row per account with recent requests to its provider. */
export const ProviderRateEntity = defineEntity({
  name: 'ProviderRateLimiter',
  tableName: 'provider_rate',
  ...ownedByApplication(),
  properties: {
    application: () => p.manyToOne(ApplicationEntity).deleteRule('cascade').primary(),
    /** Text without a foreign key: connecting sends requests before the account exists. */
    accountId: p.text().primary(),
    /** Theoretical arrival time of the next request (GCRA), in epoch milliseconds of the database clock. */
    arrivalMs: p.double(),
    /** Place of the last refused operation, which later refusals are told to come after. Same clock. */
    refusedMs: p.double().nullable(),
  },
  indexes: [{ name: 'provider_rate_arrival', properties: ['arrivalMs'] }],
});

/** Concurrency limit of an account: one row per recently used permit. */
export const ProviderPermitEntity = defineEntity({
  name: 'ProviderPermit',
  tableName: 'provider_permit',
  ...ownedByApplication(),
  properties: {
    application: () => p.manyToOne(ApplicationEntity).deleteRule('cascade').primary(),
    /** As in {@link ProviderRateEntity}. */
    accountId: p.text().primary(),
    slot: p.integer().primary(),
    /** Of the last lease: a late statement of an earlier one changes nothing. */
    leaseId: p.uuid(),
    leasedUntil: p.datetime(3),
    takenAt: p.datetime(3),
    wantedBy: p.uuid().nullable(),
    wantedUntil: p.datetime(3).nullable(),
  },
});

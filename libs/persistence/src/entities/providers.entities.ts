import { defineEntity, p } from '@mikro-orm/core';
import { ApplicationEntity } from './applications.entities.js';
import { ownedByApplication } from './tenancy.js';

/** An application's configuration of one provider. Its id is the `providerId` that accounts show: opaque and stable. */
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

/** One row per account that lately sent requests to its provider. */
export const ProviderBudgetEntity = defineEntity({
  name: 'ProviderBudget',
  tableName: 'provider_budget',
  ...ownedByApplication(),
  properties: {
    application: () => p.manyToOne(ApplicationEntity).deleteRule('cascade').primary(),
    /** Text without a foreign key: a first connection spends before its account exists. */
    accountId: p.text().primary(),
    /** Theoretical arrival time of the next request (GCRA), epoch milliseconds of the database's clock. */
    arrivalMs: p.double(),
  },
  indexes: [{ name: 'provider_budget_arrival', properties: ['arrivalMs'] }],
});

/** One row per slot of an account that a process took lately. */
export const ProviderSlotEntity = defineEntity({
  name: 'ProviderSlot',
  tableName: 'provider_slot',
  ...ownedByApplication(),
  properties: {
    application: () => p.manyToOne(ApplicationEntity).deleteRule('cascade').primary(),
    /** Text without a foreign key: a first connection asks before its account exists. */
    accountId: p.text().primary(),
    /** 1 to the limit of the account. */
    slot: p.integer().primary(),
    /** Of the last time that it was taken: a statement that comes late changes nothing of a later lease. */
    leaseId: p.uuid(),
    leasedUntil: p.datetime(3),
    takenAt: p.datetime(3),
    /** The process that is to have it next. */
    wantedBy: p.uuid().nullable(),
    wantedUntil: p.datetime(3).nullable(),
  },
});

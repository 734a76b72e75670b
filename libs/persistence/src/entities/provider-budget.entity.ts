import { defineEntity, p } from '@mikro-orm/core';
import { ApplicationEntity } from './application.entity.js';
import { ownedByApplication } from './tenancy.js';

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

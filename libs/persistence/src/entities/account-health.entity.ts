import { defineEntity, p } from '@mikro-orm/core';
import { ApplicationEntity } from './application.entity.js';
import { EndUserAccountEntity } from './end-user-account.entity.js';
import { ownedByApplication } from './tenancy.js';

/** How an account's credentials do. Apart from the account, whose `updatedAt` this must not move. */
export const AccountHealthEntity = defineEntity({
  name: 'AccountHealth',
  tableName: 'account_health',
  ...ownedByApplication(),
  properties: {
    endUserAccount: () => p.oneToOne(EndUserAccountEntity).owner().primary().deleteRule('cascade'),
    application: () => p.manyToOne(ApplicationEntity).deleteRule('cascade').index(),
    /** null: not given its place in the interval yet. */
    nextCheckAt: p.datetime(3).nullable().index(),
    /** When a check was begun last; null: none was yet. */
    checkedAt: p.datetime(3).nullable(),
    lastUsedAt: p.datetime(3).nullable(),
    /** Version of the credentials that the provider refused, and when it did first; null: it did not. */
    refusedVersion: p.integer().nullable(),
    firstRefusedAt: p.datetime(3).nullable(),
  },
  indexes: [
    {
      name: 'account_health_refused',
      expression:
        'create index "account_health_refused" on "account_health" ("application_id") ' +
        'where "refused_version" is not null',
    },
  ],
});

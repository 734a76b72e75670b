import { defineEntity, p } from '@mikro-orm/core';
import { EndUserAccountEntity } from './end-user-account.entity.js';
import { ownedByApplication } from './tenancy.js';

/** When an account got its status, and why. */
export const AccountStatusChangeEntity = defineEntity({
  name: 'AccountStatusChange',
  tableName: 'account_status_change',
  ...ownedByApplication(),
  properties: {
    id: p.uuid().primary(),
    /** Without a foreign key: the account has one. */
    applicationId: p.uuid(),
    account: () => p.manyToOne(EndUserAccountEntity).deleteRule('cascade'),
    /** `ACTIVE`, `EXPIRED`; `CONNECTED`: made or connected anew. */
    status: p.text(),
    reason: p.text().nullable(),
    changedAt: p.datetime(3),
  },
  indexes: [{ name: 'account_status_change_of_account', properties: ['account', 'changedAt'] }],
});

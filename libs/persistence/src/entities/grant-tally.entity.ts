import { defineEntity, p } from '@mikro-orm/core';
import { systemOnly } from './tenancy.js';

/** How an account's last refresh ended, per OAuth client: clients may serve several applications. */
export const GrantTallyEntity = defineEntity({
  name: 'GrantTally',
  tableName: 'grant_tally',
  ...systemOnly(),
  properties: {
    providerType: p.text().primary(),
    clientId: p.text().primary(),
    /** Without a foreign key: what happened to an account counts when it is gone, too. */
    accountId: p.uuid().primary(),
    refused: p.boolean(),
    judgedAt: p.datetime(3).index(),
  },
});

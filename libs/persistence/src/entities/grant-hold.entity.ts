import { defineEntity, p } from '@mikro-orm/core';
import { systemOnly } from './tenancy.js';

/** OAuth clients whose accounts are not declared EXPIRED for the time being. */
export const GrantHoldEntity = defineEntity({
  name: 'GrantHold',
  tableName: 'grant_hold',
  ...systemOnly(),
  properties: {
    providerType: p.text().primary(),
    clientId: p.text().primary(),
    heldSince: p.datetime(3),
    probedAt: p.datetime(3).nullable(),
  },
});

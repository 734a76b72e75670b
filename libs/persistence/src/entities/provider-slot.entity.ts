import { defineEntity, p } from '@mikro-orm/core';
import { ApplicationEntity } from './application.entity.js';
import { ownedByApplication } from './tenancy.js';

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

import { defineEntity, p } from '@mikro-orm/core';
import { ownedByApplication } from './tenancy.js';

/** No foreign key: what was done to an application outlives it. */
export const AuditEntryEntity = defineEntity({
  name: 'AuditEntry',
  tableName: 'audit_entry',
  ...ownedByApplication(),
  properties: {
    id: p.uuid().primary(),
    /** null: it was done to none of them. */
    applicationId: p.uuid().nullable(),
    actor: p.text(),
    action: p.text(),
    subject: p.text(),
    requestId: p.text().nullable(),
    recordedAt: p.datetime(3).index(),
  },
  indexes: [{ name: 'audit_entry_by_application', properties: ['applicationId', 'recordedAt'] }],
});

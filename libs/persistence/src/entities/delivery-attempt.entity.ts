import { defineEntity, p } from '@mikro-orm/core';
import { ownedByApplication } from './tenancy.js';
import { WebhookMessageEntity } from './webhook-message.entity.js';

/** The log: a row from the start of every attempt on. */
export const DeliveryAttemptEntity = defineEntity({
  name: 'DeliveryAttempt',
  tableName: 'delivery_attempt',
  ...ownedByApplication(),
  properties: {
    message: () => p.manyToOne(WebhookMessageEntity).deleteRule('cascade').primary(),
    /** From 1; from -1 downwards for those by hand. */
    number: p.integer().primary(),
    /** Without a foreign key: the message has one. */
    applicationId: p.uuid(),
    startedAt: p.datetime(3),
    /** null: under way, or its process died. */
    durationMs: p.integer().nullable(),
    status: p.integer().nullable(),
    failure: p.text().nullable(),
    responseText: p.text().nullable(),
    /** When the next one was to follow. */
    nextAttemptAt: p.datetime(3).nullable(),
  },
  indexes: [{ name: 'delivery_attempt_by_time', properties: ['startedAt'] }],
});

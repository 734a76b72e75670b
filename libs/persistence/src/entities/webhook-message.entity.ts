import { defineEntity, p } from '@mikro-orm/core';
import { ApplicationEntity } from './application.entity.js';
import { ownedByApplication } from './tenancy.js';

/**
 * One message for one endpoint, and where it stands. Without a foreign key to the endpoint: a subscription with a long
 * queue has to be gone at once; what it leaves behind is dropped when its time comes.
 */
export const WebhookMessageEntity = defineEntity({
  name: 'WebhookMessage',
  tableName: 'webhook_message',
  ...ownedByApplication(),
  properties: {
    id: p.uuid().primary(),
    application: () => p.manyToOne(ApplicationEntity).deleteRule('cascade').index(),
    endpointId: p.uuid(),
    /** Whom it is about; without a foreign key: it may tell of a deletion. */
    accountId: p.uuid().nullable(),
    eventType: p.text(),
    /** The text whose UTF-8 is signed and sent. */
    body: p.text(),
    /** `pending`, `delivered`, `failed`. */
    state: p.text(),
    failureReason: p.text().nullable(),
    /** Failed attempts that the schedule counts. */
    failures: p.integer(),
    /** By the schedule; null unless pending. */
    nextAttemptAt: p.datetime(6).nullable(),
    /** Asked for by hand and not done yet. */
    resends: p.integer(),
    /** Numbers given to attempts: by the schedule upwards, by hand downwards. */
    tries: p.integer(),
    triesByHand: p.integer(),
    /** When it has to be put into the queue (again); null: there is nothing to do. */
    wakeAt: p.datetime(6).nullable(),
    /** Its place behind others of an endpoint with a rate. */
    turnAt: p.datetime(3).nullable(),
    /** When there was first reason to look for the change that it tells of; null: it tells of none. */
    noticedAt: p.datetime(3).nullable(),
    /** W3C `traceparent` of who asked for it, first or last; null: that was not traced. */
    traceParent: p.text().nullable(),
    leaseId: p.uuid().nullable(),
    leasedUntil: p.datetime(6).nullable(),
    /** To the microsecond, as all times that order: messages of one statement keep their order. */
    createdAt: p.datetime(6),
  },
  indexes: [
    {
      name: 'webhook_message_failed',
      expression: `create index "webhook_message_failed" on "webhook_message" ("id") where "state" = 'failed'`,
    },
    {
      name: 'webhook_message_due',
      expression:
        'create index "webhook_message_due" on "webhook_message" (("tries" = 0), "wake_at", "id") ' +
        'where "wake_at" is not null',
    },
    { name: 'webhook_message_of_endpoint', properties: ['endpointId', 'id'] },
    {
      name: 'webhook_message_done',
      expression: 'create index "webhook_message_done" on "webhook_message" ("created_at") where "wake_at" is null',
    },
  ],
});

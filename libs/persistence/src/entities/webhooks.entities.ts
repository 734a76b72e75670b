import { defineEntity, p } from '@mikro-orm/core';
import type { JsonObject } from '#domain/system';
import type { DisabledReason, MessageState } from '#domain/webhooks';
import { EncryptedType } from '../encryption/encrypted.type.js';
import { ApplicationEntity } from './applications.entities.js';
import { ownedByApplication } from './tenancy.js';
import { SyncedCalendarEntity } from './calendars.entities.js';

export const WebhookEndpointEntity = defineEntity({
  name: 'WebhookEndpoint',
  tableName: 'webhook_endpoint',
  ...ownedByApplication(),
  properties: {
    /** Also the id of its subscription. */
    id: p.uuid().primary(),
    application: () => p.manyToOne(ApplicationEntity).deleteRule('cascade'),
    /** null for an endpoint of the application. */
    syncedCalendar: () => p.manyToOne(SyncedCalendarEntity).deleteRule('cascade').nullable().index(),
    url: p.text(),
    secrets: p.type(EncryptedType),
    eventTypes: p.array(),
    /** Attempts per second; null for no limit. */
    rateLimit: p.double().$type<number>().nullable(),
    /** Earliest start of the next attempt. Microseconds, because rounding would accumulate. */
    nextStartAt: p.datetime(6).nullable(),
    /** When the next new message is queued, behind those that wait. */
    nextSendAt: p.datetime(6).nullable(),
    failingSince: p.datetime(3).nullable(),
    disabledAt: p.datetime(3).nullable(),
    disabledReason: p.text().$type<DisabledReason>().nullable(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  indexes: [{ name: 'webhook_endpoint_of_application', properties: ['application', 'id'] }],
});

/**
 * Without a foreign key to the endpoint: deleting one with a long queue must be fast; its messages go when they are
 * due.
 */
export const WebhookMessageEntity = defineEntity({
  name: 'WebhookMessage',
  tableName: 'webhook_message',
  ...ownedByApplication(),
  properties: {
    id: p.uuid().primary(),
    application: () => p.manyToOne(ApplicationEntity).deleteRule('cascade').index(),
    endpointId: p.uuid(),
    /** The account concerned. Without a foreign key: the message may report its deletion. */
    accountId: p.uuid().nullable(),
    eventType: p.text(),
    /** The exact text that is signed and sent as UTF-8. */
    body: p.text(),
    state: p.text().$type<MessageState>(),
    failureReason: p.text().nullable(),
    failures: p.integer(),
    /** null unless pending. */
    nextAttemptAt: p.datetime(6).nullable(),
    resends: p.integer(),
    /** Numbers of attempts: scheduled ones count upwards, manual ones downwards. */
    tries: p.integer(),
    triesByHand: p.integer(),
    /** When the message is next due for the queue; null when it is done. */
    enqueueAt: p.datetime(6).nullable(),
    /** Its turn at an endpoint with a rate. */
    rateLimitedUntil: p.datetime(3).nullable(),
    /** First reason to sync for the reported change; null for other messages. */
    changeDetectedAt: p.datetime(3).nullable(),
    /** W3C `traceparent` of the first or latest request; null without a trace. */
    traceParent: p.text().nullable(),
    leaseId: p.uuid().nullable(),
    leasedUntil: p.datetime(6).nullable(),
    /** Microseconds keep the order of messages of one statement. */
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
        'create index "webhook_message_due" on "webhook_message" (("tries" = 0), "enqueue_at", "id") ' +
        'where "enqueue_at" is not null',
    },
    { name: 'webhook_message_of_endpoint', properties: ['endpointId', 'id'] },
    {
      name: 'webhook_message_done',
      expression: 'create index "webhook_message_done" on "webhook_message" ("created_at") where "enqueue_at" is null',
    },
  ],
});

export const DeliveryAttemptEntity = defineEntity({
  name: 'DeliveryAttempt',
  tableName: 'delivery_attempt',
  ...ownedByApplication(),
  properties: {
    message: () => p.manyToOne(WebhookMessageEntity).deleteRule('cascade').primary(),
    /** From 1 upwards; manual attempts from -1 downwards. */
    number: p.integer().primary(),
    applicationId: p.uuid(),
    startedAt: p.datetime(3),
    /** null while running, or when the process died. */
    durationMs: p.integer().nullable(),
    status: p.integer().nullable(),
    failure: p.text().nullable(),
    responseText: p.text().nullable(),
    nextAttemptAt: p.datetime(3).nullable(),
  },
  indexes: [{ name: 'delivery_attempt_by_time', properties: ['startedAt'] }],
});

/** Transactional outbox, written with the reported change. */
export const OutboxMessageEntity = defineEntity({
  name: 'OutboxMessage',
  tableName: 'outbox',
  ...ownedByApplication(),
  properties: {
    id: p.uuid().primary(),
    application: () => p.manyToOne(ApplicationEntity).deleteRule('cascade').index(),
    eventType: p.text(),
    payload: p.json<JsonObject>(),
    createdAt: p.datetime(6),
    relayedAt: p.datetime(3).nullable(),
    /** W3C `traceparent` of the reported change; null without a trace. */
    traceParent: p.text().nullable(),
  },
  indexes: [
    {
      name: 'outbox_unrelayed',
      expression: 'create index "outbox_unrelayed" on "outbox" ("created_at", "id") where "relayed_at" is null',
    },
    {
      name: 'outbox_relayed',
      expression: 'create index "outbox_relayed" on "outbox" ("relayed_at") where "relayed_at" is not null',
    },
  ],
});

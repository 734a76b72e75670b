import { defineEntity, p } from '@mikro-orm/core';
import type { DisabledReason, JsonObject, MessageState } from '#domain';
import { EncryptedType } from '../encryption/encrypted.type.js';
import { ApplicationEntity } from './applications.entities.js';
import { ownedByApplication } from './tenancy.js';
import { WatchedCalendarEntity } from './calendars.entities.js';

/** Where messages go: one per subscription of a calendar, or one of the application as a whole. */
export const WebhookEndpointEntity = defineEntity({
  name: 'WebhookEndpoint',
  tableName: 'webhook_endpoint',
  ...ownedByApplication(),
  properties: {
    /** Of a subscription, its id. */
    id: p.uuid().primary(),
    application: () => p.manyToOne(ApplicationEntity).deleteRule('cascade'),
    /** null: the application's. */
    watchedCalendar: () => p.manyToOne(WatchedCalendarEntity).deleteRule('cascade').nullable().index(),
    url: p.text(),
    /** JSON of `StoredSigningSecrets`. */
    secrets: p.type(EncryptedType),
    eventTypes: p.array(),
    /** Starts a second; null: as many as there are messages. */
    rateLimit: p.double().$type<number>().nullable(),
    /** Before it no attempt starts. To the microsecond: rates add up. */
    nextStartAt: p.datetime(6).nullable(),
    /** When the next message that comes is to be queued, behind those that wait. */
    nextTurnAt: p.datetime(6).nullable(),
    failingSince: p.datetime(3).nullable(),
    disabledAt: p.datetime(3).nullable(),
    disabledReason: p.text().$type<DisabledReason>().nullable(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  indexes: [{ name: 'webhook_endpoint_of_application', properties: ['application', 'id'] }],
});

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
    state: p.text().$type<MessageState>(),
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

/** Messages to applications, written with what they tell of and relayed afterwards. */
export const OutboxMessageEntity = defineEntity({
  name: 'OutboxMessage',
  tableName: 'outbox',
  ...ownedByApplication(),
  properties: {
    id: p.uuid().primary(),
    application: () => p.manyToOne(ApplicationEntity).deleteRule('cascade').index(),
    eventType: p.text(),
    payload: p.json<JsonObject>(),
    /** To the microsecond: messages of one transaction keep their order. */
    createdAt: p.datetime(6),
    relayedAt: p.datetime(3).nullable(),
    /** W3C `traceparent` of what it tells of; null: that was not traced. */
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

import { defineEntity, p } from '@mikro-orm/core';
import { EncryptedType } from '../encryption/encrypted.type.js';
import { ApplicationEntity } from './application.entity.js';
import { ownedByApplication } from './tenancy.js';
import { WatchedCalendarEntity } from './watched-calendar.entity.js';

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
    rateLimit: p.double().nullable(),
    /** Before it no attempt starts. To the microsecond: rates add up. */
    nextStartAt: p.datetime(6).nullable(),
    /** When the next message that comes is to be queued, behind those that wait. */
    nextTurnAt: p.datetime(6).nullable(),
    failingSince: p.datetime(3).nullable(),
    disabledAt: p.datetime(3).nullable(),
    disabledReason: p.text().nullable(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  indexes: [{ name: 'webhook_endpoint_of_application', properties: ['application', 'id'] }],
});

import { defineEntity, p } from '@mikro-orm/core';
import type { JsonObject } from '#domain';
import { ApplicationEntity } from './application.entity.js';
import { ownedByApplication } from './tenancy.js';

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

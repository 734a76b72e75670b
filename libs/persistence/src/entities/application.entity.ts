import { defineEntity, p } from '@mikro-orm/core';
import type { Environment } from '#domain';
import { ownedByApplication } from './tenancy.js';

export const ApplicationEntity = defineEntity({
  name: 'Application',
  tableName: 'application',
  ...ownedByApplication('id'),
  properties: {
    id: p.uuid().primary(),
    name: p.text(),
    rateLimitRps: p.integer().nullable(),
    // The defaults are for processes that do not know of these.
    enrichesWebhooks: p.boolean().default(false),
    pollsCalendars: p.boolean().default(false),
    requiresSignedLinks: p.boolean().default(false),
    /** `development` or `production`. */
    environment: p.text().$type<Environment>().default('development'),
    createdAt: p.datetime(3),
    /** Nobody sees it any more. From then on somebody takes a part of its deletion; null: it is not deleted. */
    deletionDueAt: p.datetime(3).nullable(),
  },
});

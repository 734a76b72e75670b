import { defineEntity, p } from '@mikro-orm/core';
import { ownedByApplication } from './tenancy.js';

export const ApplicationEntity = defineEntity({
  name: 'Application',
  tableName: 'application',
  ...ownedByApplication('id'),
  properties: {
    id: p.uuid().primary(),
    name: p.text(),
    rateLimitRps: p.integer().nullable(),
    createdAt: p.datetime(3),
  },
});

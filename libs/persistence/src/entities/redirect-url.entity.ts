import { defineEntity, p } from '@mikro-orm/core';
import { ApplicationEntity } from './application.entity.js';
import { ownedByApplication } from './tenancy.js';

/** Where an application lets its users be sent back to after they signed in. */
export const RedirectUrlEntity = defineEntity({
  name: 'RedirectUrl',
  tableName: 'redirect_url',
  ...ownedByApplication(),
  properties: {
    id: p.uuid().primary(),
    application: () => p.manyToOne(ApplicationEntity).deleteRule('cascade'),
    url: p.text(),
    createdAt: p.datetime(3),
  },
  uniques: [{ name: 'redirect_url_key', properties: ['application', 'url'] }],
});

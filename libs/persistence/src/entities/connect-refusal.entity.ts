import { defineEntity, p } from '@mikro-orm/core';
import { ApplicationEntity } from './application.entity.js';
import { ownedByApplication } from './tenancy.js';

/** A login that a provider refused at connect time. */
export const ConnectRefusalEntity = defineEntity({
  name: 'ConnectRefusal',
  tableName: 'connect_refusal',
  ...ownedByApplication(),
  properties: {
    id: p.uuid().primary(),
    application: () => p.manyToOne(ApplicationEntity).deleteRule('cascade'),
    actor: p.text(),
    /** HMAC of provider type and login. */
    loginHash: p.type('bytea').$type<Buffer>(),
    refusedAt: p.datetime(3).index(),
  },
  indexes: [
    { name: 'connect_refusal_of_login', properties: ['application', 'loginHash', 'refusedAt'] },
    { name: 'connect_refusal_of_actor', properties: ['application', 'actor', 'refusedAt'] },
  ],
});

import { defineEntity, p } from '@mikro-orm/core';
import { DisposableSecretType } from '../encryption/encrypted.type.js';
import { ApplicationEntity } from './application.entity.js';
import { EndUserAccountEntity } from './end-user-account.entity.js';
import { ownedByApplication } from './tenancy.js';

/** Private extended properties of events whose provider has no private place for them. */
export const PrivatePropertyEntity = defineEntity({
  name: 'PrivateProperty',
  tableName: 'private_property',
  ...ownedByApplication(),
  properties: {
    id: p.uuid().primary(),
    application: () => p.manyToOne(ApplicationEntity).deleteRule('cascade').index(),
    endUserAccount: () => p.manyToOne(EndUserAccountEntity).deleteRule('cascade'),
    /** SHA-256 of the calendar id, and of the iCalUid: both may be longer than an index entry can be. */
    calendarHash: p.type('bytea').$type<Buffer>(),
    iCalUidHash: p.type('bytea').$type<Buffer>().fieldName('ical_uid_hash'),
    instance: p.text(),
    /** JSON of `ExtendedProperties`. */
    properties: p.type(DisposableSecretType),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  uniques: [
    { name: 'private_property_key', properties: ['endUserAccount', 'calendarHash', 'iCalUidHash', 'instance'] },
  ],
});

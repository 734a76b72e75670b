import { defineEntity, p } from '@mikro-orm/core';
import { EncryptedType } from '../encryption/encrypted.type.js';
import { ApplicationEntity } from './application.entity.js';
import { EndUserAccountEntity } from './end-user-account.entity.js';
import { ownedByApplication } from './tenancy.js';

export const CredentialEntity = defineEntity({
  name: 'Credential',
  tableName: 'credential',
  ...ownedByApplication(),
  properties: {
    id: p.uuid().primary(),
    application: () => p.manyToOne(ApplicationEntity).deleteRule('cascade').index(),
    endUserAccount: () => p.oneToOne(EndUserAccountEntity).owner().deleteRule('cascade'),
    /** JSON of `Credentials`. */
    secret: p.type(EncryptedType),
    /** Raised by every write: fences late writers. */
    rowVersion: p.integer(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
});

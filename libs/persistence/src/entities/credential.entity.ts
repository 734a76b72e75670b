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
    /** The client that the grant was given to; null for passwords. */
    oauthClientId: p.text().nullable(),
    /** Who is refreshing this version, and until when. */
    leaseId: p.uuid().nullable(),
    leasedUntil: p.datetime(3).nullable(),
    createdAt: p.datetime(3),
    updatedAt: p.datetime(3),
  },
  indexes: [
    {
      name: 'credential_of_oauth_client',
      expression:
        'create index "credential_of_oauth_client" on "credential" ("oauth_client_id") ' +
        'where "oauth_client_id" is not null',
    },
  ],
});

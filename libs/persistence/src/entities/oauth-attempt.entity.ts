import { defineEntity, p } from '@mikro-orm/core';
import { DisposableSecretType } from '../encryption/encrypted.type.js';
import { ApplicationEntity } from './application.entity.js';
import { ownedByApplication } from './tenancy.js';

/** One sign-in under way, or one that an application has made an address for. */
export const OAuthAttemptEntity = defineEntity({
  name: 'OAuthAttempt',
  tableName: 'oauth_attempt',
  ...ownedByApplication(),
  properties: {
    id: p.uuid().primary(),
    application: () => p.manyToOne(ApplicationEntity).deleteRule('cascade').index(),
    providerType: p.text(),
    stateHash: p.type('bytea').$type<Buffer>().unique('oauth_attempt_state'),
    /** JSON of the rest of `OAuthAttempt` or `PreparedSignIn`. */
    secret: p.type(DisposableSecretType),
    expiresAt: p.datetime(3).index(),
  },
});

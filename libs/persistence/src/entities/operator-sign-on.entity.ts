import { defineEntity, p } from '@mikro-orm/core';
import { DisposableSecretType } from '../encryption/encrypted.type.js';
import { systemOnly } from './tenancy.js';

/** A single sign-on of an operator under way. */
export const OperatorSignOnEntity = defineEntity({
  name: 'OperatorSignOn',
  tableName: 'operator_sign_on',
  ...systemOnly(),
  properties: {
    id: p.uuid().primary(),
    /** SHA-256 of state and browser. */
    stateHash: p.type('bytea').$type<Buffer>().unique('operator_sign_on_state'),
    /** JSON: PKCE verifier, nonce, where to go afterwards. */
    secret: p.type(DisposableSecretType),
    expiresAt: p.datetime(3).index(),
  },
});

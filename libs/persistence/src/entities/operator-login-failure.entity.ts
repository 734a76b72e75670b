import { defineEntity, p } from '@mikro-orm/core';
import { systemOnly } from './tenancy.js';

/** Wrong logins: of an address, whether there is an operator behind it or not, of a network, of both, of a device. */
export const OperatorLoginFailureEntity = defineEntity({
  name: 'OperatorLoginFailure',
  tableName: 'operator_login_failure',
  ...systemOnly(),
  properties: {
    /** SHA-256 of `email:<address>`, `network:<network>`, `login:<network> <address>`, `device:<id>`, `operator:<id>`. */
    subjectHash: p.type('bytea').$type<Buffer>().primary(),
    failures: p.integer(),
    /** Until then nobody is asked for a password. */
    blockedUntil: p.datetime(3).nullable(),
    lastAt: p.datetime(3).index(),
  },
});

import { defineEntity, p } from '@mikro-orm/core';
import { OperatorEntity } from './operator.entity.js';
import { systemOnly } from './tenancy.js';

/** A browser that an operator is logged in with. */
export const OperatorSessionEntity = defineEntity({
  name: 'OperatorSession',
  tableName: 'operator_session',
  ...systemOnly(),
  properties: {
    /** SHA-256 of the cookie's secret, which is nowhere else. */
    secretHash: p.type('bytea').$type<Buffer>().primary(),
    operator: () => p.manyToOne(OperatorEntity).deleteRule('cascade').index(),
    createdAt: p.datetime(3),
    /** Moved on by requests, never beyond `endsAt`. */
    idleUntil: p.datetime(3),
    endsAt: p.datetime(3).index(),
  },
});

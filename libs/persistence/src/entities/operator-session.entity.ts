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
    /** When the operator proved last who they are; null: when it was made. */
    authenticatedAt: p.datetime(3).nullable(),
    /** What the browser called itself, in short (`Firefox on Linux`), and from where it signed in; null: it is not known. */
    device: p.text().nullable(),
    network: p.text().nullable(),
    /** To the minute; null: when it was made. */
    lastUsedAt: p.datetime(3).nullable(),
    /** Moved on by requests, never beyond `endsAt`. */
    idleUntil: p.datetime(3),
    endsAt: p.datetime(3).index(),
  },
});

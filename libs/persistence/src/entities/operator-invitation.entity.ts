import { defineEntity, p } from '@mikro-orm/core';
import type { OperatorRole } from '#domain';
import { OperatorEntity } from './operator.entity.js';
import { systemOnly } from './tenancy.js';

/** A link with which somebody becomes an operator, once. */
export const OperatorInvitationEntity = defineEntity({
  name: 'OperatorInvitation',
  tableName: 'operator_invitation',
  ...systemOnly(),
  properties: {
    id: p.uuid().primary(),
    /** SHA-256 of the link's token. */
    tokenHash: p.type('bytea').$type<Buffer>().unique('operator_invitation_token'),
    /** In lower case; null: the setup link, whose visitor says it. */
    email: p.text().nullable(),
    role: p.text().$type<OperatorRole>(),
    invitedBy: () => p.manyToOne(OperatorEntity).deleteRule('set null').nullable().index(),
    createdAt: p.datetime(3),
    expiresAt: p.datetime(3).index(),
  },
});

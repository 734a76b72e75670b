import { defineEntity, p } from '@mikro-orm/core';
import type { OperatorRole } from '#domain';
import { systemOnly } from './tenancy.js';

/** A person who runs the installation. */
export const OperatorEntity = defineEntity({
  name: 'Operator',
  tableName: 'operator',
  ...systemOnly(),
  properties: {
    id: p.uuid().primary(),
    /** In lower case. */
    email: p.text().unique('operator_email'),
    name: p.text(),
    /** `admin` or `viewer`. */
    role: p.text().$type<OperatorRole>(),
    /** PHC string of argon2id; null: signs in by single sign-on alone. */
    passwordHash: p.text().nullable(),
    /** Who the identity provider of the single sign-on says it is; null: it did not yet. */
    issuer: p.text().nullable(),
    subject: p.text().nullable(),
    createdAt: p.datetime(3),
    lastLoginAt: p.datetime(3).nullable(),
  },
  uniques: [
    {
      name: 'operator_identity',
      expression:
        'create unique index "operator_identity" on "operator" ("issuer", "subject") where "subject" is not null',
    },
  ],
});

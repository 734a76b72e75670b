import {
  AuditTrail,
  Clock,
  Ids,
  OperatorInvitationRepository,
  OperatorLoginFailures,
  OperatorRepository,
  OperatorSessionRepository,
  OperatorSignOnRepository,
} from '#domain';
import { Database } from './database/database.js';
import { FieldCipher } from './encryption/field-cipher.js';
import { SqlAuditTrail } from './repositories/operator-audit-trail.js';
import { SqlOperatorInvitationRepository } from './repositories/operator-invitation.repository.js';
import { SqlOperatorLoginFailures } from './repositories/operator-login-failures.js';
import { SqlOperatorSessionRepository } from './repositories/operator-session.repository.js';
import { SqlOperatorSignOnRepository } from './repositories/operator-sign-on.repository.js';
import { SqlOperatorRepository } from './repositories/operator.repository.js';

/** Who runs the installation, and what they look at. */
export function operatorProviders() {
  return [
    {
      provide: OperatorRepository,
      inject: [Database],
      useFactory: (database: Database) => new SqlOperatorRepository(database),
    },
    {
      provide: OperatorSessionRepository,
      inject: [Database, Clock],
      useFactory: (database: Database, clock: Clock) => new SqlOperatorSessionRepository(database, clock),
    },
    {
      provide: OperatorInvitationRepository,
      inject: [Database, Ids, Clock],
      useFactory: (database: Database, ids: Ids, clock: Clock) =>
        new SqlOperatorInvitationRepository(database, ids, clock),
    },
    {
      provide: OperatorLoginFailures,
      inject: [Database, Clock],
      useFactory: (database: Database, clock: Clock) => new SqlOperatorLoginFailures(database, clock),
    },
    {
      provide: AuditTrail,
      inject: [Database],
      useFactory: (database: Database) => new SqlAuditTrail(database),
    },
    {
      provide: OperatorSignOnRepository,
      inject: [Database, FieldCipher, Ids, Clock],
      useFactory: (database: Database, cipher: FieldCipher, ids: Ids, clock: Clock) =>
        new SqlOperatorSignOnRepository(database, cipher, ids, clock),
    },
  ];
}

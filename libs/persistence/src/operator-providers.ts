import { Clock, OperatorRepository, OperatorSessionRepository } from '#domain';
import { Database } from './database/database.js';
import { SqlOperatorSessionRepository } from './repositories/operator-session.repository.js';
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
  ];
}

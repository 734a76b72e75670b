import { AccountOversight, Ids, RequestLogRepository } from '#domain';
import { Database } from './database/database.js';
import { SqlAccountOversight } from './repositories/account-oversight.repository.js';
import { SqlRequestLogRepository } from './repositories/request-log.repository.js';

/** What operators see of all applications. */
export function oversightProviders() {
  return [
    {
      provide: AccountOversight,
      inject: [Database],
      useFactory: (database: Database) => new SqlAccountOversight(database),
    },
    {
      provide: RequestLogRepository,
      inject: [Database, Ids],
      useFactory: (database: Database, ids: Ids) => new SqlRequestLogRepository(database, ids),
    },
  ];
}

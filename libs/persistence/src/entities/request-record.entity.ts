import { defineEntity, p } from '@mikro-orm/core';
import { systemOnly } from './tenancy.js';

/** A request that was answered: metadata alone. Without foreign keys: it outlives what it is about. */
export const RequestRecordEntity = defineEntity({
  name: 'RequestRecord',
  tableName: 'request_record',
  ...systemOnly(),
  properties: {
    id: p.uuid().primary(),
    requestId: p.text().index(),
    startedAt: p.datetime(3),
    method: p.text(),
    /** The path with the names of its parameters: neither ids nor a query. */
    route: p.text(),
    status: p.integer(),
    errorCode: p.text().nullable(),
    durationMs: p.integer(),
    applicationId: p.uuid().nullable(),
    apiKeyId: p.text().nullable(),
    accountId: p.uuid().nullable(),
    providerType: p.text().nullable(),
  },
  indexes: [
    { name: 'request_record_newest_first', properties: ['startedAt', 'id'] },
    { name: 'request_record_of_application', properties: ['applicationId', 'startedAt'] },
    {
      name: 'request_record_of_account',
      expression:
        'create index "request_record_of_account" on "request_record" ("account_id", "started_at") ' +
        'where "account_id" is not null',
    },
    {
      // What operators look for is rare among what went well.
      name: 'request_record_unusual',
      expression:
        'create index "request_record_unusual" on "request_record" ("started_at", "id") where "status" >= 300',
    },
  ],
});

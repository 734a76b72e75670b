import { Injectable } from '@nestjs/common';
import type { ApplicationRef } from '#domain/applications';
import { RequestLedgerRepository, type DailyRequests, type RequestCount } from '#domain/usage';
import { Database } from '../database/database.js';
import { SYSTEM, tenant } from '../database/scope.js';

/** Raw: adds to existing counts in one statement, in one order, which prevents deadlocks between processes. */
const ADD = {
  name: 'request-counts-add',
  text: `
    insert into provider_request_count as c (application_id, hour, provider_type, project, cause, requests)
    select g.application_id, date_trunc('hour', clock_timestamp()), g.provider_type, g.project, g.cause, g.requests
      from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::bigint[])
           as g (application_id, provider_type, project, cause, requests)
      join application a on a.id = g.application_id
     order by g.application_id, g.provider_type, g.project, g.cause
    on conflict (application_id, hour, provider_type, project, cause)
    do update set requests = c.requests + excluded.requests`,
};

const daily = (columns: string, condition: string) => `
  select to_char(hour at time zone 'UTC', 'YYYY-MM-DD') as date, provider_type as "providerType", ${columns} cause,
         sum(requests)::float8 as requests
    from provider_request_count where hour >= $1 ${condition}
   group by date, provider_type, ${columns} cause order by date desc, provider_type, ${columns} cause`;

@Injectable()
export class SqlRequestLedgerRepository extends RequestLedgerRepository {
  constructor(private readonly database: Database) {
    super();
  }

  override async add(counts: readonly RequestCount[]): Promise<void> {
    if (counts.length === 0) return;
    await this.database.write(SYSTEM, {
      ...ADD,
      values: [
        counts.map(({ applicationId }) => applicationId),
        counts.map(({ providerType }) => providerType),
        counts.map(({ project }) => project),
        counts.map(({ cause }) => cause),
        counts.map(({ requests }) => requests),
      ],
    });
  }

  override daily({ applicationId }: ApplicationRef, since: Date): Promise<DailyRequests[]> {
    return this.database.read<DailyRequests>(tenant(applicationId), {
      text: daily('', 'and application_id = $2'),
      values: [since, applicationId],
    });
  }

  override dailyByProject(since: Date): Promise<(DailyRequests & { project: string })[]> {
    return this.database.read<DailyRequests & { project: string }>(SYSTEM, {
      text: daily('project,', ''),
      values: [since],
    });
  }
}

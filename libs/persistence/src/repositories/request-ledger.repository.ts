import { Injectable } from '@nestjs/common';
import type { ApplicationRef } from '#domain/applications';
import { RequestLedgerRepository, type DailyRequests, type RequestCount } from '#domain/usage';
import { Database } from '../database/database.js';
import { SYSTEM, tenant } from '../database/scope.js';
import { ADD_REQUESTS, DAILY, DAILY_BY_PROJECT } from './usage.statements.js';

@Injectable()
export class SqlRequestLedgerRepository extends RequestLedgerRepository {
  constructor(private readonly database: Database) {
    super();
  }

  override async add({ applicationId }: ApplicationRef, counts: readonly RequestCount[]): Promise<void> {
    await this.database.write(tenant(applicationId), {
      ...ADD_REQUESTS,
      values: [
        applicationId,
        counts.map(({ providerType }) => providerType),
        counts.map(({ project }) => project),
        counts.map(({ cause }) => cause),
        counts.map(({ requests }) => requests),
      ],
    });
  }

  override daily({ applicationId }: ApplicationRef, since: Date): Promise<DailyRequests[]> {
    return this.database.read<DailyRequests>(tenant(applicationId), {
      text: DAILY,
      values: [since, applicationId],
    });
  }

  override dailyByProject(since: Date): Promise<(DailyRequests & { project: string })[]> {
    return this.database.read<DailyRequests & { project: string }>(SYSTEM, {
      text: DAILY_BY_PROJECT,
      values: [since],
    });
  }
}

import { Injectable } from '@nestjs/common';
import {
  IdGenerator,
  RequestHistoryRepository,
  isUuid,
  type CompletedRequest,
  type RecordedRequest,
  type RequestFilter,
} from '#domain/system';
import { Database } from '../database/database.js';
import { EntityManagers } from '../database/entity-managers.js';
import { SYSTEM } from '../database/scope.js';
import { ADD_REQUESTS } from './applications.statements.js';

const COLUMNS = [
  ...(['id', 'requestId', 'startedAt', 'method', 'route', 'status', 'errorCode', 'durationMs'] as const),
  ...(['applicationId', 'apiKeyId', 'accountId', 'providerType', 'traceId'] as const),
] as const;

/** Statuses from here on have a partial index: searches by status mostly look for errors. */
const UNUSUAL = 300;

@Injectable()
export class SqlRequestHistoryRepository extends RequestHistoryRepository {
  constructor(
    private readonly database: Database,
    private readonly entities: EntityManagers,
    private readonly ids: IdGenerator,
  ) {
    super();
  }

  override async add(requests: readonly CompletedRequest[]): Promise<void> {
    const rows = requests.map(({ accountId, ...request }) => ({
      ...request,
      id: this.ids.next(),
      accountId: accountId !== null && isUuid(accountId) ? accountId : null,
    }));
    await this.database.write(SYSTEM, { ...ADD_REQUESTS, values: [JSON.stringify(rows)] });
  }

  override async search(
    { requestId, applicationId, accountId, status, from, to }: RequestFilter,
    { limit, after }: Parameters<RequestHistoryRepository['search']>[1],
  ): Promise<RecordedRequest[]> {
    return this.entities.query(SYSTEM, (tables) => {
      let found = tables
        .selectFrom('RequestRecord')
        .select(COLUMNS)
        .orderBy('startedAt', 'desc')
        .orderBy('id', 'desc')
        .limit(limit);
      if (requestId !== null) found = found.where('requestId', '=', requestId);
      if (applicationId !== null) found = found.where('applicationId', '=', applicationId);
      if (accountId !== null) found = found.where('accountId', '=', accountId);
      if (status !== null) {
        found = found.where('status', '>=', status.from).where('status', '<=', status.to);
        if (status.from >= UNUSUAL) found = found.where((record) => record('status', '>=', record.lit(UNUSUAL)));
      }
      if (from !== null) found = found.where('startedAt', '>=', from);
      if (to !== null) found = found.where('startedAt', '<', to);
      if (after !== null) {
        found = found.where((record) =>
          record(record.refTuple('startedAt', 'id'), '<', record.tuple(after.startedAt, after.id)),
        );
      }
      return found.execute();
    });
  }
}

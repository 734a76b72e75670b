import { Injectable } from '@nestjs/common';
import {
  Ids,
  RequestLogRepository,
  isUuid,
  type AnsweredRequest,
  type RecordedRequest,
  type RequestFilter,
} from '#domain';
import { Database } from '../database/database.js';
import { SYSTEM } from '../database/scope.js';

/** What is searched for by status is mostly what went wrong: it has an index of its own from here on. */
const UNUSUAL = 300;

@Injectable()
export class SqlRequestLogRepository extends RequestLogRepository {
  constructor(
    private readonly database: Database,
    private readonly ids: Ids,
  ) {
    super();
  }

  override async add(requests: readonly AnsweredRequest[]): Promise<void> {
    const rows = requests.map(({ accountId, ...request }) => ({
      ...request,
      id: this.ids.next(),
      accountId: accountId !== null && isUuid(accountId) ? accountId : null,
    }));
    await this.database.write(SYSTEM, { name: 'request-log-add', text: ADD, values: [JSON.stringify(rows)] });
  }

  override async search(
    { requestId, applicationId, accountId, status, from, to }: RequestFilter,
    { limit, after }: Parameters<RequestLogRepository['search']>[1],
  ): Promise<RecordedRequest[]> {
    const conditions: string[] = [];
    const values: unknown[] = [limit];
    const parameter = (value: unknown) => `$${values.push(value)}`;
    if (requestId !== null) conditions.push(`request_id = ${parameter(requestId)}`);
    if (applicationId !== null) conditions.push(`application_id = ${parameter(applicationId)}`);
    if (accountId !== null) conditions.push(`account_id = ${parameter(accountId)}`);
    if (status !== null) {
      conditions.push(`status between ${parameter(status.from)} and ${parameter(status.to)}`);
      if (status.from >= UNUSUAL) conditions.push(`status >= ${UNUSUAL}`);
    }
    if (from !== null) conditions.push(`started_at >= ${parameter(from)}`);
    if (to !== null) conditions.push(`started_at < ${parameter(to)}`);
    if (after !== null) {
      conditions.push(`(started_at, id) < (${parameter(after.startedAt)}::timestamptz, ${parameter(after.id)}::uuid)`);
    }
    return this.database.read<RecordedRequest>(SYSTEM, {
      text:
        `select ${COLUMNS} from request_record ${conditions.length === 0 ? '' : `where ${conditions.join(' and ')} `}` +
        'order by started_at desc, id desc limit $1',
      values,
    });
  }
}

const COLUMNS =
  'id, request_id as "requestId", started_at as "startedAt", method, route, status, error_code as "errorCode", ' +
  'duration_ms as "durationMs", application_id as "applicationId", api_key_id as "apiKeyId", ' +
  'account_id as "accountId", provider_type as "providerType"';

/**
 * An account counts when it is the application's. One that was just deleted is not any more: then it counts when the
 * request succeeded, which none does on an account of others.
 */
const ADD =
  'insert into request_record (id, request_id, started_at, method, route, status, error_code, duration_ms, ' +
  'application_id, api_key_id, account_id, provider_type) ' +
  'select r.id, r."requestId", r."startedAt", r.method, r.route, r.status, r."errorCode", r."durationMs", ' +
  'r."applicationId", r."apiKeyId", case when r.status < 400 then r."accountId" else a.id end, a.provider_type ' +
  'from json_to_recordset($1::json) as r (id uuid, "requestId" text, "startedAt" timestamptz, method text, route text, ' +
  'status int, "errorCode" text, "durationMs" int, "applicationId" uuid, "apiKeyId" text, "accountId" uuid) ' +
  'left join end_user_account a on a.id = r."accountId" and a.application_id = r."applicationId"';

import { Injectable } from '@nestjs/common';
import {
  AccountOversight,
  isUuid,
  type AccountFilter,
  type OverseenAccount,
  type OverseenAccountDetail,
  type StatusChange,
  type WatchState,
  type WebhookPage,
} from '#domain';
import { Database } from '../database/database.js';
import { SYSTEM } from '../database/scope.js';

/** Changes of the status that are shown. */
const HISTORY = 50;

/** Reads that belong to no application: every statement is the system's. */
@Injectable()
export class SqlAccountOversight extends AccountOversight {
  constructor(private readonly database: Database) {
    super();
  }

  override async list(
    { applicationId, providerType, status, search }: AccountFilter,
    { limit, after }: WebhookPage,
  ): Promise<OverseenAccount[]> {
    const conditions: string[] = [];
    const values: unknown[] = [limit];
    const parameter = (value: unknown) => `$${values.push(value)}`;
    if (applicationId !== null) conditions.push(`a.application_id = ${parameter(applicationId)}`);
    if (providerType !== null) conditions.push(`a.provider_type = ${parameter(providerType)}`);
    if (status !== null) conditions.push(`a.status = ${parameter(status)}`);
    if (search !== null) {
      const sought = `${parameter(search)}::text`;
      // `position` knows no wildcards: the search is literal whatever it contains (N18).
      const matches = [`position(lower(${sought}) in lower(a.email)) > 0`, `a.external_id = ${sought}`];
      if (isUuid(search)) matches.push(`a.id = ${sought}::uuid`);
      conditions.push(`(${matches.join(' or ')})`);
    }
    if (after !== null) conditions.push(`a.id < ${parameter(after)}`);
    const chosen =
      `select * from end_user_account a ${conditions.length === 0 ? '' : `where ${conditions.join(' and ')} `}` +
      // Ids are in the order of their times.
      'order by a.id desc limit $1';
    return this.database.read<OverseenAccount>(SYSTEM, {
      // The page first: what is told of an account is looked up for these alone.
      text: `select ${LISTED} ${from(`(${chosen})`)} order by a.id desc`,
      values,
    });
  }

  override async find(accountId: string): Promise<OverseenAccountDetail | null> {
    if (!isUuid(accountId)) return null;
    const [account] = await this.database.read<Omit<OverseenAccountDetail, 'history'>>(SYSTEM, {
      text: DETAIL,
      values: [accountId],
    });
    if (account === undefined) return null;
    const history = await this.database.read<StatusChange>(SYSTEM, {
      text:
        'select changed_at as at, status, reason from account_status_change where account_id = $1 ' +
        'order by changed_at desc, id desc limit $2',
      values: [accountId, HISTORY],
    });
    return { ...account, history };
  }

  override async watched(accountId: string): Promise<WatchState[]> {
    if (!isUuid(accountId)) return [];
    return this.database.read<WatchState>(SYSTEM, { text: WATCHED, values: [accountId] });
  }
}

/** Accounts that were there before changes were noted have none. */
const LISTED =
  'a.id, a.application_id as "applicationId", p.name as "applicationName", a.provider_type as "providerType", a.email, ' +
  'a.external_id as "externalId", a.status, a.created_at as "createdAt", ' +
  'coalesce((select max(s.changed_at) from account_status_change s where s.account_id = a.id), a.updated_at) ' +
  'as "statusSince"';
const from = (accounts: string) => `from ${accounts} a join application p on p.id = a.application_id`;

/** A refusal of other credentials than the stored ones says nothing about these. */
const DETAIL =
  `select ${LISTED}, a.status_reason as "statusReason", a.authorized_scopes as "authorizedScopes", ` +
  'a.server_url as "serverUrl", h.checked_at as "checkedAt", ' +
  'case when a.status = \'ACTIVE\' then h.next_check_at end as "nextCheckAt", ' +
  'case when c.row_version = h.refused_version then h.first_refused_at end as "refusedAt", ' +
  '(select count(*)::int from webhook_endpoint e join watched_calendar w on w.id = e.watched_calendar_id ' +
  'where w.end_user_account_id = a.id) as subscriptions ' +
  `${from('end_user_account')} left join account_health h on h.end_user_account_id = a.id ` +
  'left join credential c on c.end_user_account_id = a.id where a.id = $1';

const WATCHED =
  'select w.calendar_id as "calendarId", exists (select from provider_channel c where c.watched_calendar_id = w.id ' +
  'and c.state = \'live\' and c.expires_at > clock_timestamp()) as "isPushed" from watched_calendar w ' +
  'where w.end_user_account_id = $1 and exists (select from webhook_endpoint e where e.watched_calendar_id = w.id)';

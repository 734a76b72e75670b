import { Injectable } from '@nestjs/common';
import {
  OperatorAccountQueries,
  type AccountFilter,
  type AccountSummary,
  type AccountDetail,
  type CalendarChangeDetection,
  type TimelineEntry,
} from '#domain/operator';
import { isUuid } from '#domain/system';
import type { WebhookPage } from '#domain/webhooks';
import { Database } from '../database/database.js';
import { EntityManagers } from '../database/entity-managers.js';
import { SYSTEM } from '../database/scope.js';
import { ACCOUNT_DETAIL, ACCOUNT_SUMMARIES, ACCOUNT_TIMELINE, CHANGE_DETECTION } from './accounts.statements.js';

const HISTORY = 50;

@Injectable()
export class SqlOperatorAccountQueries extends OperatorAccountQueries {
  constructor(
    private readonly database: Database,
    private readonly entities: EntityManagers,
  ) {
    super();
  }

  override async list(
    { applicationId, providerType, status, search }: AccountFilter,
    { limit, after }: WebhookPage,
  ): Promise<AccountSummary[]> {
    return this.database.read<AccountSummary>(SYSTEM, {
      text: ACCOUNT_SUMMARIES,
      values: [after, applicationId, providerType, status, search, isUuid(search) ? search : null, limit],
    });
  }

  override async find(accountId: string): Promise<AccountDetail | null> {
    if (!isUuid(accountId)) return null;
    const [account] = await this.database.read<Omit<AccountDetail, 'history'>>(SYSTEM, {
      text: ACCOUNT_DETAIL,
      values: [accountId],
    });
    if (account === undefined) return null;
    const history = await this.entities.query(SYSTEM, (tables) =>
      tables
        .selectFrom('AccountStatusChange')
        .select(['changedAt as at', 'status', 'reason'])
        .where('account', '=', accountId)
        .orderBy('changedAt', 'desc')
        .orderBy('id', 'desc')
        .limit(HISTORY)
        .execute(),
    );
    return { ...account, history };
  }

  override async timeline(accountId: string, limit: number): Promise<TimelineEntry[]> {
    if (!isUuid(accountId)) return [];
    return this.database.read<TimelineEntry>(SYSTEM, { text: ACCOUNT_TIMELINE, values: [accountId, limit] });
  }

  override async changeDetections(accountId: string): Promise<CalendarChangeDetection[]> {
    if (!isUuid(accountId)) return [];
    return this.database.read<CalendarChangeDetection>(SYSTEM, { text: CHANGE_DETECTION, values: [accountId] });
  }
}

import { Injectable } from '@nestjs/common';
import {
  AccountOversight,
  isUuid,
  type AccountFilter,
  type OverseenAccount,
  type OverseenAccountDetail,
  type WatchState,
  type WebhookPage,
} from '#domain';
import { Database } from '../database/database.js';
import { EntityManagers } from '../database/entity-managers.js';
import { SYSTEM } from '../database/scope.js';
import { OVERSEEN_ACCOUNT, OVERSEEN_ACCOUNTS, WATCHED } from './accounts.statements.js';

const HISTORY = 50;

@Injectable()
export class SqlAccountOversight extends AccountOversight {
  constructor(
    private readonly database: Database,
    private readonly entities: EntityManagers,
  ) {
    super();
  }

  override async list(
    { applicationId, providerType, status, search }: AccountFilter,
    { limit, after }: WebhookPage,
  ): Promise<OverseenAccount[]> {
    return this.database.read<OverseenAccount>(SYSTEM, {
      text: OVERSEEN_ACCOUNTS,
      values: [after, applicationId, providerType, status, search, isUuid(search) ? search : null, limit],
    });
  }

  override async find(accountId: string): Promise<OverseenAccountDetail | null> {
    if (!isUuid(accountId)) return null;
    const [account] = await this.database.read<Omit<OverseenAccountDetail, 'history'>>(SYSTEM, {
      text: OVERSEEN_ACCOUNT,
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

  override async watched(accountId: string): Promise<WatchState[]> {
    if (!isUuid(accountId)) return [];
    return this.database.read<WatchState>(SYSTEM, { text: WATCHED, values: [accountId] });
  }
}

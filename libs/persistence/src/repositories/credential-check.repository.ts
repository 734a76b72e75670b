import { Injectable } from '@nestjs/common';
import {
  CredentialCheckRepository,
  type AccountActivity,
  type DueCredentialCheck,
  type ProviderType,
} from '#domain/accounts';
import type { ApplicationRef } from '#domain/applications';
import { isUuid, noSuchAccount } from '#domain/system';
import { Database } from '../database/database.js';
import { EntityManagers } from '../database/entity-managers.js';
import { SYSTEM, tenant } from '../database/scope.js';
import { CredentialCheckEntity } from '../entities/accounts.entities.js';
import { CLAIM_CHECKS, RECORD_REJECTION, PLACE_CHECKS, REJECTED_ACCOUNTS } from './accounts.statements.js';
import { RejectedAccounts } from './rejected-accounts.js';

/** Accounts that get their place in the interval per statement: a first run over many must stay short. */
const PLACED_AT_ONCE = 1_000;
const USE_RECORDED_EVERY_MS = 5 * 60_000;

/** Uses the clock of the database: several machines claim checks and confirm rejections. */
@Injectable()
export class SqlCredentialCheckRepository extends CredentialCheckRepository {
  private readonly rejected = new Map<string, RejectedAccounts>();

  constructor(
    private readonly database: Database,
    private readonly entities: EntityManagers,
  ) {
    super();
  }

  override async claimDue({
    limit,
    intervalMs,
    spread,
  }: {
    limit: number;
    intervalMs: Partial<Record<ProviderType, number>>;
    spread: number;
  }): Promise<DueCredentialCheck[]> {
    const intervals = [Object.keys(intervalMs), Object.values(intervalMs)];
    await this.database.write(SYSTEM, { ...PLACE_CHECKS, values: [...intervals, PLACED_AT_ONCE] });
    for (;;) {
      const { rows } = await this.database.write<DueCredentialCheck & { active: boolean }>(SYSTEM, {
        ...CLAIM_CHECKS,
        values: [...intervals, limit, spread],
      });
      const due = rows.filter(({ active }) => active);
      // An empty result must mean that no check is due, not that the first few accounts were not ACTIVE.
      if (due.length > 0 || rows.length < limit) {
        return due.map(({ applicationId, accountId }) => ({ applicationId, accountId }));
      }
    }
  }

  override async checkBy(
    { applicationId: application }: ApplicationRef,
    endUserAccount: string,
    nextCheckAt: Date,
  ): Promise<void> {
    if (!isUuid(endUserAccount)) return;
    const isLater = { $or: [{ nextCheckAt: null }, { nextCheckAt: { $gt: nextCheckAt } }] };
    await this.entities.within(tenant(application), (em) =>
      em.nativeUpdate(CredentialCheckEntity, { application, endUserAccount, ...isLater }, { nextCheckAt }),
    );
  }

  override async recordUse(
    { applicationId: application }: ApplicationRef,
    endUserAccount: string,
    lastUsedAt: Date,
  ): Promise<void> {
    if (!isUuid(endUserAccount)) return;
    const before = { $lt: new Date(lastUsedAt.getTime() - USE_RECORDED_EVERY_MS) };
    const isDue = { $or: [{ lastUsedAt: null }, { lastUsedAt: before }] };
    await this.entities.within(tenant(application), (em) =>
      em.nativeUpdate(CredentialCheckEntity, { application, endUserAccount, ...isDue }, { lastUsedAt }),
    );
  }

  override async recordAccepted(
    { applicationId: application }: ApplicationRef,
    endUserAccount: string,
    acceptedAt: Date,
  ): Promise<void> {
    if (!isUuid(endUserAccount)) return;
    const isLater = { $or: [{ acceptedAt: null }, { acceptedAt: { $lt: acceptedAt } }] };
    await this.entities.within(tenant(application), (em) =>
      em.nativeUpdate(CredentialCheckEntity, { application, endUserAccount, ...isLater }, { acceptedAt }),
    );
  }

  override async activity({ applicationId }: ApplicationRef, accountId: string): Promise<AccountActivity | null> {
    if (!isUuid(accountId)) return null;
    const row = await this.entities.query(tenant(applicationId), (tables) =>
      tables
        .selectFrom('AccountHealth')
        .select(['lastUsedAt', 'acceptedAt', 'rejectedVersion'])
        .where('application', '=', applicationId)
        .where('endUserAccount', '=', accountId)
        .executeTakeFirst(),
    );
    if (row === undefined) return null;
    return { lastUsedAt: row.lastUsedAt, acceptedAt: row.rejectedVersion === null ? row.acceptedAt : null };
  }

  override async recordRejection(
    { applicationId }: ApplicationRef,
    accountId: string,
    rowVersion: number,
  ): Promise<{ firstRejectedAt: Date; sinceMs: number }> {
    if (!isUuid(accountId)) throw noSuchAccount();
    // Outside a transaction of the caller: the rejection stays true when that is rolled back.
    const { rows } = await this.database.detached(() =>
      this.database.write<{ firstRejectedAt: Date; sinceMs: number }>(tenant(applicationId), {
        text: RECORD_REJECTION,
        values: [applicationId, accountId, rowVersion],
      }),
    );
    const [rejection] = rows;
    if (rejection === undefined) throw noSuchAccount();
    this.rejectedOf(applicationId).add(accountId.toLowerCase());
    return rejection;
  }

  override async clearRejection({ applicationId: application }: ApplicationRef, endUserAccount: string): Promise<void> {
    const rejected = this.rejectedOf(application);
    if (!isUuid(endUserAccount) || !(await rejected.has(endUserAccount.toLowerCase()))) return;
    const none = { rejectedVersion: null, firstRejectedAt: null };
    await this.database.detached(() =>
      this.entities.within(tenant(application), (em) =>
        em.nativeUpdate(CredentialCheckEntity, { application, endUserAccount }, none),
      ),
    );
    rejected.delete(endUserAccount.toLowerCase());
  }

  private rejectedOf(applicationId: string): RejectedAccounts {
    let rejected = this.rejected.get(applicationId);
    if (rejected === undefined) {
      rejected = new RejectedAccounts(
        () => this.readRejected(applicationId),
        () => performance.now(),
      );
      this.rejected.set(applicationId, rejected);
    }
    return rejected;
  }

  private async readRejected(applicationId: string): Promise<string[]> {
    const rows = await this.database.detached(() =>
      this.database.read<{ id: string }>(tenant(applicationId), {
        ...REJECTED_ACCOUNTS,
        values: [applicationId],
      }),
    );
    return rows.map(({ id }) => id);
  }
}

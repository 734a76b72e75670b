import { Injectable } from '@nestjs/common';
import {
  AccountHealthRepository,
  DomainError,
  isUuid,
  type ApplicationRef,
  type DueCheck,
  type ProviderType,
} from '#domain';
import { Database } from '../database/database.js';
import { SYSTEM, tenant } from '../database/scope.js';
import { RefusedAccounts } from './refused-accounts.js';

/** Accounts that get their place in the interval at a time: a first run over many must not last. */
const PLACED_AT_ONCE = 1_000;

/** On the database's clock: checks are claimed, and refusals confirmed, by several machines. */
@Injectable()
export class SqlAccountHealthRepository extends AccountHealthRepository {
  /** By application. */
  private readonly refused = new Map<string, RefusedAccounts>();

  constructor(private readonly database: Database) {
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
  }): Promise<DueCheck[]> {
    const intervals = [Object.keys(intervalMs), Object.values(intervalMs)];
    await this.database.write(SYSTEM, { name: 'health-place', text: PLACE, values: [...intervals, PLACED_AT_ONCE] });
    for (;;) {
      const { rows } = await this.database.write<{ application_id: string; account_id: string; active: boolean }>(
        SYSTEM,
        { name: 'health-claim', text: CLAIM, values: [...intervals, limit, spread] },
      );
      const due = rows.filter(({ active }) => active);
      // None means that nothing is due, not that the first few were not ACTIVE.
      if (due.length > 0 || rows.length < limit) {
        return due.map((row) => ({ applicationId: row.application_id, accountId: row.account_id }));
      }
    }
  }

  override async checkBy({ applicationId }: ApplicationRef, accountId: string, at: Date): Promise<void> {
    if (!isUuid(accountId)) return;
    await this.database.write(tenant(applicationId), {
      text:
        'update account_health set next_check_at = $3 where application_id = $1 and end_user_account_id = $2 ' +
        'and (next_check_at is null or next_check_at > $3)',
      values: [applicationId, accountId, at],
    });
  }

  override async noteUse({ applicationId }: ApplicationRef, accountId: string, at: Date): Promise<void> {
    if (!isUuid(accountId)) return;
    await this.database.write(tenant(applicationId), {
      text:
        'update account_health set last_used_at = $3 where application_id = $1 and end_user_account_id = $2 ' +
        "and (last_used_at is null or last_used_at < $3::timestamptz - interval '5 minutes')",
      values: [applicationId, accountId, at],
    });
  }

  override async lastUse({ applicationId }: ApplicationRef, accountId: string): Promise<Date | null> {
    if (!isUuid(accountId)) return null;
    const [row] = await this.database.read<{ last_used_at: Date | null }>(tenant(applicationId), {
      text: 'select last_used_at from account_health where application_id = $1 and end_user_account_id = $2',
      values: [applicationId, accountId],
    });
    return row?.last_used_at ?? null;
  }

  override async noteRefusal(
    { applicationId }: ApplicationRef,
    accountId: string,
    rowVersion: number,
  ): Promise<{ firstRefusedAt: Date; sinceMs: number }> {
    if (!isUuid(accountId)) throw noSuchAccount();
    // Not part of a transaction of the caller: the refusal stays true when that is undone.
    const { rows } = await this.database.detached(() =>
      this.database.write<{ first_refused_at: Date; since_ms: number }>(tenant(applicationId), {
        text:
          'update account_health set refused_version = $3, first_refused_at = ' +
          'case when refused_version = $3 then first_refused_at else clock_timestamp() end ' +
          'where application_id = $1 and end_user_account_id = $2 ' +
          'returning first_refused_at, ' +
          'greatest(0, extract(epoch from clock_timestamp() - first_refused_at) * 1000)::float8 as since_ms',
        values: [applicationId, accountId, rowVersion],
      }),
    );
    const [row] = rows;
    if (row === undefined) throw noSuchAccount();
    this.refusedOf(applicationId).add(accountId.toLowerCase());
    return { firstRefusedAt: row.first_refused_at, sinceMs: row.since_ms };
  }

  override async clearRefusal({ applicationId }: ApplicationRef, accountId: string): Promise<void> {
    const refused = this.refusedOf(applicationId);
    if (!isUuid(accountId) || !(await refused.has(accountId.toLowerCase()))) return;
    await this.database.detached(() =>
      this.database.write(tenant(applicationId), {
        text:
          'update account_health set refused_version = null, first_refused_at = null ' +
          'where application_id = $1 and end_user_account_id = $2',
        values: [applicationId, accountId],
      }),
    );
    refused.delete(accountId.toLowerCase());
  }

  private refusedOf(applicationId: string): RefusedAccounts {
    let refused = this.refused.get(applicationId);
    if (refused === undefined) {
      refused = new RefusedAccounts(
        () => this.readRefused(applicationId),
        () => performance.now(),
      );
      this.refused.set(applicationId, refused);
    }
    return refused;
  }

  private async readRefused(applicationId: string): Promise<string[]> {
    const rows = await this.database.detached(() =>
      this.database.read<{ id: string }>(tenant(applicationId), {
        name: 'health-refused',
        text:
          'select end_user_account_id as id from account_health ' +
          'where application_id = $1 and refused_version is not null',
        values: [applicationId],
      }),
    );
    return rows.map(({ id }) => id);
  }
}

/** $1, $2: intervals by provider type. Accounts of a type without one are looked at once a day, and not given out. */
const WITH_INTERVAL =
  'join end_user_account a on a.id = d.end_user_account_id ' +
  'left join unnest($1::text[], $2::float8[]) as i (provider_type, ms) on i.provider_type = a.provider_type';
const GIVEN_OUT = "(a.status = 'ACTIVE' and i.ms is not null)";
const INTERVAL = "coalesce(i.ms, 86400000) * interval '1 ms'";

// The sub-queries choose by the index on `next_check_at` alone, and `clock_timestamp()` is only good for an index when
// it is asked once.

/** $3: most. Each new account gets a random place in its interval. */
const PLACE =
  'with fresh as (select end_user_account_id from account_health where next_check_at is null limit $3 ' +
  'for update skip locked) ' +
  `update account_health h set next_check_at = clock_timestamp() + random() * ${INTERVAL} ` +
  `from fresh d ${WITH_INTERVAL} where h.end_user_account_id = d.end_user_account_id`;

/**
 * $3: most; $4: spread. Accounts that are not ACTIVE move on like the others, so that they do not stand in front of
 * these for ever.
 */
const CLAIM =
  'with due as (select end_user_account_id from account_health ' +
  'where next_check_at <= (select clock_timestamp()) order by next_check_at limit $3 for update skip locked) ' +
  `update account_health h set next_check_at = clock_timestamp() + ${INTERVAL} * (1 + $4::float8 * (2 * random() - 1)), ` +
  `checked_at = case when ${GIVEN_OUT} then clock_timestamp() else checked_at end ` +
  `from due d ${WITH_INTERVAL} where h.end_user_account_id = d.end_user_account_id ` +
  `returning h.application_id, h.end_user_account_id as account_id, ${GIVEN_OUT} as active`;

function noSuchAccount(): DomainError {
  return new DomainError('NotFound', 'There is no end user account with this id.');
}

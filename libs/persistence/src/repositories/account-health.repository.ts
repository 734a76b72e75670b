import { AccountHealthRepository, DomainError, type ApplicationRef, type DueCheck, type ProviderType } from '#domain';
import { Database } from '../database/database.js';
import { isUuid, SYSTEM, tenant } from '../database/scope.js';
import { RefusedAccounts } from './refused-accounts.js';

/** Accounts that get their place in the interval at a time: a first run over many must not last. */
const PLACED_AT_ONCE = 5_000;

/** On the database's clock: checks are claimed, and refusals confirmed, by several machines. */
export class SqlAccountHealthRepository extends AccountHealthRepository {
  private readonly refused: RefusedAccounts;

  constructor(private readonly database: Database) {
    super();
    this.refused = new RefusedAccounts(
      () => this.readRefused(),
      () => performance.now(),
    );
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
    const { rows } = await this.database.write<{ application_id: string; account_id: string; active: boolean }>(
      SYSTEM,
      { name: 'health-claim', text: CLAIM, values: [...intervals, limit, spread] },
    );
    return rows
      .filter(({ active }) => active)
      .map((row) => ({ applicationId: row.application_id, accountId: row.account_id }));
  }

  override async checkBy({ applicationId }: ApplicationRef, accountId: string, at: Date): Promise<void> {
    if (!isUuid(accountId)) return;
    await this.database.write(tenant(applicationId), {
      text:
        'insert into account_health (end_user_account_id, application_id, next_check_at) ' +
        `select id, application_id, $3 ${FROM_ACCOUNT} on conflict (end_user_account_id) do update ` +
        'set next_check_at = excluded.next_check_at where account_health.next_check_at is null ' +
        'or account_health.next_check_at > excluded.next_check_at',
      values: [applicationId, accountId, at],
    });
  }

  override async noteUse({ applicationId }: ApplicationRef, accountId: string, at: Date): Promise<void> {
    if (!isUuid(accountId)) return;
    await this.database.write(tenant(applicationId), {
      text:
        'insert into account_health (end_user_account_id, application_id, last_used_at) ' +
        `select id, application_id, $3 ${FROM_ACCOUNT} on conflict (end_user_account_id) do update ` +
        'set last_used_at = excluded.last_used_at where account_health.last_used_at is null ' +
        "or account_health.last_used_at < excluded.last_used_at - interval '5 minutes'",
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
          'insert into account_health (end_user_account_id, application_id, refused_version, first_refused_at) ' +
          `select id, application_id, $3, clock_timestamp() ${FROM_ACCOUNT} ` +
          'on conflict (end_user_account_id) do update set refused_version = excluded.refused_version, ' +
          'first_refused_at = case when account_health.refused_version = excluded.refused_version ' +
          'then account_health.first_refused_at else excluded.first_refused_at end ' +
          'returning first_refused_at, ' +
          'greatest(0, extract(epoch from clock_timestamp() - first_refused_at) * 1000)::float8 as since_ms',
        values: [applicationId, accountId, rowVersion],
      }),
    );
    const [row] = rows;
    if (row === undefined) throw noSuchAccount();
    this.refused.add(accountId.toLowerCase());
    return { firstRefusedAt: row.first_refused_at, sinceMs: row.since_ms };
  }

  override async clearRefusal({ applicationId }: ApplicationRef, accountId: string): Promise<void> {
    if (!isUuid(accountId) || !(await this.refused.has(accountId.toLowerCase()))) return;
    await this.database.detached(() =>
      this.database.write(tenant(applicationId), {
        text:
          'update account_health set refused_version = null, first_refused_at = null ' +
          'where application_id = $1 and end_user_account_id = $2',
        values: [applicationId, accountId],
      }),
    );
    this.refused.delete(accountId.toLowerCase());
  }

  /** Accounts of all applications: one short statement for all successes of the next seconds. */
  private async readRefused(): Promise<string[]> {
    const rows = await this.database.detached(() =>
      this.database.read<{ id: string }>(SYSTEM, {
        name: 'health-refused',
        text: 'select end_user_account_id as id from account_health where refused_version is not null',
      }),
    );
    return rows.map(({ id }) => id);
  }
}

/** The lock keeps a deletion of the account from slipping in between. */
const FROM_ACCOUNT = 'from end_user_account where application_id = $1 and id = $2 for key share';

const INTERVALS = 'unnest($1::text[], $2::float8[]) as i (provider_type, ms)';

/** $1, $2: intervals by provider type; $3: most. Each gets a random place in its interval. */
const PLACE =
  'insert into account_health (end_user_account_id, application_id, next_check_at) ' +
  "select a.id, a.application_id, clock_timestamp() + random() * i.ms * interval '1 ms' " +
  `from end_user_account a join ${INTERVALS} on i.provider_type = a.provider_type ` +
  'left join account_health h on h.end_user_account_id = a.id ' +
  "where a.status = 'ACTIVE' and h.next_check_at is null limit $3 for key share of a skip locked " +
  'on conflict (end_user_account_id) do update set next_check_at = excluded.next_check_at ' +
  'where account_health.next_check_at is null';

/**
 * $1, $2: intervals by provider type; $3: most; $4: spread. Accounts that are not ACTIVE move on like the others, so
 * that they do not stand in front of these for ever.
 */
const CLAIM =
  "update account_health h set next_check_at = clock_timestamp() + due.ms * interval '1 ms' " +
  '* (1 + $4::float8 * (2 * random() - 1)) from (' +
  "select h.end_user_account_id, i.ms, a.status = 'ACTIVE' as active from account_health h " +
  `join end_user_account a on a.id = h.end_user_account_id join ${INTERVALS} on i.provider_type = a.provider_type ` +
  'where h.next_check_at <= clock_timestamp() order by h.next_check_at limit $3 for update of h skip locked' +
  ') due where h.end_user_account_id = due.end_user_account_id ' +
  'returning h.application_id, h.end_user_account_id as account_id, due.active';

function noSuchAccount(): DomainError {
  return new DomainError('NotFound', 'There is no end user account with this id.');
}

import { Injectable } from '@nestjs/common';
import { ReadingPlanRepository, type QuotaOwner, type ReadingPriority, type StoredPlan } from '#domain/usage';
import { Database } from '../database/database.js';
import { EntityManagers } from '../database/entity-managers.js';
import { SYSTEM } from '../database/scope.js';
import { ReadingPlanEntity } from '../entities/providers.entities.js';
import { CHANGED_AT, QUOTA_OWNER, READING_PRIORITY } from './synced-calendar.statements.js';

// Raw: the statements use the clock of the server, and count or change all calendars at once.

const OWNED = `
  from synced_calendar w join end_user_account a on a.id = w.end_user_account_id and a.status = 'ACTIVE'
  left join credential cr on cr.end_user_account_id = a.id`;

const OWNERS = `
  with owned as (
    select a.provider_type, ${QUOTA_OWNER} as owner, count(c.id) as pushed, count(*) - count(c.id) as polled,
           count(c.id) filter (where w.notified_at > now() - interval '10 minutes') as lately,
           count(c.id) filter (where w.notified_at > now() - interval '70 minutes'
                                 and w.notified_at <= now() - interval '10 minutes') as before
      ${OWNED}
      left join provider_channel c on c.synced_calendar_id = w.id and c.state = 'live' and c.expires_at > now()
     group by 1, 2
  ), used as (
    select provider_type, project as owner, sum(requests) as requests,
           sum(requests) filter (where cause in ('call', 'connect')) as calls
      from provider_request_count where hour > now() - interval '24 hours' and project <> '' group by 1, 2
  )
  select provider_type as "providerType", owner as "quotaOwner", coalesce(pushed, 0)::int as pushed,
         coalesce(polled, 0)::int as polled, coalesce(lately, 0)::int as "notifiedLately",
         coalesce(before, 0)::int as "notifiedBefore", coalesce(calls, 0)::float8 as calls,
         coalesce(requests, 0)::float8 as requests, coalesce(p.strained_until > now(), false) as "isStrained",
         coalesce(p.hurried_at > now() - interval '1 hour', false) as "isHurried"
    from owned full join used using (provider_type, owner)
    left join reading_plan p on p.provider_type = provider_type and p.quota_owner = owner`;

const PRIORITY_OF = `
  select priority, "changedAt" from (
    select ${READING_PRIORITY} as priority, ${CHANGED_AT} as "changedAt" ${OWNED}
     where a.provider_type = $1 and ${QUOTA_OWNER} = $2
  ) ranked where priority is not null order by priority, "changedAt" desc offset $3 limit 1`;

const HURRY = `
  with hurried as (
    update reading_plan set hurried_at = clock_timestamp()
     where provider_type = $1 and quota_owner = $2
       and (hurried_at is null or hurried_at < clock_timestamp() - interval '1 hour') returning true
  ), found as materialized (
    select w.id ${OWNED}
     where exists (select from hurried) and a.provider_type = $1 and ${QUOTA_OWNER} = $2 and w.sync_lease_id is null
       and exists (select from provider_channel c where c.synced_calendar_id = w.id and c.state = 'live')
     order by w.id for no key update of w
  )
  update synced_calendar w
     set next_sync_at = least(w.next_sync_at, clock_timestamp() + (1 + 9 * random()) * interval '1 minute')
    from found where w.id = found.id`;

/** Not part of a plan. */
const KEPT = ['strainedUntil' as const, 'hurriedAt' as const];

@Injectable()
export class SqlReadingPlanRepository extends ReadingPlanRepository {
  constructor(
    private readonly database: Database,
    private readonly entities: EntityManagers,
  ) {
    super();
  }

  override owners(): Promise<QuotaOwner[]> {
    return this.database.read<QuotaOwner>(SYSTEM, { text: OWNERS, values: [] });
  }

  override async priorityOf(
    { providerType, quotaOwner }: Pick<QuotaOwner, 'providerType' | 'quotaOwner'>,
    count: number,
  ): Promise<ReadingPriority | null> {
    const [row] = await this.database.read<ReadingPriority>(SYSTEM, {
      text: PRIORITY_OF,
      values: [providerType, quotaOwner, Math.max(0, count - 1)],
    });
    return row ?? null;
  }

  override async replace(plans: readonly Omit<StoredPlan, 'plannedAt'>[]): Promise<void> {
    const plannedAt = new Date();
    const rows = plans.map(({ lastNear, others, requestsPerDay, requestsUsed, ...plan }) => ({
      ...plan,
      plannedAt,
      requestsPerDay: requestsPerDay === null ? null : BigInt(requestsPerDay),
      requestsUsed: BigInt(requestsUsed),
      nearPriority: lastNear?.priority ?? null,
      nearChangedAt: lastNear?.changedAt ?? null,
      minIntervalMs: Math.round(others.min),
      maxIntervalMs: Math.round(others.max),
      strainedUntil: null,
      hurriedAt: null,
    }));
    await this.entities.within(SYSTEM, async (em) => {
      if (rows.length > 0) await em.upsertMany(ReadingPlanEntity, rows, { onConflictExcludeFields: KEPT });
      await em.nativeDelete(ReadingPlanEntity, { plannedAt: { $lt: plannedAt } });
    });
  }

  override async all(): Promise<StoredPlan[]> {
    const rows = await this.entities.query(SYSTEM, (tables) => tables.selectFrom('ReadingPlan').selectAll().execute());
    return rows.map(
      ({ nearPriority, nearChangedAt, minIntervalMs, maxIntervalMs, requestsPerDay, requestsUsed, ...row }) => ({
        ...row,
        requestsPerDay: requestsPerDay === null ? null : Number(requestsPerDay),
        requestsUsed: Number(requestsUsed),
        others: { min: minIntervalMs, max: maxIntervalMs },
        lastNear:
          nearPriority === null || nearChangedAt === null ? null : { priority: nearPriority, changedAt: nearChangedAt },
      }),
    );
  }

  override async strain({ providerType, quotaOwner }: Pick<QuotaOwner, 'providerType' | 'quotaOwner'>): Promise<void> {
    await this.database.write(SYSTEM, {
      name: 'reading-plan-strain',
      text: `update reading_plan set strained_until = clock_timestamp() + interval '10 minutes'
              where provider_type = $1 and quota_owner = $2`,
      values: [providerType, quotaOwner],
    });
  }

  override async hurry({ providerType, quotaOwner }: Pick<QuotaOwner, 'providerType' | 'quotaOwner'>): Promise<number> {
    const { count } = await this.database.write(SYSTEM, { text: HURRY, values: [providerType, quotaOwner] });
    return count;
  }
}

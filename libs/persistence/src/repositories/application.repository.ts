import { Injectable } from '@nestjs/common';
import {
  ApplicationRepository,
  Clock,
  Ids,
  isUuid,
  type Application,
  type ApplicationOptions,
  type CountedApplication,
  type Environment,
} from '#domain';
import { Database } from '../database/database.js';
import { SYSTEM, tenant } from '../database/scope.js';

interface ApplicationRow {
  id: string;
  name: string;
  environment: Environment;
  rate_limit_rps: number | null;
  enriches_webhooks: boolean;
  polls_calendars: boolean;
  requires_signed_links: boolean;
  created_at: Date;
}

interface CountedRow extends ApplicationRow {
  accounts: number;
  api_keys: number;
  subscriptions: number;
}

const COLUMNS =
  'id, name, environment, rate_limit_rps, enriches_webhooks, polls_calendars, requires_signed_links, created_at';

/** @param now the parameter that says which keys have expired */
const counted = (now: '$1' | '$2') =>
  [
    COLUMNS,
    '(select count(*)::int from end_user_account where application_id = a.id) as accounts',
    '(select count(*)::int from api_key where application_id = a.id and revoked_at is null ' +
      `and (expires_at is null or expires_at > ${now})) as api_keys`,
    '(select count(*)::int from webhook_endpoint where application_id = a.id ' +
      'and watched_calendar_id is not null) as subscriptions',
  ].join(', ');

const MESSAGES_AT_ONCE = 2_000;

/** Applications are made and listed by the operator, in the system's scope; each sees only itself. */
@Injectable()
export class SqlApplicationRepository extends ApplicationRepository {
  constructor(
    private readonly database: Database,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async create({
    name,
    rateLimitRps = null,
    environment = 'development',
  }: {
    name: string;
    rateLimitRps?: number | null;
    environment?: Environment;
  }): Promise<Application> {
    const { rows } = await this.database.write<ApplicationRow>(SYSTEM, {
      text:
        'insert into application (id, name, rate_limit_rps, environment, created_at) values ($1, $2, $3, $4, $5) ' +
        `returning ${COLUMNS}`,
      values: [this.ids.next(), name, rateLimitRps, environment, this.now()],
    });
    return toApplication(rows[0] as ApplicationRow);
  }

  override async list(): Promise<CountedApplication[]> {
    const rows = await this.database.read<CountedRow>(SYSTEM, {
      text: `select ${counted('$1')} from application a where deletion_due_at is null order by created_at, id`,
      values: [this.now()],
    });
    return rows.map(toCounted);
  }

  override async find(applicationId: string): Promise<Application | null> {
    if (!isUuid(applicationId)) return null;
    const [row] = await this.database.read<ApplicationRow>(tenant(applicationId), {
      name: 'application-find',
      text: `select ${COLUMNS} from application where id = $1 and deletion_due_at is null`,
      values: [applicationId],
    });
    return row === undefined ? null : toApplication(row);
  }

  override async findCounted(applicationId: string): Promise<CountedApplication | null> {
    if (!isUuid(applicationId)) return null;
    const [row] = await this.database.read<CountedRow>(tenant(applicationId), {
      text: `select ${counted('$2')} from application a where id = $1 and deletion_due_at is null`,
      values: [applicationId, this.now()],
    });
    return row === undefined ? null : toCounted(row);
  }

  override async update(
    applicationId: string,
    {
      name,
      environment,
      rateLimitRps,
      enrichesWebhooks,
      pollsCalendars,
      requiresSignedLinks,
    }: Partial<ApplicationOptions>,
  ): Promise<Application | null> {
    if (!isUuid(applicationId)) return null;
    const { rows } = await this.database.write<ApplicationRow>(tenant(applicationId), {
      text:
        'update application set name = coalesce($2, name), environment = coalesce($3, environment), ' +
        'rate_limit_rps = case when $4 then $5 else rate_limit_rps end, ' +
        'enriches_webhooks = coalesce($6, enriches_webhooks), polls_calendars = coalesce($7, polls_calendars), ' +
        'requires_signed_links = coalesce($8, requires_signed_links) ' +
        `where id = $1 and deletion_due_at is null returning ${COLUMNS}`,
      values: [
        ...[applicationId, name ?? null, environment ?? null, rateLimitRps !== undefined, rateLimitRps ?? null],
        ...[enrichesWebhooks ?? null, pollsCalendars ?? null, requiresSignedLinks ?? null],
      ],
    });
    return rows[0] === undefined ? null : toApplication(rows[0]);
  }

  override async holdEnvironment(applicationId: string): Promise<Environment | null> {
    if (!isUuid(applicationId)) return null;
    const { rows } = await this.database.write<Pick<ApplicationRow, 'environment'>>(tenant(applicationId), {
      text: 'select environment from application where id = $1 and deletion_due_at is null for share',
      values: [applicationId],
    });
    return rows[0]?.environment ?? null;
  }

  override async beginDeletion(applicationId: string): Promise<boolean> {
    if (!isUuid(applicationId)) return false;
    const { count } = await this.database.write(tenant(applicationId), {
      text: 'update application set deletion_due_at = clock_timestamp() where id = $1 and deletion_due_at is null',
      values: [applicationId],
    });
    return count > 0;
  }

  override async claimDeletion(leaseMs: number): Promise<string | null> {
    const { rows } = await this.database.write<{ id: string }>(SYSTEM, {
      text:
        "update application set deletion_due_at = clock_timestamp() + $1 * interval '1 ms' where id = (" +
        'select id from application where deletion_due_at <= clock_timestamp() order by deletion_due_at ' +
        'limit 1 for update skip locked) returning id',
      values: [leaseMs],
    });
    return rows[0]?.id ?? null;
  }

  override async continueDeletion(applicationId: string, inMs: number): Promise<void> {
    await this.database.write(tenant(applicationId), {
      text:
        "update application set deletion_due_at = clock_timestamp() + $2 * interval '1 ms' " +
        'where id = $1 and deletion_due_at is not null',
      values: [applicationId, inMs],
    });
  }

  override async deleteEndpoints(applicationId: string): Promise<void> {
    await this.deleteMessages(applicationId);
    await this.database.write(tenant(applicationId), {
      text: 'delete from webhook_endpoint where application_id = $1',
      values: [applicationId],
    });
  }

  override async delete(applicationId: string): Promise<boolean> {
    if (!isUuid(applicationId)) return false;
    await this.deleteMessages(applicationId);
    const { count } = await this.database.write(tenant(applicationId), {
      text: 'delete from application where id = $1',
      values: [applicationId],
    });
    return count > 0;
  }

  /** A month of them is more than one statement may take. What comes meanwhile goes with the application. */
  private async deleteMessages(applicationId: string): Promise<void> {
    for (let count = MESSAGES_AT_ONCE; count === MESSAGES_AT_ONCE;) {
      ({ count } = await this.database.write(tenant(applicationId), {
        text:
          'delete from webhook_message where application_id = $1 and id in ' +
          '(select id from webhook_message where application_id = $1 limit $2 for update skip locked)',
        values: [applicationId, MESSAGES_AT_ONCE],
      }));
    }
  }

  private now(): Date {
    return new Date(this.clock.nowMs());
  }
}

function toCounted(row: CountedRow): CountedApplication {
  const { accounts, api_keys: apiKeys, subscriptions } = row;
  return { ...toApplication(row), counts: { accounts, apiKeys, subscriptions } };
}

function toApplication(row: ApplicationRow): Application {
  return {
    id: row.id,
    name: row.name,
    environment: row.environment,
    rateLimitRps: row.rate_limit_rps,
    enrichesWebhooks: row.enriches_webhooks,
    pollsCalendars: row.polls_calendars,
    requiresSignedLinks: row.requires_signed_links,
    createdAt: row.created_at,
  };
}

import { ApplicationRepository, Clock, Ids, type Application, type ApplicationOptions } from '#domain';
import { Database } from '../database/database.js';
import { isUuid, SYSTEM, tenant } from '../database/scope.js';

interface ApplicationRow {
  id: string;
  name: string;
  rate_limit_rps: number | null;
  enriches_webhooks: boolean;
  polls_calendars: boolean;
  created_at: Date;
}

const COLUMNS = 'id, name, rate_limit_rps, enriches_webhooks, polls_calendars, created_at';

const MESSAGES_AT_ONCE = 2_000;

/** Applications are made and listed by the operator, in the system's scope; each sees only itself. */
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
  }: {
    name: string;
    rateLimitRps?: number | null;
  }): Promise<Application> {
    const { rows } = await this.database.write<ApplicationRow>(SYSTEM, {
      text: `insert into application (id, name, rate_limit_rps, created_at) values ($1, $2, $3, $4) returning ${COLUMNS}`,
      values: [this.ids.next(), name, rateLimitRps, new Date(this.clock.nowMs())],
    });
    return toApplication(rows[0] as ApplicationRow);
  }

  override async list(): Promise<Application[]> {
    const rows = await this.database.read<ApplicationRow>(SYSTEM, {
      text: `select ${COLUMNS} from application order by created_at, id`,
    });
    return rows.map(toApplication);
  }

  override async find(applicationId: string): Promise<Application | null> {
    if (!isUuid(applicationId)) return null;
    const [row] = await this.database.read<ApplicationRow>(tenant(applicationId), {
      name: 'application-find',
      text: `select ${COLUMNS} from application where id = $1`,
      values: [applicationId],
    });
    return row === undefined ? null : toApplication(row);
  }

  override async update(
    applicationId: string,
    { enrichesWebhooks, pollsCalendars }: Partial<ApplicationOptions>,
  ): Promise<Application | null> {
    if (!isUuid(applicationId)) return null;
    const { rows } = await this.database.write<ApplicationRow>(tenant(applicationId), {
      text:
        'update application set enriches_webhooks = coalesce($2, enriches_webhooks), ' +
        `polls_calendars = coalesce($3, polls_calendars) where id = $1 returning ${COLUMNS}`,
      values: [applicationId, enrichesWebhooks ?? null, pollsCalendars ?? null],
    });
    return rows[0] === undefined ? null : toApplication(rows[0]);
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
}

function toApplication(row: ApplicationRow): Application {
  return {
    id: row.id,
    name: row.name,
    rateLimitRps: row.rate_limit_rps,
    enrichesWebhooks: row.enriches_webhooks,
    pollsCalendars: row.polls_calendars,
    createdAt: row.created_at,
  };
}

import { ApplicationRepository, Clock, Ids, type Application } from '#domain';
import { Database } from '../database/database.js';
import { isUuid, SYSTEM, tenant } from '../database/scope.js';

interface ApplicationRow {
  id: string;
  name: string;
  rate_limit_rps: number | null;
  created_at: Date;
}

const COLUMNS = 'id, name, rate_limit_rps, created_at';

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
    const application = { id: this.ids.next(), name, rateLimitRps, createdAt: new Date(this.clock.nowMs()) };
    await this.database.write(SYSTEM, {
      text: 'insert into application (id, name, rate_limit_rps, created_at) values ($1, $2, $3, $4)',
      values: [application.id, name, rateLimitRps, application.createdAt],
    });
    return application;
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

  override async delete(applicationId: string): Promise<boolean> {
    if (!isUuid(applicationId)) return false;
    const { count } = await this.database.write(tenant(applicationId), {
      text: 'delete from application where id = $1',
      values: [applicationId],
    });
    return count > 0;
  }
}

function toApplication(row: ApplicationRow): Application {
  return { id: row.id, name: row.name, rateLimitRps: row.rate_limit_rps, createdAt: row.created_at };
}

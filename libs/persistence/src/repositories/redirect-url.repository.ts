import { Injectable } from '@nestjs/common';
import { Clock, DomainError, Ids, RedirectUrlRepository, isUuid, type ApplicationRef } from '#domain';
import { isForeignKeyViolation } from '../database/database-errors.js';
import { Database } from '../database/database.js';
import { tenant } from '../database/scope.js';

@Injectable()
export class SqlRedirectUrlRepository extends RedirectUrlRepository {
  constructor(
    private readonly database: Database,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async list({ applicationId }: ApplicationRef): Promise<string[]> {
    if (!isUuid(applicationId)) return [];
    const rows = await this.database.read<{ url: string }>(tenant(applicationId), {
      text: 'select url from redirect_url where application_id = $1 order by created_at, id',
      values: [applicationId],
    });
    return rows.map(({ url }) => url);
  }

  override async add({ applicationId }: ApplicationRef, url: string): Promise<boolean> {
    if (!isUuid(applicationId)) throw noSuchApplication();
    try {
      const { count } = await this.database.write(tenant(applicationId), {
        text:
          'insert into redirect_url (application_id, id, url, created_at) values ($1, $2, $3, $4) ' +
          'on conflict (application_id, url) do nothing',
        values: [applicationId, this.ids.next(), url, new Date(this.clock.nowMs())],
      });
      return count > 0;
    } catch (error) {
      if (isForeignKeyViolation(error)) throw noSuchApplication();
      throw error;
    }
  }

  override async remove({ applicationId }: ApplicationRef, url: string): Promise<boolean> {
    if (!isUuid(applicationId)) return false;
    const { count } = await this.database.write(tenant(applicationId), {
      text: 'delete from redirect_url where application_id = $1 and url = $2',
      values: [applicationId, url],
    });
    return count > 0;
  }

  override async replace({ applicationId }: ApplicationRef, from: string, to: string): Promise<boolean> {
    if (!isUuid(applicationId)) return false;
    const { count } = await this.database.write(tenant(applicationId), {
      text: 'update redirect_url set url = $3 where application_id = $1 and url = $2',
      values: [applicationId, from, to],
    });
    return count > 0;
  }
}

function noSuchApplication(): DomainError {
  return new DomainError('NotFound', 'There is no application with this id.');
}

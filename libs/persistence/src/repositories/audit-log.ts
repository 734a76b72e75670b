import { Injectable } from '@nestjs/common';
import { AuditLog, Clock, Ids, type AuditEntry } from '#domain';
import { Database } from '../database/database.js';
import { SYSTEM, tenant } from '../database/scope.js';

@Injectable()
export class SqlAuditLog extends AuditLog {
  constructor(
    private readonly database: Database,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async record({ applicationId, actor, action, subject, requestId }: AuditEntry): Promise<void> {
    await this.database.write(applicationId === null ? SYSTEM : tenant(applicationId), {
      text:
        'insert into audit_entry (id, application_id, actor, action, subject, request_id, recorded_at) ' +
        'values ($1, $2, $3, $4, $5, $6, $7)',
      values: [this.ids.next(), applicationId, actor, action, subject, requestId, new Date(this.clock.nowMs())],
    });
  }
}

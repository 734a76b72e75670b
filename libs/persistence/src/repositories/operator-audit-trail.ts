import { Injectable } from '@nestjs/common';
import { AuditTrail, isUuid, type AuditTrailQuery, type RecordedAuditEntry } from '#domain';
import { Database } from '../database/database.js';
import { SYSTEM } from '../database/scope.js';

interface AuditRow {
  id: string;
  application_id: string | null;
  actor: string;
  action: string;
  subject: string;
  request_id: string | null;
  recorded_at: Date;
}

@Injectable()
export class SqlAuditTrail extends AuditTrail {
  constructor(private readonly database: Database) {
    super();
  }

  override async list({ limit, applicationId, actor, action, after }: AuditTrailQuery): Promise<RecordedAuditEntry[]> {
    if (applicationId !== null && !isUuid(applicationId)) return [];
    const values: unknown[] = [limit];
    const conditions = Object.entries({ application_id: applicationId, actor, action })
      .filter(([, value]) => value !== null)
      .map(([column, value]) => `${column} = $${values.push(value)}`);
    if (after !== null) {
      conditions.push(
        `(recorded_at, id) < (select recorded_at, id from audit_entry where id = $${values.push(after)})`,
      );
    }
    const rows = await this.database.read<AuditRow>(SYSTEM, {
      text:
        'select id, application_id, actor, action, subject, request_id, recorded_at from audit_entry ' +
        (conditions.length > 0 ? `where ${conditions.join(' and ')} ` : '') +
        'order by recorded_at desc, id desc limit $1',
      values,
    });
    return rows.map((row) => ({
      id: row.id,
      applicationId: row.application_id,
      actor: row.actor,
      action: row.action,
      subject: row.subject,
      requestId: row.request_id,
      recordedAt: row.recorded_at,
    }));
  }
}

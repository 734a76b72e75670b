import { Injectable } from '@nestjs/common';
import { AuditLog, AuditTrail, type AuditEntry, type AuditTrailQuery, type RecordedAuditEntry } from '#domain/operator';
import { Clock, IdGenerator, isUuid } from '#domain/system';
import { EntityManagers } from '../database/entity-managers.js';
import { SYSTEM, tenant } from '../database/scope.js';
import { AuditEntryEntity } from '../entities/operators.entities.js';

@Injectable()
export class SqlAuditLog extends AuditLog {
  constructor(
    private readonly entities: EntityManagers,
    private readonly ids: IdGenerator,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async record({ applicationId, actor, action, subject, requestId }: AuditEntry): Promise<void> {
    const entry = { id: this.ids.next(), applicationId, actor, action, subject, requestId };
    await this.entities.within(applicationId === null ? SYSTEM : tenant(applicationId), (em) =>
      em.insert(AuditEntryEntity, { ...entry, recordedAt: new Date(this.clock.nowMs()) }),
    );
  }
}

@Injectable()
export class SqlAuditTrail extends AuditTrail {
  constructor(private readonly entities: EntityManagers) {
    super();
  }

  override async list({ limit, applicationId, actor, action, after }: AuditTrailQuery): Promise<RecordedAuditEntry[]> {
    if (applicationId !== null && !isUuid(applicationId)) return [];
    return this.entities.query(SYSTEM, (tables) => {
      let entries = tables
        .selectFrom('AuditEntry')
        .select(['id', 'applicationId', 'actor', 'action', 'subject', 'requestId', 'recordedAt'])
        .orderBy('recordedAt', 'desc')
        .orderBy('id', 'desc')
        .limit(limit);
      if (applicationId !== null) entries = entries.where('applicationId', '=', applicationId);
      if (actor !== null) entries = entries.where('actor', '=', actor);
      if (action !== null) entries = entries.where('action', '=', action);
      if (after !== null) {
        entries = entries.where((entry) =>
          entry(
            entry.refTuple('recordedAt', 'id'),
            '<',
            entry
              .selectFrom('AuditEntry')
              .select(['recordedAt', 'id'])
              .where('id', '=', after)
              .$asTuple('recordedAt', 'id'),
          ),
        );
      }
      return entries.execute();
    });
  }
}

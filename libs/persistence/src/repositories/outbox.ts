import { Injectable } from '@nestjs/common';
import { Ids, Outbox, type ApplicationRef, type OutboxMessage } from '#domain';
import { currentTraceparent } from '#platform/telemetry';
import { Database } from '../database/database.js';
import { tenant } from '../database/scope.js';

@Injectable()
export class SqlOutbox extends Outbox {
  constructor(
    private readonly database: Database,
    private readonly ids: Ids,
  ) {
    super();
  }

  override async append({ applicationId }: ApplicationRef, { eventType, payload }: OutboxMessage): Promise<void> {
    await this.database.write(tenant(applicationId), {
      text:
        'insert into outbox (application_id, id, event_type, payload, created_at, trace_parent) ' +
        // The server's clock: finer than ours, and one for all processes.
        'values ($1, $2, $3, $4, clock_timestamp(), $5)',
      values: [applicationId, this.ids.next(), eventType, JSON.stringify(payload), currentTraceparent()],
    });
  }
}

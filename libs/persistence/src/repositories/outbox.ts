import { Injectable } from '@nestjs/common';
import { Ids, Outbox, type ApplicationRef, type OutboxMessage } from '#domain';
import { currentTraceparent } from '#platform/telemetry';
import { Database } from '../database/database.js';
import { tenant } from '../database/scope.js';
import { APPEND_TO_OUTBOX } from './webhook-message.statements.js';

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
      text: APPEND_TO_OUTBOX,
      values: [applicationId, this.ids.next(), eventType, JSON.stringify(payload), currentTraceparent()],
    });
  }
}

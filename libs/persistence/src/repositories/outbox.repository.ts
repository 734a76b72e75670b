import { Injectable } from '@nestjs/common';
import { OutboxRelay, Outbox, type OutboxMessage } from '#domain/accounts';
import type { ApplicationRef } from '#domain/applications';
import { IdGenerator, isUuid } from '#domain/system';
import type { ComposedMessage } from '#domain/webhooks';
import { currentTraceparent } from '#platform/telemetry';
import { Database } from '../database/database.js';
import { SYSTEM, tenant } from '../database/scope.js';
import {
  APPEND_TO_OUTBOX,
  insertMessages,
  MARK_RELAYED,
  TRY_RELAY_LOCK,
  UNRELAYED,
} from './webhook-message.statements.js';

interface EventRow extends OutboxMessage {
  id: string;
  applicationId: string;
  traceparent: string | null;
  endpointIds: string[];
}

/** Key of the advisory lock of the relay: two relays at once could change the order of events. Any unique constant. */
const RELAY_LOCK = 3_918_405_772_160_452_913n;

@Injectable()
export class SqlOutboxRelay extends OutboxRelay {
  constructor(
    private readonly database: Database,
    private readonly ids: IdGenerator,
  ) {
    super();
  }

  override async relay(
    limit: number,
    compose: (messageId: string, event: OutboxMessage) => ComposedMessage,
  ): Promise<number> {
    return this.database.transaction(SYSTEM, async () => {
      const { rows } = await this.database.write<{ mine: boolean }>(SYSTEM, {
        text: TRY_RELAY_LOCK,
        values: [String(RELAY_LOCK)],
      });
      if (rows[0]?.mine !== true) return 0;
      const events = await this.database.read<EventRow>(SYSTEM, {
        ...UNRELAYED,
        values: [limit],
      });
      await insertMessages(
        this.database,
        SYSTEM,
        events.flatMap((event) => event.endpointIds.map((endpointId) => this.messageOf(event, endpointId, compose))),
      );
      if (events.length > 0) {
        await this.database.write(SYSTEM, {
          text: MARK_RELAYED,
          values: [events.map(({ id }) => id)],
        });
      }
      return events.length;
    });
  }

  private messageOf(
    { applicationId, eventType, payload, traceparent }: EventRow,
    endpointId: string,
    compose: (messageId: string, event: OutboxMessage) => ComposedMessage,
  ) {
    const id = this.ids.next();
    const { endUserAccountId } = payload;
    const accountId = typeof endUserAccountId === 'string' && isUuid(endUserAccountId) ? endUserAccountId : null;
    return { ...compose(id, { eventType, payload }), id, applicationId, endpointId, accountId, traceparent };
  }
}

@Injectable()
export class SqlOutbox extends Outbox {
  constructor(
    private readonly database: Database,
    private readonly ids: IdGenerator,
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

import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { ProviderType } from '#domain/accounts';
import type { ApplicationRef } from '#domain/applications';
import { DomainError, isUuid } from '#domain/system';
import {
  WebhookMessageRepository,
  type AttemptClaim,
  type AttemptOutcome,
  type ClaimedAttempt,
  type ComposedMessage,
  type DeliveryAttempt,
  type DueMessage,
  type EndedAttempt,
  type MessageState,
  type RecordedAttempt,
  type StoredWebhookMessage,
  type WebhookPage,
  type MessageFilter,
  type ResentMessages,
} from '#domain/webhooks';
import { currentTraceparent, histogram, traceIdOf } from '#platform/telemetry';
import { Database } from '../database/database.js';
import { EntityManagers } from '../database/entity-managers.js';
import { SYSTEM, tenant } from '../database/scope.js';
import { valuesOf } from './operator-delivery-queries.js';
import { readable, FieldCipher } from '../encryption/field-cipher.js';
import {
  insertMessages,
  CLAIM,
  EXTEND,
  PUT_OFF,
  RECORD,
  RECOVER,
  RESEND,
  RESEND_MATCHING,
  TAKE_DUE,
} from './webhook-message.statements.js';
import { noSuchEndpoint } from './webhook-endpoint.repository.js';
import { openSecrets } from './webhook-secrets.js';

const lags = histogram('calendar_change_lag_seconds');

interface RecordRow {
  id: string;
  failing_since: Date | null;
  has_disabled: boolean;
  /** From the first reason to sync to the delivery by the first attempt; null for other attempts. */
  lag_seconds: number | null;
  provider_type: ProviderType | null;
}

type EndpointRow = Omit<ClaimedAttempt['endpoint'], 'id' | 'secrets'> & { endpointId: string; secrets: Buffer };
interface ClaimRow extends Omit<ClaimedAttempt, 'leaseId' | 'number' | 'body' | 'endpoint'>, EndpointRow {
  /** null while the rate does not allow a start. */
  number: number | null;
  body: string;
}

const COLUMNS = [
  ...(['id', 'endpointId', 'eventType', 'state', 'failureReason', 'nextAttemptAt', 'createdAt'] as const),
] as const;

/** Keeps one statement far below the statement timeout. */
const RECOVERED_AT_ONCE = 2_000;

@Injectable()
export class SqlWebhookMessageRepository extends WebhookMessageRepository {
  constructor(
    private readonly database: Database,
    private readonly entities: EntityManagers,
    private readonly cipher: FieldCipher,
  ) {
    super();
  }

  override async claimForQueue(limit: number, only?: 'first' | 'repeated'): Promise<DueMessage[]> {
    const { rows } = await this.database.write<DueMessage>(SYSTEM, {
      name: 'webhook-messages-due',
      skipsPlanCache: true,
      text: TAKE_DUE,
      values: [limit, only === undefined ? null : only === 'first'],
    });
    return rows;
  }

  override async defer(waits: readonly { messageId: string; inMs: number }[]): Promise<void> {
    await this.database.write(SYSTEM, {
      name: 'webhook-messages-put-off',
      skipsPlanCache: true,
      text: PUT_OFF,
      values: [waits.map(({ messageId }) => messageId), waits.map(({ inMs }) => inMs)],
    });
  }

  override async claim(
    messageIds: readonly string[],
    { leaseMs, aheadMs }: { leaseMs: number; aheadMs: number },
  ): Promise<AttemptClaim[]> {
    const leaseId = randomUUID();
    const { rows } = await this.database.write<ClaimRow>(SYSTEM, {
      name: 'webhook-messages-claim',
      skipsPlanCache: true,
      text: CLAIM,
      values: [messageIds.filter(isUuid), leaseId, leaseMs, aheadMs],
    });
    const found = new Map(rows.map((row) => [row.messageId, row]));
    return messageIds.map((id) => {
      const row = found.get(id);
      if (row === undefined) return { state: 'nothing' };
      // For a duplicate id the second claim finds nothing.
      found.delete(id);
      if (row.number === null) return { state: 'later', inMs: Math.max(1, Math.ceil(row.startsInMs - aheadMs)) };
      return { state: 'claimed', attempt: this.toClaimed(row, row.number, leaseId) };
    });
  }

  override async extend(attempts: readonly ClaimedAttempt[], leaseMs: number): Promise<void> {
    await this.database.write(SYSTEM, {
      name: 'webhook-attempts-extend',
      skipsPlanCache: true,
      text: EXTEND,
      values: [attempts.map(({ messageId }) => messageId), attempts.map(({ leaseId }) => leaseId), leaseMs],
    });
  }

  override async record(ended: readonly EndedAttempt[]): Promise<(RecordedAttempt | null)[]> {
    const column = <T>(value: (one: EndedAttempt) => T) => ended.map(value);
    const { rows } = await this.database.write<RecordRow>(SYSTEM, {
      name: 'webhook-attempts-record',
      skipsPlanCache: true,
      text: RECORD,
      values: [
        column(({ attempt }) => attempt.messageId),
        column(({ attempt }) => attempt.leaseId),
        column(({ attempt }) => attempt.number),
        column(({ outcome }) => outcome.verdict.kind),
        column(({ outcome: { verdict } }) => (verdict.kind === 'retry' ? verdict.inMs : null)),
        column(({ outcome }) => reasonOf(outcome.verdict)),
        column(({ outcome }) => Math.round(outcome.durationMs)),
        column(({ outcome }) => outcome.status),
        column(({ outcome }) => outcome.failure),
        column(({ outcome }) => outcome.responseText),
      ],
    });
    const traceparents = new Map(ended.map(({ attempt }) => [attempt.messageId, attempt.traceparent]));
    for (const { id, lag_seconds: seconds, provider_type: provider } of rows) {
      if (seconds === null || provider === null) continue;
      // The trace of the change, not of the request that happens to write this batch.
      lags.observe(Math.max(0, seconds), { provider }, traceIdOf(traceparents.get(id)) ?? null);
    }
    const recorded = new Map(rows.map((row) => [row.id, row]));
    return ended.map(({ attempt }) => {
      const row = recorded.get(attempt.messageId);
      return row === undefined ? null : { failingSince: row.failing_since, hasDisabled: row.has_disabled };
    });
  }

  override async add(
    application: ApplicationRef,
    endpointId: string,
    message: ComposedMessage & { id: string },
  ): Promise<void> {
    const { applicationId } = application;
    if (!isUuid(endpointId)) throw noSuchEndpoint();
    const known = await this.entities.query(tenant(applicationId), (tables) =>
      tables
        .selectFrom('WebhookEndpoint')
        .select('id')
        .where('application', '=', applicationId)
        .where('id', '=', endpointId)
        .executeTakeFirst(),
    );
    if (known === undefined) throw noSuchEndpoint();
    await insertMessages(this.database, tenant(applicationId), [
      { ...message, applicationId, endpointId, accountId: null, traceparent: currentTraceparent() },
    ]);
  }

  override async resend({ applicationId }: ApplicationRef, messageId: string): Promise<void> {
    if (!isUuid(messageId)) throw noSuchMessage();
    const { count } = await this.database.write(tenant(applicationId), {
      text: RESEND,
      values: [applicationId, messageId, currentTraceparent()],
    });
    if (count === 0) throw noSuchMessage();
  }

  override async recover({ applicationId }: ApplicationRef, endpointId: string, since: Date): Promise<number> {
    if (!isUuid(endpointId)) return 0;
    for (let total = 0; ;) {
      const { count } = await this.database.write(tenant(applicationId), {
        text: RECOVER,
        values: [applicationId, endpointId, since, RECOVERED_AT_ONCE, currentTraceparent()],
      });
      total += count;
      if (count < RECOVERED_AT_ONCE) return total;
    }
  }

  override async resendMatching(
    filter: MessageFilter,
    { limit, after }: { limit: number; after: string | null },
  ): Promise<ResentMessages> {
    const { rows } = await this.database.write<{ id: string; applicationId: string }>(SYSTEM, {
      text: RESEND_MATCHING,
      values: [...valuesOf(filter), after, limit, currentTraceparent()],
    });
    // Both are lower case, and UUIDs are ordered as their texts are.
    const ids = rows.map(({ id }) => id).sort();
    return { applicationIds: rows.map(({ applicationId }) => applicationId), lastId: ids.at(-1) ?? null };
  }

  override async list(
    { applicationId: application }: ApplicationRef,
    endpointId: string,
    { limit, after, state }: WebhookPage & { state: MessageState | null },
  ): Promise<StoredWebhookMessage[]> {
    if (!isUuid(endpointId) || (after !== null && !isUuid(after))) return [];
    return this.entities.query(tenant(application), (tables) => {
      let messages = tables
        .selectFrom('WebhookMessage')
        .select(COLUMNS)
        .where('application', '=', application)
        .where('endpointId', '=', endpointId)
        .orderBy('id', 'desc')
        .limit(limit);
      if (after !== null) messages = messages.where('id', '<', after);
      if (state !== null) messages = messages.where('state', '=', state);
      return messages.execute();
    });
  }

  override async find(
    { applicationId: application }: ApplicationRef,
    endpointId: string,
    messageId: string,
  ): Promise<StoredWebhookMessage | null> {
    if (!isUuid(endpointId) || !isUuid(messageId)) return null;
    const message = await this.entities.query(tenant(application), (tables) =>
      tables
        .selectFrom('WebhookMessage')
        .select(COLUMNS)
        .where('application', '=', application)
        .where('endpointId', '=', endpointId)
        .where('id', '=', messageId)
        .executeTakeFirst(),
    );
    return message ?? null;
  }

  override async attempts({ applicationId }: ApplicationRef, messageId: string): Promise<DeliveryAttempt[]> {
    if (!isUuid(messageId)) return [];
    const attempts = await this.entities.query(tenant(applicationId), (tables) =>
      tables
        .selectFrom('DeliveryAttempt')
        .select(['number', 'startedAt', 'durationMs', 'status', 'failure', 'responseText', 'nextAttemptAt'])
        .where('applicationId', '=', applicationId)
        .where('message', '=', messageId)
        .orderBy('startedAt')
        .orderBy(({ fn }) => fn('abs', ['number']))
        .execute(),
    );
    // Responses show the fields in this order.
    return attempts.map(({ number, startedAt, durationMs, ...rest }) => ({ number, startedAt, durationMs, ...rest }));
  }

  private toClaimed(
    { endpointId, applicationId, url, rateLimit, secrets: sealed, body, ...attempt }: ClaimRow,
    number: number,
    leaseId: string,
  ): ClaimedAttempt {
    const secrets = readable(() => openSecrets(this.cipher, endpointId, sealed));
    return {
      ...attempt,
      leaseId,
      number,
      body: Buffer.from(body, 'utf8'),
      endpoint: { id: endpointId, applicationId, url, rateLimit, secrets },
    };
  }
}

function reasonOf(verdict: AttemptOutcome['verdict']): string | null {
  if (verdict.kind === 'failed') return verdict.reason;
  return verdict.kind === 'gone' ? 'gone' : null;
}

function noSuchMessage(): DomainError {
  return new DomainError('NotFound', 'There is no webhook message with this id.');
}

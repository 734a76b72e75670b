import { Injectable } from '@nestjs/common';
import {
  OperatorDeliveryQueries,
  type AttemptBucket,
  type BucketedRange,
  type EndpointFilter,
  type EndpointSummary,
  type MessageSummary,
  type MessageDetail,
} from '#domain/operator';
import { isUuid } from '#domain/system';
import type { MessageFilter, WebhookPage } from '#domain/webhooks';
import { Database } from '../database/database.js';
import { SYSTEM } from '../database/scope.js';
import { ATTEMPT_BUCKETS, ENDPOINT, ENDPOINTS, MESSAGE, MESSAGES } from './operator-delivery-queries.statements.js';

/** For {@link MATCHES}. */
export function valuesOf(filter: MessageFilter): unknown[] {
  const { applicationId, endpointId, accountId, eventType, state, from, to } = filter;
  return [applicationId, endpointId, accountId, eventType, state, from, to];
}

interface AttemptBucketRow {
  index: number;
  delivered: number;
  failed: number;
  durations: [number, number];
}

@Injectable()
export class SqlOperatorDeliveryQueries extends OperatorDeliveryQueries {
  constructor(private readonly database: Database) {
    super();
  }

  override async endpoints(
    { applicationId, accountId, kind, state }: EndpointFilter,
    { limit, after }: WebhookPage,
  ): Promise<EndpointSummary[]> {
    return this.database.read<EndpointSummary>(SYSTEM, {
      text: ENDPOINTS,
      values: [after, applicationId, accountId, kind, state, limit],
    });
  }

  override async endpoint(endpointId: string): Promise<EndpointSummary | null> {
    if (!isUuid(endpointId)) return null;
    const [endpoint] = await this.database.read<EndpointSummary>(SYSTEM, { text: ENDPOINT, values: [endpointId] });
    return endpoint ?? null;
  }

  override async messages(filter: MessageFilter, { limit, after }: WebhookPage): Promise<MessageSummary[]> {
    return this.database.read<MessageSummary>(SYSTEM, {
      text: MESSAGES,
      values: [...valuesOf(filter), after, limit],
    });
  }

  override async message(messageId: string): Promise<MessageDetail | null> {
    if (!isUuid(messageId)) return null;
    const [message] = await this.database.read<MessageDetail>(SYSTEM, { text: MESSAGE, values: [messageId] });
    return message ?? null;
  }

  override async attempts(
    { applicationId, endpointId }: Pick<MessageFilter, 'applicationId' | 'endpointId'>,
    { from, to, bucketSeconds }: BucketedRange,
  ): Promise<AttemptBucket[]> {
    const rows = await this.database.read<AttemptBucketRow>(SYSTEM, {
      text: ATTEMPT_BUCKETS,
      values: [from, to, bucketSeconds, applicationId, endpointId],
    });
    return rows.map(({ durations: [p50Ms, p95Ms], ...bucket }) => ({ ...bucket, p50Ms, p95Ms }));
  }
}

import { Injectable } from '@nestjs/common';
import {
  DeliveryOversight,
  isUuid,
  type AttemptBucket,
  type BucketedRange,
  type EndpointFilter,
  type MessageFilter,
  type OverseenEndpoint,
  type OverseenMessage,
  type OverseenMessageDetail,
  type WebhookPage,
} from '#domain';
import { Database } from '../database/database.js';
import { SYSTEM } from '../database/scope.js';
import { ATTEMPT_BUCKETS, ENDPOINT, ENDPOINTS, MESSAGE, MESSAGES } from './delivery-oversight.statements.js';
import { toListedEndpoint, type ListedEndpointRow } from './webhook-endpoint.repository.js';
import { toMessage, type MessageRow } from './webhook-message.repository.js';

interface OverseenEndpointRow extends ListedEndpointRow {
  application_name: string;
  account_id: string | null;
  calendar_id: string | null;
  pending: number;
  failed: number;
}

interface OverseenMessageRow extends MessageRow {
  application_id: string;
  application_name: string;
  url: string | null;
  attempts: number;
}

interface MessageDetailRow extends OverseenMessageRow {
  body: string;
  webhook_subscription_id: string | null;
  account_id: string | null;
  calendar_id: string | null;
}

interface AttemptBucketRow {
  index: number;
  delivered: number;
  failed: number;
  durations: [number, number];
}

@Injectable()
export class SqlDeliveryOversight extends DeliveryOversight {
  constructor(private readonly database: Database) {
    super();
  }

  override async endpoints(
    { applicationId, accountId, kind, state }: EndpointFilter,
    { limit, after }: WebhookPage,
  ): Promise<OverseenEndpoint[]> {
    const rows = await this.database.read<OverseenEndpointRow>(SYSTEM, {
      text: ENDPOINTS,
      values: [after, applicationId, accountId, kind, state, limit],
    });
    return rows.map(toOverseenEndpoint);
  }

  override async endpoint(endpointId: string): Promise<OverseenEndpoint | null> {
    if (!isUuid(endpointId)) return null;
    const [row] = await this.database.read<OverseenEndpointRow>(SYSTEM, { text: ENDPOINT, values: [endpointId] });
    return row === undefined ? null : toOverseenEndpoint(row);
  }

  override async messages(
    { applicationId, endpointId, state }: MessageFilter,
    { limit, after }: WebhookPage,
  ): Promise<OverseenMessage[]> {
    const rows = await this.database.read<OverseenMessageRow>(SYSTEM, {
      text: MESSAGES,
      values: [after, applicationId, endpointId, state, limit],
    });
    return rows.map(toOverseenMessage);
  }

  override async message(messageId: string): Promise<OverseenMessageDetail | null> {
    if (!isUuid(messageId)) return null;
    const [row] = await this.database.read<MessageDetailRow>(SYSTEM, { text: MESSAGE, values: [messageId] });
    if (row === undefined) return null;
    return {
      ...toOverseenMessage(row),
      body: row.body,
      webhookSubscriptionId: row.webhook_subscription_id,
      accountId: row.account_id,
      calendarId: row.calendar_id,
    };
  }

  override async attempts(
    { applicationId, endpointId }: Omit<MessageFilter, 'state'>,
    { from, to, bucketSeconds }: BucketedRange,
  ): Promise<AttemptBucket[]> {
    const rows = await this.database.read<AttemptBucketRow>(SYSTEM, {
      text: ATTEMPT_BUCKETS,
      values: [from, to, bucketSeconds, applicationId, endpointId],
    });
    return rows.map(({ durations: [p50Ms, p95Ms], ...bucket }) => ({ ...bucket, p50Ms, p95Ms }));
  }
}

function toOverseenEndpoint(row: OverseenEndpointRow): OverseenEndpoint {
  return {
    ...toListedEndpoint(row),
    applicationName: row.application_name,
    accountId: row.account_id,
    calendarId: row.calendar_id,
    pending: row.pending,
    failed: row.failed,
  };
}

function toOverseenMessage(row: OverseenMessageRow): OverseenMessage {
  return {
    ...toMessage(row),
    applicationId: row.application_id,
    applicationName: row.application_name,
    url: row.url,
    attempts: row.attempts,
  };
}

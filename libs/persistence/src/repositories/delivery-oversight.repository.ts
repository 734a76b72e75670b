import {
  DeliveryOversight,
  type AttemptBucket,
  type BucketedRange,
  type DisabledReason,
  type EndpointFilter,
  type MessageFilter,
  type MessageState,
  type OverseenEndpoint,
  type OverseenMessage,
  type OverseenMessageDetail,
  type WebhookPage,
} from '#domain';
import { Database } from '../database/database.js';
import { isUuid, SYSTEM } from '../database/scope.js';
import { ATTEMPT_BUCKETS, ENDPOINT, ENDPOINTS, MESSAGE, MESSAGES } from './delivery-oversight.statements.js';

interface EndpointRow {
  id: string;
  application_id: string;
  application_name: string;
  watched_calendar_id: string | null;
  url: string;
  event_types: string[];
  rate_limit: number | null;
  failing_since: Date | null;
  disabled_at: Date | null;
  disabled_reason: DisabledReason | null;
  created_at: Date;
  account_id: string | null;
  calendar_id: string | null;
  pending: number;
  failed: number;
}

interface MessageRow {
  id: string;
  endpoint_id: string;
  application_id: string;
  application_name: string;
  url: string | null;
  event_type: string;
  state: MessageState;
  failure_reason: string | null;
  attempts: number;
  next_attempt_at: Date | null;
  created_at: Date;
}

interface MessageDetailRow extends MessageRow {
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

export class SqlDeliveryOversight extends DeliveryOversight {
  constructor(private readonly database: Database) {
    super();
  }

  override async endpoints(
    { applicationId, accountId, kind, state }: EndpointFilter,
    { limit, after }: WebhookPage,
  ): Promise<OverseenEndpoint[]> {
    const rows = await this.database.read<EndpointRow>(SYSTEM, {
      text: ENDPOINTS,
      values: [after, applicationId, accountId, kind, state, limit],
    });
    return rows.map(toEndpoint);
  }

  override async endpoint(endpointId: string): Promise<OverseenEndpoint | null> {
    if (!isUuid(endpointId)) return null;
    const [row] = await this.database.read<EndpointRow>(SYSTEM, { text: ENDPOINT, values: [endpointId] });
    return row === undefined ? null : toEndpoint(row);
  }

  override async messages(
    { applicationId, endpointId, state }: MessageFilter,
    { limit, after }: WebhookPage,
  ): Promise<OverseenMessage[]> {
    const rows = await this.database.read<MessageRow>(SYSTEM, {
      text: MESSAGES,
      values: [after, applicationId, endpointId, state, limit],
    });
    return rows.map(toMessage);
  }

  override async message(messageId: string): Promise<OverseenMessageDetail | null> {
    if (!isUuid(messageId)) return null;
    const [row] = await this.database.read<MessageDetailRow>(SYSTEM, { text: MESSAGE, values: [messageId] });
    if (row === undefined) return null;
    return {
      ...toMessage(row),
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

function toEndpoint(row: EndpointRow): OverseenEndpoint {
  return {
    id: row.id,
    applicationId: row.application_id,
    applicationName: row.application_name,
    watchedCalendarId: row.watched_calendar_id,
    url: row.url,
    eventTypes: row.event_types,
    rateLimit: row.rate_limit,
    failingSince: row.failing_since,
    disabledAt: row.disabled_at,
    disabledReason: row.disabled_reason,
    createdAt: row.created_at,
    accountId: row.account_id,
    calendarId: row.calendar_id,
    pending: row.pending,
    failed: row.failed,
  };
}

function toMessage(row: MessageRow): OverseenMessage {
  return {
    id: row.id,
    endpointId: row.endpoint_id,
    applicationId: row.application_id,
    applicationName: row.application_name,
    url: row.url,
    eventType: row.event_type,
    state: row.state,
    failureReason: row.failure_reason,
    attempts: row.attempts,
    nextAttemptAt: row.next_attempt_at,
    createdAt: row.created_at,
  };
}

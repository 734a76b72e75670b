import { Injectable } from '@nestjs/common';
import {
  Clock,
  DomainError,
  Ids,
  WebhookEndpointRepository,
  isUuid,
  type ApplicationRef,
  type DisabledReason,
  type NewWebhookEndpoint,
  type StoredSigningSecrets,
  type WebhookEndpoint,
  type WebhookPage,
  type WebhookSubscription,
} from '#domain';
import { Database } from '../database/database.js';
import { tenant } from '../database/scope.js';
import { FieldCipher } from '../encryption/field-cipher.js';
import { ASK_UPKEEP } from './watched-calendar.statements.js';
import { openSecrets, sealSecrets } from './webhook-secrets.js';

export interface ListedEndpointRow {
  id: string;
  application_id: string;
  watched_calendar_id: string | null;
  url: string;
  event_types: string[];
  rate_limit: number | null;
  failing_since: Date | null;
  disabled_at: Date | null;
  disabled_reason: DisabledReason | null;
  created_at: Date;
}

interface EndpointRow extends ListedEndpointRow {
  updated_at: Date;
}

interface SubscriptionRow extends EndpointRow {
  account_id: string;
  calendar_id: string;
  channel_id: string | null;
  subscription_id: string | null;
  resource_id: string | null;
  expires_at: Date | null;
}

const COLUMNS = [
  'id',
  'application_id',
  'watched_calendar_id',
  'url',
  'event_types',
  'rate_limit',
  'failing_since',
  'disabled_at',
  'disabled_reason',
  'created_at',
  'updated_at',
];

const of = (table: string) => COLUMNS.map((column) => `${table}.${column}`).join(', ');

@Injectable()
export class SqlWebhookEndpointRepository extends WebhookEndpointRepository {
  constructor(
    private readonly database: Database,
    private readonly cipher: FieldCipher,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async create(
    { applicationId }: ApplicationRef,
    { watchedCalendarId, url, eventTypes, rateLimit, secrets }: NewWebhookEndpoint,
  ): Promise<WebhookEndpoint> {
    if (!isUuid(applicationId) || (watchedCalendarId !== null && !isUuid(watchedCalendarId))) throw noSuchOwner();
    const id = this.ids.next();
    const { rows } = await this.database.write<EndpointRow>(tenant(applicationId), {
      text:
        'insert into webhook_endpoint as e (id, application_id, watched_calendar_id, url, secrets, event_types, ' +
        'rate_limit, created_at, updated_at) select $3, $1::uuid, $2::uuid, $4, $5, $6, $7, $8, $8 from ' +
        // The lock keeps a deletion of the owner from slipping in between.
        (watchedCalendarId === null
          ? '(select from application where id = $1::uuid and $2::uuid is null for key share) owner '
          : '(select from watched_calendar where application_id = $1::uuid and id = $2::uuid for key share) owner ') +
        `returning ${of('e')}`,
      values: [
        applicationId,
        watchedCalendarId,
        id,
        url,
        sealSecrets(this.cipher, id, secrets),
        eventTypes,
        rateLimit,
        new Date(this.clock.nowMs()),
      ],
    });
    if (rows[0] === undefined) throw noSuchOwner();
    return toEndpoint(rows[0]);
  }

  override async get({ applicationId }: ApplicationRef, endpointId: string): Promise<WebhookEndpoint> {
    if (!isUuid(endpointId)) throw noSuchEndpoint();
    const [row] = await this.database.read<EndpointRow>(tenant(applicationId), {
      text: `select ${of('e')} from webhook_endpoint e where application_id = $1 and id = $2`,
      values: [applicationId, endpointId],
    });
    if (row === undefined) throw noSuchEndpoint();
    return toEndpoint(row);
  }

  override async list({ applicationId }: ApplicationRef, { limit, after }: WebhookPage): Promise<WebhookEndpoint[]> {
    if (after !== null && !isUuid(after)) return [];
    const rows = await this.database.read<EndpointRow>(tenant(applicationId), {
      text:
        `select ${of('e')} from webhook_endpoint e where application_id = $1 and watched_calendar_id is null ` +
        'and ($2::uuid is null or id > $2) order by id limit $3',
      values: [applicationId, after, limit],
    });
    return rows.map(toEndpoint);
  }

  override async count({ applicationId }: ApplicationRef, watchedCalendarId: string | null): Promise<number> {
    const [row] = await this.database.read<{ count: number }>(tenant(applicationId), {
      text:
        'select count(*)::int as count from webhook_endpoint where application_id = $1 and ' +
        (watchedCalendarId === null ? 'watched_calendar_id is null' : 'watched_calendar_id = $2'),
      values: watchedCalendarId === null ? [applicationId] : [applicationId, watchedCalendarId],
    });
    return row?.count ?? 0;
  }

  override async listSubscriptions(
    { applicationId }: ApplicationRef,
    accountId: string,
    { limit, after }: WebhookPage,
  ): Promise<WebhookSubscription[]> {
    if (!isUuid(accountId) || (after !== null && !isUuid(after))) return [];
    const rows = await this.database.read<SubscriptionRow>(tenant(applicationId), {
      text:
        `select ${of('e')}, w.end_user_account_id as account_id, w.calendar_id, c.id as channel_id, ` +
        'c.subscription_id, c.resource_id, c.expires_at from webhook_endpoint e ' +
        'join watched_calendar w on w.id = e.watched_calendar_id ' +
        "left join provider_channel c on c.watched_calendar_id = w.id and c.state = 'live' " +
        'where e.application_id = $1 and w.end_user_account_id = $2 and ($3::uuid is null or e.id > $3) ' +
        'order by e.id limit $4',
      values: [applicationId, accountId, after, limit],
    });
    return rows.map(toSubscription);
  }

  override async remove(
    { applicationId }: ApplicationRef,
    endpointId: string,
    accountId: string | null,
  ): Promise<boolean> {
    if (!isUuid(endpointId) || (accountId !== null && !isUuid(accountId))) return false;
    // Whoever claims an attempt holds the row until that is written: after the deletion, nobody can.
    const { count } = await this.database.write(tenant(applicationId), {
      text:
        'with gone as (delete from webhook_endpoint e where application_id = $1 and id = $2 and ' +
        'case when $3::uuid is null then watched_calendar_id is null else exists (select from watched_calendar w ' +
        'where w.id = e.watched_calendar_id and w.end_user_account_id = $3) end returning watched_calendar_id), ' +
        `asked as (update watched_calendar w set ${ASK_UPKEEP} from gone where w.id = gone.watched_calendar_id) ` +
        'select from gone',
      values: [applicationId, endpointId, accountId],
    });
    return count > 0;
  }

  override async changeSecrets(
    { applicationId }: ApplicationRef,
    endpointId: string,
    change: (secrets: StoredSigningSecrets) => StoredSigningSecrets,
  ): Promise<StoredSigningSecrets> {
    if (!isUuid(endpointId)) throw noSuchEndpoint();
    const scope = tenant(applicationId);
    return this.database.transaction(scope, async () => {
      const { rows } = await this.database.write<{ id: string; secrets: Buffer }>(scope, {
        text: 'select id, secrets from webhook_endpoint where application_id = $1 and id = $2 for no key update',
        values: [applicationId, endpointId],
      });
      const [row] = rows;
      if (row === undefined) throw noSuchEndpoint();
      const changed = change(openSecrets(this.cipher, row.id, row.secrets));
      await this.database.write(scope, {
        text: 'update webhook_endpoint set secrets = $3, updated_at = $4 where application_id = $1 and id = $2',
        values: [applicationId, row.id, sealSecrets(this.cipher, row.id, changed), new Date(this.clock.nowMs())],
      });
      return changed;
    });
  }

  override async setRateLimit(
    { applicationId }: ApplicationRef,
    endpointId: string,
    rateLimit: number | null,
  ): Promise<void> {
    if (!isUuid(endpointId)) throw noSuchEndpoint();
    const scope = tenant(applicationId);
    await this.database.transaction(scope, async () => {
      const { count } = await this.database.write(scope, {
        text:
          'update webhook_endpoint set rate_limit = $3, next_turn_at = null, updated_at = $4, ' +
          // Starts that were given out already lie less than a second ahead.
          "next_start_at = least(next_start_at, clock_timestamp() + interval '1 second') " +
          'where application_id = $1 and id = $2',
        values: [applicationId, endpointId, rateLimit, new Date(this.clock.nowMs())],
      });
      if (count === 0) throw noSuchEndpoint();
      await this.database.write(scope, {
        text:
          // Whoever holds a message waits for the endpoint, or is about to send it.
          'with waiting as (select id from webhook_message where application_id = $1 and endpoint_id = $2 ' +
          'and turn_at > clock_timestamp() and wake_at is not null for update skip locked) ' +
          'update webhook_message m set turn_at = null, wake_at = clock_timestamp() from waiting where m.id = waiting.id',
        values: [applicationId, endpointId],
      });
    });
  }

  override async disable(
    { applicationId }: ApplicationRef,
    endpointId: string,
    reason: DisabledReason,
  ): Promise<boolean> {
    return this.switch(applicationId, endpointId, {
      text:
        'update webhook_endpoint set disabled_at = $3, disabled_reason = $4, updated_at = $3 ' +
        'where application_id = $1 and id = $2 and disabled_at is null',
      values: [reason],
    });
  }

  override async enable({ applicationId }: ApplicationRef, endpointId: string): Promise<boolean> {
    return this.switch(applicationId, endpointId, {
      text:
        'update webhook_endpoint set disabled_at = null, disabled_reason = null, failing_since = null, ' +
        'updated_at = $3 where application_id = $1 and id = $2 and disabled_at is not null',
      values: [],
    });
  }

  private async switch(
    applicationId: string,
    endpointId: string,
    { text, values }: { text: string; values: unknown[] },
  ): Promise<boolean> {
    if (!isUuid(endpointId)) return false;
    const { count } = await this.database.write(tenant(applicationId), {
      text,
      values: [applicationId, endpointId, new Date(this.clock.nowMs()), ...values],
    });
    return count > 0;
  }
}

function toEndpoint(row: EndpointRow): WebhookEndpoint {
  return { ...toListedEndpoint(row), updatedAt: row.updated_at };
}

export function toListedEndpoint(row: ListedEndpointRow): Omit<WebhookEndpoint, 'updatedAt'> {
  return {
    id: row.id,
    applicationId: row.application_id,
    watchedCalendarId: row.watched_calendar_id,
    url: row.url,
    eventTypes: row.event_types,
    rateLimit: row.rate_limit,
    failingSince: row.failing_since,
    disabledAt: row.disabled_at,
    disabledReason: row.disabled_reason,
    createdAt: row.created_at,
  };
}

function toSubscription(row: SubscriptionRow): WebhookSubscription {
  return {
    ...toEndpoint(row),
    accountId: row.account_id,
    calendarId: row.calendar_id,
    channel:
      row.channel_id === null
        ? null
        : { subscriptionId: row.subscription_id, resourceId: row.resource_id, expiresAt: row.expires_at },
  };
}

function noSuchOwner(): DomainError {
  return new DomainError('NotFound', 'There is no application or watched calendar with this id.');
}

export function noSuchEndpoint(): DomainError {
  return new DomainError('NotFound', 'There is no webhook endpoint or subscription with this id.');
}

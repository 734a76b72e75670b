import type { EntityData, InferEntity } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { ApplicationRef } from '#domain/applications';
import { Clock, DomainError, IdGenerator, isUuid } from '#domain/system';
import {
  WebhookEndpointRepository,
  type DisabledReason,
  type NewWebhookEndpoint,
  type StoredSigningSecrets,
  type WebhookEndpoint,
  type WebhookPage,
  type WebhookSubscription,
} from '#domain/webhooks';
import { Database } from '../database/database.js';
import { EntityManagers } from '../database/entity-managers.js';
import { tenant } from '../database/scope.js';
import { EncryptedField } from '../encryption/encrypted.type.js';
import { FieldCipher } from '../encryption/field-cipher.js';
import { WebhookEndpointEntity } from '../entities/webhooks.entities.js';
import {
  CREATE_OF_APPLICATION,
  CREATE_OF_CALENDAR,
  GIVE_UP_TURNS,
  REMOVE_ENDPOINT,
  SET_RATE_LIMIT,
} from './webhook-endpoint.statements.js';
import { sealSecrets, toSecrets } from './webhook-secrets.js';

const COLUMNS = [
  ...(['WebhookEndpoint.id', 'WebhookEndpoint.application as applicationId'] as const),
  ...(['WebhookEndpoint.syncedCalendar as syncedCalendarId', 'WebhookEndpoint.url'] as const),
  ...(['WebhookEndpoint.eventTypes', 'WebhookEndpoint.rateLimit', 'WebhookEndpoint.failingSince'] as const),
  ...(['WebhookEndpoint.disabledAt', 'WebhookEndpoint.disabledReason'] as const),
  ...(['WebhookEndpoint.createdAt', 'WebhookEndpoint.updatedAt'] as const),
] as const;

@Injectable()
export class SqlWebhookEndpointRepository extends WebhookEndpointRepository {
  constructor(
    private readonly database: Database,
    private readonly entities: EntityManagers,
    private readonly cipher: FieldCipher,
    private readonly ids: IdGenerator,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async create(
    { applicationId }: ApplicationRef,
    { syncedCalendarId, url, eventTypes, rateLimit, secrets }: NewWebhookEndpoint,
  ): Promise<WebhookEndpoint> {
    if (!isUuid(applicationId) || (syncedCalendarId !== null && !isUuid(syncedCalendarId))) throw noSuchOwner();
    const id = this.ids.next();
    const { rows } = await this.database.writeRepeatable<WebhookEndpoint>(tenant(applicationId), {
      text: syncedCalendarId === null ? CREATE_OF_APPLICATION : CREATE_OF_CALENDAR,
      values: [
        applicationId,
        syncedCalendarId,
        id,
        url,
        sealSecrets(this.cipher, id, secrets),
        eventTypes,
        rateLimit,
        new Date(this.clock.nowMs()),
      ],
    });
    if (rows[0] === undefined) throw noSuchOwner();
    return rows[0];
  }

  override async get({ applicationId: application }: ApplicationRef, endpointId: string): Promise<WebhookEndpoint> {
    if (!isUuid(endpointId)) throw noSuchEndpoint();
    const endpoint = await this.entities.query(tenant(application), (tables) =>
      tables
        .selectFrom('WebhookEndpoint')
        .select(COLUMNS)
        .where('application', '=', application)
        .where('id', '=', endpointId)
        .executeTakeFirst(),
    );
    if (endpoint === undefined) throw noSuchEndpoint();
    return endpoint;
  }

  override async list(
    { applicationId: application }: ApplicationRef,
    { limit, after }: WebhookPage,
  ): Promise<WebhookEndpoint[]> {
    if (after !== null && !isUuid(after)) return [];
    return this.entities.query(tenant(application), (tables) => {
      const endpoints = tables
        .selectFrom('WebhookEndpoint')
        .select(COLUMNS)
        .where('application', '=', application)
        .where('syncedCalendar', 'is', null)
        .orderBy('id')
        .limit(limit);
      return (after === null ? endpoints : endpoints.where('id', '>', after)).execute();
    });
  }

  override async count(
    { applicationId: application }: ApplicationRef,
    syncedCalendarId: string | null,
  ): Promise<number> {
    const { count } = await this.entities.query(tenant(application), (tables) => {
      const endpoints = tables
        .selectFrom('WebhookEndpoint')
        .select(({ fn }) => fn.countAll<string>().as('count'))
        .where('application', '=', application);
      return syncedCalendarId === null
        ? endpoints.where('syncedCalendar', 'is', null).executeTakeFirstOrThrow()
        : endpoints.where('syncedCalendar', '=', syncedCalendarId).executeTakeFirstOrThrow();
    });
    return Number(count);
  }

  override async listSubscriptions(
    { applicationId: application }: ApplicationRef,
    accountId: string,
    { limit, after }: WebhookPage,
  ): Promise<WebhookSubscription[]> {
    if (!isUuid(accountId) || (after !== null && !isUuid(after))) return [];
    const rows = await this.entities.query(tenant(application), (tables) => {
      const subscriptions = tables
        .selectFrom('WebhookEndpoint')
        .innerJoin('SyncedCalendar', 'SyncedCalendar.id', 'WebhookEndpoint.syncedCalendar')
        .leftJoin('ProviderChannel', (join) =>
          join
            .onRef('ProviderChannel.syncedCalendar', '=', 'SyncedCalendar.id')
            .on('ProviderChannel.state', '=', 'live'),
        )
        .select(COLUMNS)
        .select(['SyncedCalendar.endUserAccount as accountId', 'SyncedCalendar.calendarId'])
        .select(['ProviderChannel.id as channelId', 'ProviderChannel.subscriptionId'])
        .select(['ProviderChannel.resourceId', 'ProviderChannel.expiresAt'])
        .where('WebhookEndpoint.application', '=', application)
        .where('SyncedCalendar.endUserAccount', '=', accountId)
        .orderBy('WebhookEndpoint.id')
        .limit(limit);
      return (after === null ? subscriptions : subscriptions.where('WebhookEndpoint.id', '>', after)).execute();
    });
    return rows.map(({ channelId, subscriptionId, resourceId, expiresAt, ...subscription }) => ({
      ...subscription,
      channel: channelId === null ? null : { subscriptionId, resourceId, expiresAt },
    }));
  }

  override async remove(
    { applicationId }: ApplicationRef,
    endpointId: string,
    accountId: string | null,
  ): Promise<boolean> {
    if (!isUuid(endpointId) || (accountId !== null && !isUuid(accountId))) return false;
    const { count } = await this.database.write(tenant(applicationId), {
      text: REMOVE_ENDPOINT,
      values: [applicationId, endpointId, accountId],
    });
    return count > 0;
  }

  override async changeSecrets(
    { applicationId: application }: ApplicationRef,
    endpointId: string,
    change: (secrets: StoredSigningSecrets) => StoredSigningSecrets,
  ): Promise<StoredSigningSecrets> {
    if (!isUuid(endpointId)) throw noSuchEndpoint();
    const scope = tenant(application);
    return this.database.transaction(scope, async () => {
      const row = await this.entities.query(scope, (tables) =>
        tables
          .selectFrom('WebhookEndpoint')
          .select(['id', 'secrets'])
          .where('application', '=', application)
          .where('id', '=', endpointId)
          .forNoKeyUpdate()
          .executeTakeFirst(),
      );
      if (row === undefined) throw noSuchEndpoint();
      const { id } = row;
      const changed = change(toSecrets(row.secrets.json(id)));
      const secrets = EncryptedField.ofJson(id, changed);
      await this.entities.within(scope, (em) =>
        em.nativeUpdate(
          WebhookEndpointEntity,
          { application, id },
          { secrets, updatedAt: new Date(this.clock.nowMs()) },
        ),
      );
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
        text: SET_RATE_LIMIT,
        values: [applicationId, endpointId, rateLimit, new Date(this.clock.nowMs())],
      });
      if (count === 0) throw noSuchEndpoint();
      await this.database.write(scope, { text: GIVE_UP_TURNS, values: [applicationId, endpointId] });
    });
  }

  override async disable(
    { applicationId: application }: ApplicationRef,
    endpointId: string,
    disabledReason: DisabledReason,
  ): Promise<boolean> {
    const now = new Date(this.clock.nowMs());
    return this.switch(
      { application, id: endpointId, disabledAt: null },
      { disabledAt: now, disabledReason, updatedAt: now },
    );
  }

  override async enable({ applicationId: application }: ApplicationRef, endpointId: string): Promise<boolean> {
    return this.switch(
      { application, id: endpointId, disabledAt: { $ne: null } },
      { disabledAt: null, disabledReason: null, failingSince: null, updatedAt: new Date(this.clock.nowMs()) },
    );
  }

  private async switch(
    where: { application: string; id: string; disabledAt: null | { $ne: null } },
    changes: EntityData<InferEntity<typeof WebhookEndpointEntity>>,
  ): Promise<boolean> {
    if (!isUuid(where.id)) return false;
    const count = await this.entities.within(tenant(where.application), (em) =>
      em.nativeUpdate(WebhookEndpointEntity, where, changes),
    );
    return count > 0;
  }
}

function noSuchOwner(): DomainError {
  return new DomainError('NotFound', 'There is no application or watched calendar with this id.');
}

export function noSuchEndpoint(): DomainError {
  return new DomainError('NotFound', 'There is no webhook endpoint or subscription with this id.');
}

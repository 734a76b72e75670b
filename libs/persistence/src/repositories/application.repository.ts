import { Injectable } from '@nestjs/common';
import type { Kysely } from 'kysely';
import {
  ApplicationRepository,
  type Application,
  type ApplicationOptions,
  type CountedApplication,
  type Environment,
} from '#domain/applications';
import { Clock, IdGenerator, isUuid } from '#domain/system';
import { Database } from '../database/database.js';
import { EntityManagers, type EntityTables } from '../database/entity-managers.js';
import { SYSTEM, tenant } from '../database/scope.js';
import { ApplicationEntity } from '../entities/applications.entities.js';
import { WebhookEndpointEntity } from '../entities/webhooks.entities.js';
import {
  BEGIN_DELETION,
  CLAIM_DELETION,
  CONTINUE_DELETION,
  DELETE_SOME_MESSAGES,
  FIND_APPLICATION,
} from './applications.statements.js';

const COLUMNS = [
  ...(['id', 'name', 'environment', 'rateLimitRps', 'enrichesWebhooks', 'pollsCalendars'] as const),
  ...(['requiresSignedLinks', 'accentColor', 'createdAt'] as const),
] as const;

const MESSAGES_AT_ONCE = 2_000;

@Injectable()
export class SqlApplicationRepository extends ApplicationRepository {
  constructor(
    private readonly database: Database,
    private readonly entities: EntityManagers,
    private readonly ids: IdGenerator,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async create({
    name,
    rateLimitRps = null,
    environment = 'development',
  }: {
    name: string;
    rateLimitRps?: number | null;
    environment?: Environment;
  }): Promise<Application> {
    return this.entities.query(SYSTEM, (tables) =>
      tables
        .insertInto('Application')
        .values({ id: this.ids.next(), name, rateLimitRps, environment, createdAt: this.now() })
        .returning(COLUMNS)
        .executeTakeFirstOrThrow(),
    );
  }

  override async list(): Promise<CountedApplication[]> {
    const rows = await this.entities.query(SYSTEM, (tables) =>
      this.counted(tables).orderBy('createdAt').orderBy('id').execute(),
    );
    return rows.map(toCounted);
  }

  override async find(applicationId: string): Promise<Application | null> {
    if (!isUuid(applicationId)) return null;
    const [application] = await this.database.read<Application>(tenant(applicationId), {
      ...FIND_APPLICATION,
      values: [applicationId],
    });
    return application ?? null;
  }

  override async findCounted(applicationId: string): Promise<CountedApplication | null> {
    if (!isUuid(applicationId)) return null;
    const row = await this.entities.query(tenant(applicationId), (tables) =>
      this.counted(tables).where('id', '=', applicationId).executeTakeFirst(),
    );
    return row === undefined ? null : toCounted(row);
  }

  override async update(applicationId: string, options: Partial<ApplicationOptions>): Promise<Application | null> {
    if (!isUuid(applicationId)) return null;
    const row = await this.entities.query(tenant(applicationId), (tables) =>
      tables
        .updateTable('Application')
        // Sets the id too: an update with no given fields is not valid SQL.
        .set({ ...options, id: applicationId })
        .where('id', '=', applicationId)
        .where('deletionDueAt', 'is', null)
        .returning(COLUMNS)
        .executeTakeFirst(),
    );
    return row ?? null;
  }

  override async lockEnvironment(applicationId: string): Promise<Environment | null> {
    if (!isUuid(applicationId)) return null;
    const row = await this.entities.query(tenant(applicationId), (tables) =>
      lockApplication(tables, applicationId).executeTakeFirst(),
    );
    return row?.environment ?? null;
  }

  override async beginDeletion(applicationId: string): Promise<boolean> {
    if (!isUuid(applicationId)) return false;
    const { count } = await this.database.write(tenant(applicationId), {
      text: BEGIN_DELETION,
      values: [applicationId],
    });
    return count > 0;
  }

  override async claimDeletion(leaseMs: number): Promise<string | null> {
    const { rows } = await this.database.write<{ id: string }>(SYSTEM, { text: CLAIM_DELETION, values: [leaseMs] });
    return rows[0]?.id ?? null;
  }

  override async continueDeletion(applicationId: string, inMs: number): Promise<void> {
    await this.database.write(tenant(applicationId), { text: CONTINUE_DELETION, values: [applicationId, inMs] });
  }

  override async deleteEndpoints(application: string): Promise<void> {
    await this.deleteMessages(application);
    await this.entities.within(tenant(application), (em) => em.nativeDelete(WebhookEndpointEntity, { application }));
  }

  override async delete(applicationId: string): Promise<boolean> {
    if (!isUuid(applicationId)) return false;
    await this.deleteMessages(applicationId);
    const count = await this.entities.within(tenant(applicationId), (em) =>
      em.nativeDelete(ApplicationEntity, { id: applicationId }),
    );
    return count > 0;
  }

  private counted(tables: Kysely<EntityTables>) {
    const now = this.now();
    return tables
      .selectFrom('Application')
      .select(COLUMNS)
      .select((application) => [
        application
          .selectFrom('EndUserAccount')
          .select(({ fn }) => fn.countAll<string>().as('count'))
          .whereRef('EndUserAccount.application', '=', 'Application.id')
          .as('accounts'),
        application
          .selectFrom('ApiKey')
          .select(({ fn }) => fn.countAll<string>().as('count'))
          .whereRef('ApiKey.application', '=', 'Application.id')
          .where('revokedAt', 'is', null)
          .where((key) => key.or([key('expiresAt', 'is', null), key('expiresAt', '>', now)]))
          .as('apiKeys'),
        application
          .selectFrom('WebhookEndpoint')
          .select(({ fn }) => fn.countAll<string>().as('count'))
          .whereRef('WebhookEndpoint.application', '=', 'Application.id')
          .where('syncedCalendar', 'is not', null)
          .as('subscriptions'),
      ])
      .where('deletionDueAt', 'is', null);
  }

  /** Deletes in batches: a month of messages exceeds one statement. */
  private async deleteMessages(applicationId: string): Promise<void> {
    for (let count = MESSAGES_AT_ONCE; count === MESSAGES_AT_ONCE;) {
      ({ count } = await this.database.write(tenant(applicationId), {
        text: DELETE_SOME_MESSAGES,
        values: [applicationId, MESSAGES_AT_ONCE],
      }));
    }
  }

  private now(): Date {
    return new Date(this.clock.nowMs());
  }
}

type Counts = { [Of in keyof CountedApplication['counts']]: string | null };

/** The driver returns `count` as text. */
function toCounted({ accounts, apiKeys, subscriptions, ...application }: Application & Counts): CountedApplication {
  const counts = { accounts: Number(accounts), apiKeys: Number(apiKeys), subscriptions: Number(subscriptions) };
  return { ...application, counts };
}

/** A deletion of the application waits until the transaction of this query ends. No row when one has begun. */
export function lockApplication(tables: Kysely<EntityTables>, applicationId: string) {
  return tables
    .selectFrom('Application')
    .select('environment')
    .where('id', '=', applicationId)
    .where('deletionDueAt', 'is', null)
    .forShare();
}

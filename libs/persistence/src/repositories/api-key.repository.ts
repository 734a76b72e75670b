import { LRUCache } from 'lru-cache';
import { Injectable } from '@nestjs/common';
import {
  ApiKeyRepository,
  type ApiKey,
  type ApiKeyForVerification,
  type ApiKeySecretHash,
  type NewApiKey,
} from '#domain/applications';
import { isUuid, noSuchApplication } from '#domain/system';
import { foreignKeyAsNotFound } from '../database/database-errors.js';
import { Database } from '../database/database.js';
import { EntityManagers } from '../database/entity-managers.js';
import { SYSTEM, tenant } from '../database/scope.js';
import { ApiKeyEntity } from '../entities/applications.entities.js';
import { FIND_FOR_VERIFICATION } from './applications.statements.js';

const COLUMNS = [
  ...(['id', 'application as applicationId', 'name', 'scopes', 'expiresAt'] as const),
  ...(['revokedAt', 'lastUsedAt', 'createdAt'] as const),
] as const;
const TOUCH_EVERY_MS = 60_000;

@Injectable()
export class SqlApiKeyRepository extends ApiKeyRepository {
  /** Key id → when this process last stored its use, so that most requests need no statement. */
  private readonly touched = new LRUCache<string, number>({ max: 10_000 });

  constructor(
    private readonly database: Database,
    private readonly entities: EntityManagers,
  ) {
    super();
  }

  override async create({ applicationId: application, ...key }: NewApiKey): Promise<ApiKey> {
    if (!isUuid(application)) throw noSuchApplication();
    return foreignKeyAsNotFound(() =>
      this.entities.query(tenant(application), (tables) =>
        tables
          .insertInto('ApiKey')
          .values(({ fn }) => ({ ...key, application, createdAt: fn<Date>('now') }))
          .returning(COLUMNS)
          .executeTakeFirstOrThrow(),
      ),
    );
  }

  override async list(application: string): Promise<ApiKey[]> {
    if (!isUuid(application)) return [];
    return this.entities.query(tenant(application), (tables) =>
      tables
        .selectFrom('ApiKey')
        .select(COLUMNS)
        .where('application', '=', application)
        .orderBy('createdAt')
        .orderBy('id')
        .execute(),
    );
  }

  override async findForVerification(keyId: string): Promise<ApiKeyForVerification | null> {
    const [key] = await this.database.read<ApiKeyForVerification>(SYSTEM, {
      ...FIND_FOR_VERIFICATION,
      values: [keyId],
    });
    return key ?? null;
  }

  override async listSecretHashes(createdSince: Date | null): Promise<ApiKeySecretHash[]> {
    return this.entities.query(SYSTEM, (tables) => {
      const valid = tables
        .selectFrom('ApiKey')
        .select(['id', 'secretHash', 'createdAt'])
        .where('revokedAt', 'is', null);
      return (createdSince === null ? valid : valid.where('createdAt', '>=', createdSince)).execute();
    });
  }

  override async revoke(keyId: string, revokedAt: Date): Promise<boolean> {
    const { numUpdatedRows } = await this.entities.query(SYSTEM, (tables) =>
      tables
        .updateTable('ApiKey')
        .set((key) => ({ revokedAt: key.fn.coalesce('revokedAt', key.val(revokedAt)) }))
        .where('id', '=', keyId)
        .executeTakeFirst(),
    );
    return numUpdatedRows > 0n;
  }

  override async touch(keyId: string, usedAt: Date): Promise<void> {
    const last = this.touched.get(keyId);
    if (last !== undefined && usedAt.getTime() - last < TOUCH_EVERY_MS) return;
    this.touched.set(keyId, usedAt.getTime());
    const lastUsedAt = { $lte: new Date(usedAt.getTime() - TOUCH_EVERY_MS) };
    await this.entities.within(SYSTEM, (em) =>
      em.nativeUpdate(ApiKeyEntity, { id: keyId, $or: [{ lastUsedAt: null }, { lastUsedAt }] }, { lastUsedAt: usedAt }),
    );
  }
}

import { LRUCache } from 'lru-cache';
import { Injectable } from '@nestjs/common';
import {
  ApiKeyRepository,
  Clock,
  DomainError,
  isUuid,
  type ApiKey,
  type ApiKeyForVerification,
  type ApiKeyScope,
  type ApiKeySecretHash,
  type NewApiKey,
} from '#domain';
import { isForeignKeyViolation } from '../database/database-errors.js';
import { Database } from '../database/database.js';
import { SYSTEM, tenant } from '../database/scope.js';

interface ApiKeyRow {
  id: string;
  application_id: string;
  name: string;
  scopes: ApiKeyScope[];
  expires_at: Date | null;
  revoked_at: Date | null;
  last_used_at: Date | null;
  created_at: Date;
}

const COLUMNS = 'id, application_id, name, scopes, expires_at, revoked_at, last_used_at, created_at';
const TOUCH_EVERY_MS = 60_000;

@Injectable()
export class SqlApiKeyRepository extends ApiKeyRepository {
  /** Key id → when this process last wrote its use, so that most requests cost no statement. */
  private readonly touched = new LRUCache<string, number>({ max: 10_000 });

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async create(key: NewApiKey): Promise<ApiKey> {
    if (!isUuid(key.applicationId)) throw noSuchApplication();
    try {
      const { rows } = await this.database.write<ApiKeyRow>(tenant(key.applicationId), {
        text:
          'insert into api_key (id, application_id, name, scopes, secret_hash, secret_tail, expires_at, created_at) ' +
          `values ($1, $2, $3, $4, $5, $6, $7, $8) returning ${COLUMNS}`,
        values: [
          key.id,
          key.applicationId,
          key.name,
          key.scopes,
          key.secretHash,
          key.secretTail,
          key.expiresAt,
          new Date(this.clock.nowMs()),
        ],
      });
      return toApiKey(rows[0] as ApiKeyRow);
    } catch (error) {
      if (isForeignKeyViolation(error)) throw noSuchApplication();
      throw error;
    }
  }

  override async list(applicationId: string): Promise<ApiKey[]> {
    if (!isUuid(applicationId)) return [];
    const rows = await this.database.read<ApiKeyRow>(tenant(applicationId), {
      text: `select ${COLUMNS} from api_key where application_id = $1 order by created_at, id`,
      values: [applicationId],
    });
    return rows.map(toApiKey);
  }

  override async findForVerification(keyId: string): Promise<ApiKeyForVerification | null> {
    const [row] = await this.database.read<ApiKeyRow & { secret_hash: Buffer; rate_limit_rps: number | null }>(SYSTEM, {
      name: 'api-key-verify',
      text:
        'select k.id, k.application_id, k.name, k.scopes, k.expires_at, k.revoked_at, k.last_used_at, k.created_at, ' +
        'k.secret_hash, a.rate_limit_rps from api_key k join application a on a.id = k.application_id ' +
        'where k.id = $1 and a.deletion_due_at is null',
      values: [keyId],
    });
    if (row === undefined) return null;
    return { ...toApiKey(row), secretHash: row.secret_hash, rateLimitRps: row.rate_limit_rps };
  }

  override async listSecretHashes(createdSince: Date | null): Promise<ApiKeySecretHash[]> {
    const rows = await this.database.read<{ id: string; secret_hash: Buffer; created_at: Date }>(SYSTEM, {
      text:
        'select id, secret_hash, created_at from api_key where ($1::timestamptz is null or created_at >= $1) ' +
        'and revoked_at is null',
      values: [createdSince],
    });
    return rows.map((row) => ({ id: row.id, secretHash: row.secret_hash, createdAt: row.created_at }));
  }

  override async revoke(keyId: string, revokedAt: Date): Promise<boolean> {
    const { count } = await this.database.write(SYSTEM, {
      text: 'update api_key set revoked_at = coalesce(revoked_at, $2) where id = $1',
      values: [keyId, revokedAt],
    });
    return count > 0;
  }

  override async touch(keyId: string, usedAt: Date): Promise<void> {
    const last = this.touched.get(keyId);
    if (last !== undefined && usedAt.getTime() - last < TOUCH_EVERY_MS) return;
    this.touched.set(keyId, usedAt.getTime());
    await this.database.write(SYSTEM, {
      text:
        'update api_key set last_used_at = $2 where id = $1 ' +
        `and (last_used_at is null or last_used_at <= $2::timestamptz - interval '${TOUCH_EVERY_MS} ms')`,
      values: [keyId, usedAt],
    });
  }
}

function toApiKey(row: ApiKeyRow): ApiKey {
  return {
    id: row.id,
    applicationId: row.application_id,
    name: row.name,
    scopes: row.scopes,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    lastUsedAt: row.last_used_at,
    createdAt: row.created_at,
  };
}

function noSuchApplication(): DomainError {
  return new DomainError('NotFound', 'There is no application with this id.');
}

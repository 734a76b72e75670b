import type { InferEntity } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import {
  OperatorTokenRepository,
  type NewOperatorToken,
  type OperatorToken,
  type OperatorTokenForVerification,
} from '#domain/operator';
import { isUuid } from '#domain/system';
import { EntityManagers } from '../database/entity-managers.js';
import { SYSTEM } from '../database/scope.js';
import { OperatorTokenEntity } from '../entities/operators.entities.js';

const TOUCH_EVERY_MS = 60_000;

@Injectable()
export class SqlOperatorTokenRepository extends OperatorTokenRepository {
  constructor(private readonly entities: EntityManagers) {
    super();
  }

  override async create(token: NewOperatorToken): Promise<OperatorToken> {
    const row = { ...token, lastUsedAt: null };
    return this.entities.within(SYSTEM, async (em) => {
      await em.insert(OperatorTokenEntity, row);
      return toToken(await em.findOneOrFail(OperatorTokenEntity, { id: token.id }, { populate: ['createdBy'] }));
    });
  }

  override async list(): Promise<OperatorToken[]> {
    const found = await this.entities.within(SYSTEM, (em) =>
      em.find(OperatorTokenEntity, {}, { populate: ['createdBy'], orderBy: { createdAt: 'desc', id: 'desc' } }),
    );
    return found.map(toToken);
  }

  override async find(id: string): Promise<OperatorTokenForVerification | null> {
    if (!isUuid(id)) return null;
    const found = await this.entities.within(SYSTEM, (em) =>
      em.findOne(OperatorTokenEntity, { id }, { populate: ['createdBy'] }),
    );
    if (found === null) return null;
    return { ...toToken(found), secretHash: found.secretHash, creatorRole: found.createdBy?.role ?? null };
  }

  override async remove(id: string): Promise<boolean> {
    if (!isUuid(id)) return false;
    return (await this.entities.within(SYSTEM, (em) => em.nativeDelete(OperatorTokenEntity, { id }))) > 0;
  }

  override async touch(id: string, usedAt: Date): Promise<void> {
    const lastUsedAt = { $lte: new Date(usedAt.getTime() - TOUCH_EVERY_MS) };
    await this.entities.within(SYSTEM, (em) =>
      em.nativeUpdate(OperatorTokenEntity, { id, $or: [{ lastUsedAt: null }, { lastUsedAt }] }, { lastUsedAt: usedAt }),
    );
  }
}

function toToken(token: InferEntity<typeof OperatorTokenEntity>): OperatorToken {
  const { id, name, scopes, createdBy, createdAt, expiresAt, lastUsedAt } = token;
  return {
    id,
    name,
    scopes,
    createdBy: createdBy?.email ?? null,
    createdAt,
    expiresAt,
    lastUsedAt: lastUsedAt ?? null,
  };
}

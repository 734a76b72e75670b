import { Injectable } from '@nestjs/common';
import type { ApplicationRef } from '#domain/applications';
import { RedirectUrlRepository } from '#domain/oauth';
import { Clock, IdGenerator, isUuid, noSuchApplication } from '#domain/system';
import { foreignKeyAsNotFound } from '../database/database-errors.js';
import { EntityManagers } from '../database/entity-managers.js';
import { tenant } from '../database/scope.js';
import { RedirectUrlEntity } from '../entities/oauth.entities.js';

@Injectable()
export class SqlRedirectUrlRepository extends RedirectUrlRepository {
  constructor(
    private readonly entities: EntityManagers,
    private readonly ids: IdGenerator,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async list({ applicationId: application }: ApplicationRef): Promise<string[]> {
    if (!isUuid(application)) return [];
    const found = await this.entities.within(tenant(application), (em) =>
      em.find(RedirectUrlEntity, { application }, { orderBy: { createdAt: 'asc', id: 'asc' } }),
    );
    return found.map(({ url }) => url);
  }

  override async add({ applicationId: application }: ApplicationRef, url: string): Promise<boolean> {
    if (!isUuid(application)) throw noSuchApplication();
    const row = { id: this.ids.next(), application, url, createdAt: new Date(this.clock.nowMs()) };
    return foreignKeyAsNotFound(() =>
      this.entities.query(tenant(application), async (tables) => {
        const insert = tables.insertInto('RedirectUrl').values(row);
        const { numInsertedOrUpdatedRows } = await insert
          .onConflict((conflict) => conflict.columns(['application', 'url']).doNothing())
          .executeTakeFirst();
        return numInsertedOrUpdatedRows === 1n;
      }),
    );
  }

  override async remove({ applicationId: application }: ApplicationRef, url: string): Promise<boolean> {
    if (!isUuid(application)) return false;
    const count = await this.entities.within(tenant(application), (em) =>
      em.nativeDelete(RedirectUrlEntity, { application, url }),
    );
    return count > 0;
  }

  override async replace({ applicationId: application }: ApplicationRef, from: string, to: string): Promise<boolean> {
    if (!isUuid(application)) return false;
    const count = await this.entities.within(tenant(application), (em) =>
      em.nativeUpdate(RedirectUrlEntity, { application, url: from }, { url: to }),
    );
    return count > 0;
  }
}

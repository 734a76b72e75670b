import { LockMode } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { ProviderType } from '#domain/accounts';
import type { ApplicationRef } from '#domain/applications';
import { SignInTestRepository, type SignInTest, type SignInTestResult } from '#domain/oauth';
import { Clock, IdGenerator, isUuid, noSuchApplication } from '#domain/system';
import { EntityManagers } from '../database/entity-managers.js';
import { tenant } from '../database/scope.js';
import { ApplicationEntity } from '../entities/applications.entities.js';
import { SignInTestEntity } from '../entities/oauth.entities.js';

@Injectable()
export class SqlSignInTestRepository extends SignInTestRepository {
  constructor(
    private readonly entities: EntityManagers,
    private readonly ids: IdGenerator,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async begin({ applicationId }: ApplicationRef, providerType: ProviderType): Promise<string> {
    if (!isUuid(applicationId)) throw noSuchApplication();
    return this.entities.transaction(tenant(applicationId), async (em) => {
      const application = await em.findOne(
        ApplicationEntity,
        { id: applicationId, deletionDueAt: null },
        { lockMode: LockMode.PESSIMISTIC_READ },
      );
      if (application === null) throw noSuchApplication();
      const test = em.create(SignInTestEntity, {
        ...{ id: this.ids.next(), application, providerType, state: 'running', grantedScopes: [], missingScopes: [] },
        createdAt: new Date(this.clock.nowMs()),
      });
      return test.id;
    });
  }

  override async finish(
    { applicationId: application }: ApplicationRef,
    id: string,
    { error, ...result }: SignInTestResult,
  ): Promise<void> {
    await this.entities.within(tenant(application), (em) =>
      em.nativeUpdate(
        SignInTestEntity,
        { application, id, state: 'running' },
        {
          ...result,
          state: error === null ? 'passed' : 'failed',
          errorCode: error?.code ?? null,
          errorMessage: error?.message ?? null,
        },
      ),
    );
  }

  override async find({ applicationId: application }: ApplicationRef, id: string): Promise<SignInTest | null> {
    if (!isUuid(application) || !isUuid(id)) return null;
    const test = await this.entities.query(tenant(application), (tables) =>
      tables
        .selectFrom('SignInTest')
        .select(['providerType', 'state', 'email', 'grantedScopes', 'missingScopes', 'hasRefreshToken', 'createdAt'])
        .select(['errorCode', 'errorMessage'])
        .where('application', '=', application)
        .where('id', '=', id)
        .executeTakeFirst(),
    );
    if (test === undefined) return null;
    const { errorCode, errorMessage, ...rest } = test;
    return { ...rest, error: errorCode === null ? null : { code: errorCode, message: errorMessage ?? '' } };
  }
}

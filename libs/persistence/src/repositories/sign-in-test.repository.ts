import { Injectable } from '@nestjs/common';
import {
  Clock,
  DomainError,
  Ids,
  SignInTestRepository,
  isUuid,
  type ApplicationRef,
  type ProviderType,
  type SignInTest,
  type SignInTestResult,
} from '#domain';
import { Database } from '../database/database.js';
import { tenant } from '../database/scope.js';

interface TestRow {
  provider_type: ProviderType;
  state: SignInTest['state'];
  email: string | null;
  granted_scopes: string[];
  missing_scopes: string[];
  has_refresh_token: boolean | null;
  error_code: string | null;
  error_message: string | null;
  created_at: Date;
}

@Injectable()
export class SqlSignInTestRepository extends SignInTestRepository {
  constructor(
    private readonly database: Database,
    private readonly ids: Ids,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async begin({ applicationId }: ApplicationRef, providerType: ProviderType): Promise<string> {
    if (!isUuid(applicationId)) throw noSuchApplication();
    const id = this.ids.next();
    const { count } = await this.database.write(tenant(applicationId), {
      text:
        'insert into sign_in_test (application_id, id, provider_type, state, granted_scopes, missing_scopes, ' +
        "created_at) select id, $2, $3, 'running', '{}', '{}', $4 from application where id = $1 " +
        'and deletion_due_at is null for key share',
      values: [applicationId, id, providerType, new Date(this.clock.nowMs())],
    });
    if (count === 0) throw noSuchApplication();
    return id;
  }

  override async finish(
    { applicationId }: ApplicationRef,
    testId: string,
    { email, grantedScopes, missingScopes, hasRefreshToken, error }: SignInTestResult,
  ): Promise<void> {
    await this.database.write(tenant(applicationId), {
      text:
        'update sign_in_test set state = $3, email = $4, granted_scopes = $5, missing_scopes = $6, ' +
        'has_refresh_token = $7, error_code = $8, error_message = $9 ' +
        "where application_id = $1 and id = $2 and state = 'running'",
      values: [
        ...[applicationId, testId, error === null ? 'passed' : 'failed', email, grantedScopes, missingScopes],
        ...[hasRefreshToken, error?.code ?? null, error?.message ?? null],
      ],
    });
  }

  override async find({ applicationId }: ApplicationRef, testId: string): Promise<SignInTest | null> {
    if (!isUuid(applicationId) || !isUuid(testId)) return null;
    const [row] = await this.database.read<TestRow>(tenant(applicationId), {
      text:
        'select provider_type, state, email, granted_scopes, missing_scopes, has_refresh_token, error_code, ' +
        'error_message, created_at from sign_in_test where application_id = $1 and id = $2',
      values: [applicationId, testId],
    });
    if (row === undefined) return null;
    return {
      providerType: row.provider_type,
      state: row.state,
      email: row.email,
      grantedScopes: row.granted_scopes,
      missingScopes: row.missing_scopes,
      hasRefreshToken: row.has_refresh_token,
      error: row.error_code === null ? null : { code: row.error_code, message: row.error_message ?? '' },
      createdAt: row.created_at,
    };
  }
}

function noSuchApplication(): DomainError {
  return new DomainError('NotFound', 'There is no application with this id.');
}

import { Injectable } from '@nestjs/common';
import type { ProviderType } from '#domain/accounts';
import { SignInTestRepository, type SignInTest } from '#domain/oauth';
import { AuditLog } from '#domain/operator';
import { CalendarProviders } from '#domain/providers';
import { Clock, DomainError } from '#domain/system';
import { recordAction } from '../system/actor.js';
import { authorizationOf, OAuthClients } from '../accounts/token-refresh.js';
import { SIGN_IN_LIFETIME_MS, AuthorizationRequests } from './authorization-requests.js';
import { testFailure } from './sign-in-test-errors.js';

export type SignInTestView = Omit<SignInTest, 'createdAt'>;

@Injectable()
export class SignInTests {
  constructor(
    private readonly tests: SignInTestRepository,
    private readonly providers: CalendarProviders,
    private readonly clients: OAuthClients,
    private readonly attempts: AuthorizationRequests,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /** @throws DomainError NotFound (application), Conflict when there is no client to test */
  async begin(
    applicationId: string,
    providerType: ProviderType,
    browser: string,
    pageOf: (testId: string) => string,
  ): Promise<{ testId: string; authorizationUrl: string }> {
    const application = { applicationId };
    const authorization = authorizationOf(this.providers.for(providerType));
    const client = await this.clients.of(application, providerType);
    if (client === null) {
      throw new DomainError('Conflict', `There is no OAuth client for ${providerType} to test. Set one first.`);
    }
    const testId = await this.tests.begin(application, providerType);
    const attempt = {
      ...{ applicationId, providerType, testId, redirectUrl: pageOf(testId) },
      ...{ prompt: null, loginHint: null, callerState: null, externalId: null, again: false },
    };
    const authorizationUrl = await this.attempts.begin(authorization, client, attempt, browser, null);
    await recordAction(this.audit, 'sign-in.tested', `oauth-client:${providerType}`, applicationId);
    return { testId, authorizationUrl };
  }

  /** @throws DomainError NotFound */
  async get(applicationId: string, testId: string): Promise<SignInTestView> {
    const test = await this.tests.find({ applicationId }, testId);
    if (test === null) throw new DomainError('NotFound', 'There is no test of a sign-in with this id.');
    const { createdAt, ...view } = test;
    const isOver = createdAt.getTime() + SIGN_IN_LIFETIME_MS <= this.clock.nowMs();
    if (view.state !== 'running' || !isOver) return view;
    const callbackUrl = this.attempts.callbackUrl(view.providerType);
    return { ...view, state: 'failed', error: testFailure('abandoned', { callbackUrl }) };
  }
}

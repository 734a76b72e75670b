import { Injectable, Logger } from '@nestjs/common';
import { RevocationRepository } from '#domain/accounts';
import {
  SignInTestRepository,
  type AuthorizationServer,
  type AuthorizationRequest,
  type OAuthClient,
  type OAuthTokens,
  type SignInTestResult,
} from '#domain/oauth';
import { CalendarProviders } from '#domain/providers';
import { DomainError, isTransient } from '#domain/system';
import { GrantRevocation } from '../accounts/account-deletion.js';
import { AccountRegistrations } from '../accounts/account-registration.js';
import { authorizationOf, OAuthClients } from '../accounts/token-refresh.js';
import type { AuthorizationResponse } from './authorization-code-strategy.js';
import { requestedScopes, AuthorizationRequests } from './authorization-requests.js';
import { ofDenial, ofRejectedClient, testFailure, type SignInTestFailure } from './sign-in-test-errors.js';

export type TestAttempt = AuthorizationRequest & { testId: string };

export interface TestReturn {
  attempt: TestAttempt;
  /** null when another provider sent the response. */
  authorizationResponse: AuthorizationResponse | null;
  /** Untrusted text, never repeated. */
  errorDescription: string | null;
  signal: AbortSignal;
}

type Party = Omit<TestReturn, 'authorizationResponse' | 'errorDescription'> & {
  authorization: AuthorizationServer;
  client: OAuthClient;
};

/** Creates no account, and revokes the grant of the test. */
@Injectable()
export class SignInTestRunner {
  private readonly logger = new Logger(SignInTestRunner.name);

  constructor(
    private readonly tests: SignInTestRepository,
    private readonly providers: CalendarProviders,
    private readonly clients: OAuthClients,
    private readonly attempts: AuthorizationRequests,
    private readonly granted: AccountRegistrations,
    private readonly revocations: RevocationRepository,
    private readonly revocation: GrantRevocation,
  ) {}

  async finish(back: TestReturn): Promise<string> {
    const { attempt } = back;
    await this.tests.finish(attempt, attempt.testId, await this.resultOf(back));
    return attempt.redirectUrl;
  }

  private async resultOf({ authorizationResponse, ...back }: TestReturn): Promise<SignInTestResult> {
    const { attempt, errorDescription, signal } = back;
    if (authorizationResponse === null) return failed(testFailure('foreign_answer'));
    const client = await this.clients.of(attempt, attempt.providerType);
    if (client === null) return failed(testFailure('client_missing'));
    const authorization = authorizationOf(this.providers.for(attempt.providerType));
    const party = { ...back, authorization, client };
    const surroundings = {
      callbackUrl: this.attempts.callbackUrl(attempt.providerType),
      consentUrl: this.attempts.administratorConsentUrl(authorization, client, attempt),
    };
    try {
      const outcome = await this.attempts.redeem(authorization, client, attempt, authorizationResponse, signal);
      switch (outcome.state) {
        case 'granted':
          return await this.tryOut(party, outcome.tokens);
        case 'denied': {
          const { error } = outcome;
          const needsAdministrator = authorization.needsAdministrator({ error, errorDescription });
          const code = needsAdministrator ? 'admin_consent_required' : ofDenial(error);
          return failed(testFailure(code, { ...surroundings, error }));
        }
        case 'grant-rejected':
          return failed(testFailure('code_refused', surroundings));
        case 'client-rejected': {
          const { code } = outcome.error;
          return failed(testFailure(ofRejectedClient(code), { ...surroundings, error: code }));
        }
      }
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      return failed(testFailure('provider_unavailable', { reason: error.message }));
    }
  }

  private async tryOut(party: Party, tokens: OAuthTokens): Promise<SignInTestResult> {
    const { attempt, authorization, client, signal } = party;
    const requested = requestedScopes(authorization, client);
    // RFC 6749 §5.1: omitted scopes are the requested ones.
    const grantedScopes = tokens.scopes ?? [...requested];
    const missingScopes = authorization.missingScopes(requested, grantedScopes);
    const identity = tokens.identity ?? (await authorization.identify({ accessToken: tokens.accessToken, signal }));
    try {
      const { refreshToken } = tokens;
      const proof =
        missingScopes.length > 0
          ? testFailure('missing_scopes', { missingScopes })
          : refreshToken === null
            ? testFailure('no_refresh_token')
            : await this.readCalendars(party, { ...tokens, identity, refreshToken });
      return {
        email: ('email' in proof ? proof.email : identity?.email) || null,
        grantedScopes,
        missingScopes,
        hasRefreshToken: refreshToken !== null,
        error: 'code' in proof ? proof : null,
      };
    } finally {
      await this.revokeGrant(attempt, client, identity?.subject ?? null, tokens);
    }
  }

  private async readCalendars(
    { attempt, client, signal }: Party,
    tokens: OAuthTokens & { refreshToken: string },
  ): Promise<{ email: string } | SignInTestFailure> {
    try {
      const { connected } = await this.granted.verify(attempt, {
        providerType: attempt.providerType,
        client,
        tokens,
        signal,
      });
      return { email: connected.email };
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      const isPassing = error.provider?.retryable ?? isTransient(error);
      return testFailure(isPassing ? 'provider_unavailable' : 'calendar_refused', { reason: error.message });
    }
  }

  /** Queues the revocation, which survives a crash and spares grants that an account uses. */
  private async revokeGrant(
    { applicationId, providerType }: TestAttempt,
    { clientId }: OAuthClient,
    subject: string | null,
    { refreshToken, accessToken }: OAuthTokens,
  ): Promise<void> {
    if (subject === null) {
      this.logger.warn({
        msg: 'grant of a sign-in test kept: its account is unknown',
        applicationId,
        providerType,
      });
      return;
    }
    const grant = { providerType, providerAccountId: subject, clientId, token: refreshToken ?? accessToken };
    this.revocation.begin(await this.revocations.add({ applicationId }, grant));
  }
}

function failed(error: SignInTestFailure): SignInTestResult {
  return { email: null, grantedScopes: [], missingScopes: [], hasRefreshToken: null, error };
}

import { Injectable, Logger } from '@nestjs/common';
import type { ProviderType } from '#domain/accounts';
import { ApplicationRepository, type Application, type ApplicationRef } from '#domain/applications';
import { ConnectLinkGone, type ConnectLink } from '#domain/connect-links';
import {
  RedirectUrlRepository,
  type AuthorizationServer,
  type AuthorizationRequest,
  type OAuthClient,
  type OAuthPrompt,
  type PreparedSignIn,
} from '#domain/oauth';
import { CalendarProviders } from '#domain/providers';
import { DomainError, invalid } from '#domain/system';
import { authorizationOf, OAuthClients } from '../accounts/token-refresh.js';
import type { AuthorizationResponse } from './authorization-code-strategy.js';
import { CallbackUrls } from './callback-urls.js';
import { AuthorizationRequests } from './authorization-requests.js';
import { SignInGrants, type SignInGrant, type SignInOutcome } from './sign-in-grants.js';
import { returnConnected, returnRejected, toSignInError, type SignInError } from './sign-in-response.js';
import { SignInTestRunner, type TestAttempt } from './sign-in-test-runner.js';

export interface SignInRequest {
  providerType: ProviderType;
  prompt?: OAuthPrompt;
  loginHint?: string;
  /** One of the application's redirect URLs. Default: the first one. */
  redirectUrl?: string;
  /** Returned unchanged. */
  state?: string;
  /** undefined keeps the stored value. */
  externalId?: string;
}

/** Untrusted unless `request` is set. */
export interface BeginSignIn extends SignInRequest {
  applicationId: string;
  /** Secret of a link that the application created with its key. Allows no other parameter. */
  request?: string;
}

export interface AuthorizationUrlView {
  url: string;
  expiresAt: string;
}

type FixedSignIn = Omit<PreparedSignIn, 'urlHash' | 'expiresAt'>;

/** Callback parameters (RFC 6749 §4.1.2, RFC 9207). */
export interface SignInResponse {
  state?: string;
  code?: string;
  error?: string;
  errorDescription?: string;
  errorSubtype?: string;
  iss?: string;
}

@Injectable()
export class SignInService {
  private readonly logger = new Logger(SignInService.name);

  constructor(
    private readonly providers: CalendarProviders,
    private readonly applications: ApplicationRepository,
    private readonly redirectUrls: RedirectUrlRepository,
    private readonly clients: OAuthClients,
    private readonly callbacks: CallbackUrls,
    private readonly attempts: AuthorizationRequests,
    private readonly grants: SignInGrants,
    private readonly trial: SignInTestRunner,
  ) {}

  /** Returns the provider's sign-in page. @throws DomainError NotFound, NotSupportedByProvider, ValidationFailed */
  async begin({ applicationId, ...request }: BeginSignIn, browser: string): Promise<string> {
    const authorization = authorizationOf(this.providers.for(request.providerType));
    const found = await this.applications.get(applicationId);
    // A UUID has several spellings, so the stored one is used.
    const application = { applicationId: found.id };
    const client = await this.clientOf(application, request.providerType);
    const signIn =
      request.request === undefined
        ? await this.signInOf(application, withinRequirements(found, request))
        : await this.preparedSignIn(application, { ...request, request: request.request });
    return this.attempts.begin(authorization, client, { ...signIn, again: false }, browser, signIn.loginHint);
  }

  /** A link works once, for ten minutes. @throws DomainError NotFound, NotSupportedByProvider, ValidationFailed */
  async prepare(application: ApplicationRef, request: SignInRequest): Promise<AuthorizationUrlView> {
    authorizationOf(this.providers.for(request.providerType));
    await this.clientOf(application, request.providerType);
    const { secret, expiresAt } = await this.attempts.prepare(await this.signInOf(application, request));
    const url = this.callbacks.ofPrepared(application.applicationId, request.providerType, secret);
    return { url, expiresAt: expiresAt.toISOString() };
  }

  /** Returns the provider's sign-in page. @throws DomainError NotSupportedByProvider */
  async beginFromLink(
    { id, applicationId, redirectUrl, callerState, externalId }: ConnectLink,
    providerType: ProviderType,
    browser: string,
  ): Promise<string> {
    const authorization = authorizationOf(this.providers.for(providerType));
    const client = await this.clientOf({ applicationId }, providerType);
    const signIn = { applicationId, providerType, redirectUrl, callerState, externalId, connectLinkId: id };
    return this.attempts.begin(
      authorization,
      client,
      { ...signIn, prompt: null, loginHint: null, again: false },
      browser,
      null,
    );
  }

  /**
   * Returns where to redirect. @param browser null without a cookie
   * @throws DomainError NotSupportedByProvider; ValidationFailed when no sign-in of this browser matches; ConnectLinkGone
   */
  async finish(
    providerType: ProviderType,
    response: SignInResponse,
    browser: string | null,
    signal: AbortSignal,
  ): Promise<string> {
    const authorization = authorizationOf(this.providers.for(providerType));
    const authorizationResponse = responseOf(response);
    if (authorizationResponse === null || response.state === undefined || browser === null) throw noSignIn();
    const attempt = await this.attempts.take(response.state, browser);
    if (attempt === null) throw noSignIn();
    const isForeign = isMixedUp(attempt, providerType, authorization, response.iss);
    if (isTest(attempt)) {
      const { errorDescription = null } = response;
      return this.trial.finish({
        attempt,
        authorizationResponse: isForeign ? null : authorizationResponse,
        errorDescription,
        signal,
      });
    }
    if (isForeign) throw noSignIn();
    try {
      const client = await this.clientOf(attempt, providerType);
      const outcome = await this.outcomeOf({ attempt, authorization, client, signal }, authorizationResponse, response);
      switch (outcome.state) {
        case 'connected':
          return returnConnected(attempt, outcome.accountId);
        case 'rejected':
          return returnRejected(attempt, outcome.error);
        case 'again':
          return await this.attempts.begin(
            authorization,
            client,
            { ...attempt, again: true },
            browser,
            outcome.loginHint,
          );
      }
    } catch (error) {
      if (!(error instanceof DomainError) || error instanceof ConnectLinkGone) throw error;
      this.logger.warn({ ...namesOf(attempt), err: error }, 'a sign-in failed');
      return returnRejected(attempt, 'provider_error');
    }
  }

  private async signInOf({ applicationId }: ApplicationRef, request: SignInRequest): Promise<FixedSignIn> {
    const { providerType, prompt = null, loginHint = null, state = null, externalId = null } = request;
    const redirectUrl = await this.redirectUrlOf({ applicationId }, request.redirectUrl);
    return { applicationId, providerType, prompt, loginHint, redirectUrl, callerState: state, externalId };
  }

  private async preparedSignIn(
    application: ApplicationRef,
    { request: secret, providerType, ...others }: Omit<BeginSignIn, 'applicationId'> & { request: string },
  ): Promise<FixedSignIn> {
    const [added] = Object.entries(others).flatMap(([name, value]) => (value === undefined ? [] : [name]));
    if (added !== undefined) throw invalid(added, 'cannot be added to an address that the application has made');
    const prepared = await this.attempts.takePrepared(secret, { ...application, providerType });
    if (prepared === null) throw noSuchAuthorizationUrl();
    const { urlHash: _hash, expiresAt: _expiry, ...signIn } = prepared;
    return { ...signIn, redirectUrl: await this.redirectUrlOf(application, signIn.redirectUrl) };
  }

  private async outcomeOf(
    signIn: Omit<SignInGrant, 'tokens'>,
    authorizationResponse: AuthorizationResponse,
    response: SignInResponse,
  ): Promise<SignInOutcome> {
    const { attempt, authorization, client, signal } = signIn;
    const result = await this.attempts.redeem(authorization, client, attempt, authorizationResponse, signal);
    switch (result.state) {
      case 'granted':
        return this.grants.accept({ ...signIn, tokens: result.tokens });
      case 'denied':
        return { state: 'rejected', error: this.errorOf(signIn, result.error, response) };
      case 'grant-rejected':
        this.logger.warn({ ...namesOf(attempt), provider: result.error }, 'the provider refuses an authorization code');
        return { state: 'rejected', error: 'provider_error' };
      case 'client-rejected':
        this.logger.error(
          { ...namesOf(attempt), clientId: client.clientId, provider: result.error },
          'the provider refuses an OAuth client',
        );
        return { state: 'rejected', error: 'provider_error' };
    }
  }

  private errorOf(
    { attempt, authorization, client }: Omit<SignInGrant, 'tokens'>,
    error: string,
    { errorSubtype, errorDescription }: SignInResponse,
  ): SignInError {
    if (!authorization.needsAdministrator({ error, errorDescription: errorDescription ?? null })) {
      return toSignInError({ error, errorSubtype }, attempt.prompt);
    }
    const consentAt = this.attempts.administratorConsentUrl(authorization, client, attempt);
    this.logger.warn(
      { ...namesOf(attempt), clientId: client.clientId, consentAt },
      "an organization asks for an administrator's consent",
    );
    return 'admin_consent_required';
  }

  /** @throws DomainError NotSupportedByProvider */
  async clientOf(application: ApplicationRef, providerType: ProviderType): Promise<OAuthClient> {
    const client = await this.clients.of(application, providerType);
    if (client !== null) return client;
    throw new DomainError(
      'NotSupportedByProvider',
      `This application has no OAuth client for ${providerType} accounts.`,
    );
  }

  /** RFC 9700 §4.1.3: exact string match. @throws DomainError ValidationFailed */
  async redirectUrlOf(application: ApplicationRef, asked: string | undefined): Promise<string> {
    const allowed = await this.redirectUrls.list(application);
    const redirectUrl = asked === undefined ? allowed[0] : allowed.find((url) => url === asked);
    if (redirectUrl !== undefined) return redirectUrl;
    throw invalid(
      'redirectUrl',
      asked === undefined
        ? 'the application has none configured'
        : 'is not one of the redirect URLs of the application',
    );
  }
}

export function responseOf({ code, error }: SignInResponse): AuthorizationResponse | null {
  if (error !== undefined && error !== '') return { error };
  return code === undefined || code === '' ? null : { code };
}

/** A link that was made without a key may be forged. */
function withinRequirements<Request extends SignInRequest>(
  { requiresSignedLinks }: Application,
  request: Request,
): Request {
  if (!requiresSignedLinks || request.externalId === undefined) return request;
  throw invalid(
    'externalId',
    'must come by an address of POST /v1/oauth/authorizationUrls: the application lets nobody else say it',
  );
}

function isTest(attempt: AuthorizationRequest): attempt is TestAttempt {
  return attempt.testId !== undefined;
}

/** RFC 9700 §4.4: a response must come from the authorization server that was asked. */
function isMixedUp(
  attempt: AuthorizationRequest,
  providerType: ProviderType,
  authorization: AuthorizationServer,
  iss: string | undefined,
): boolean {
  return attempt.providerType !== providerType || (iss !== undefined && !authorization.isIssuer(iss));
}

/** One error for all cases, so that attackers learn nothing. */
function noSuchAuthorizationUrl(): DomainError {
  return invalid('request', 'this address was used already, or is over. Go back to the application and start again');
}

function noSignIn(): DomainError {
  return new DomainError(
    'ValidationFailed',
    'This sign-in is over, or it began in another browser. Go back to the application and start again.',
  );
}

function namesOf({ applicationId, providerType }: AuthorizationRequest): {
  applicationId: string;
  providerType: ProviderType;
} {
  return { applicationId, providerType };
}

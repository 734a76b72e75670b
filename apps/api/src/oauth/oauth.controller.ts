import { Controller, Get, HttpCode, Inject, Param, Query, Req, Res, UseFilters, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { isTestState, SignInService, type SignInResponse } from '#application/oauth';
import { OPERATOR_URL, PUBLIC_URL } from '#application/system';
import type { ProviderType } from '#domain/accounts';
import { DomainError } from '#domain/system';
import { providerBySlug } from '#providers';
import { isAt } from '../http/request-headers.js';
import { PublicRoute, RequestSignal } from '../http/request.decorators.js';
import { RateLimits } from '../auth/rate-limits.js';
import { ApiBrowserRoute, Fails } from '../openapi/operation.decorators.js';
import { BrowserCookie } from './browser-cookie.js';
import { BrowserFailureFilter } from './failure-page.js';
import { ApiCallbackParameters, CallbackParameters } from './callback-parameters.js';
import { NavigationGuard, FOUND, sendTo } from './navigation.js';
import { AuthorizeQueryDto } from './oauth.dto.js';

/** What users' browsers visit, on their way to a provider and back. */
@ApiTags('Authentication')
@PublicRoute()
@UseGuards(NavigationGuard)
@UseFilters(BrowserFailureFilter)
@Controller('v1/oauth')
export class OAuthController {
  constructor(
    private readonly signIns: SignInService,
    private readonly browsers: BrowserCookie,
    private readonly limits: RateLimits,
    @Inject(PUBLIC_URL) private readonly publicUrl: string,
    @Inject(OPERATOR_URL) private readonly operatorUrl: string,
  ) {}

  /**
   * Send a user's browser here to connect an account. It goes on to the provider's sign-in page, and in the end to the
   * redirect URL of the application: with `endUserAccountId` when the account is connected, else with `error`
   * (`access_denied`, `missing_required_permissions`, `login_hint_mismatch`, `external_id_mismatch`,
   * `admin_consent_required`, `interaction_required`, `provider_error`), `error_description` and `provider`; in both
   * cases with the `state` of the application. Nothing is stored unless the account is connected. What cannot be sent
   * back safely is answered here.
   */
  @Get('authorize/:applicationId/:provider')
  @HttpCode(FOUND)
  @ApiBrowserRoute("The provider's sign-in page.")
  @Fails('NotFound', 'NotSupportedByProvider')
  async beginSignIn(
    @Param('applicationId') applicationId: string,
    @Param('provider') provider: string,
    @Query() query: AuthorizeQueryDto,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await this.limits.takeSignIn(response, request.ip ?? '');
    const browser = this.browsers.readOrMake(request);
    const location = await this.signIns.begin(
      { ...query, applicationId, providerType: providerTypeOf(provider) },
      browser,
    );
    this.browsers.write(response, browser);
    sendTo(response, location);
  }

  /**
   * Where providers send browsers back to. Its address is registered with the provider as the redirect URI of the OAuth
   * client. A response that belongs to no sign-in of this browser is refused.
   */
  @Get('callback/:provider')
  @HttpCode(FOUND)
  @ApiBrowserRoute('The redirect URL of the application with the outcome, or the provider once more.')
  @ApiCallbackParameters()
  @Fails('NotFound', 'NotSupportedByProvider', 'ProviderTimeout')
  async finishSignIn(
    @Param('provider') provider: string,
    @CallbackParameters() parameters: SignInResponse,
    @Req() request: Request,
    @Res() response: Response,
    @RequestSignal() signal: AbortSignal,
  ): Promise<void> {
    const browser = this.browsers.read(request);
    if (browser === null && isTestState(parameters.state) && this.isElsewhere(request)) {
      const { pathname, search } = new URL(request.originalUrl, this.operatorUrl);
      return sendTo(response, `${this.operatorUrl.replace(/\/+$/, '')}${pathname}${search}`);
    }
    const location = await this.signIns.finish(providerTypeOf(provider), parameters, browser, signal);
    // It may be the way to the provider once more.
    if (browser !== null) this.browsers.write(response, browser);
    sendTo(response, location);
  }

  /** A test begins in the dashboard, whose cookie this host may not get. The way there leads to this route once more. */
  private isElsewhere({ headers }: Request): boolean {
    return !isAt(this.operatorUrl, headers.host) && isAt(this.publicUrl, headers.host);
  }
}

/** The provider that a segment of a path names. @throws DomainError NotFound */
export function providerTypeOf(segment: string): ProviderType {
  const definition = providerBySlug(segment);
  if (definition === undefined) throw new DomainError('NotFound', 'There is no provider with this name.');
  return definition.type;
}

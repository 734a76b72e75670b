import { Get, HttpCode, Post, Query, Req, Res, UseGuards, Inject, Injectable } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import type { SignInResponse } from '#application/oauth';
import { SsoService, type AuthenticatedSession } from '#application/operator';
import { PUBLIC_URL } from '#application/system';
import { RateLimits } from '../../auth/rate-limits.js';
import { RequestSignal } from '../../http/request.decorators.js';
import { Fails } from '../../openapi/operation.decorators.js';
import { ApiCallbackParameters, CallbackParameters } from '../../oauth/callback-parameters.js';
import { NavigationGuard, FOUND, sendTo } from '../../oauth/navigation.js';
import { CurrentSession, NeedsRecentSignIn, NeedsRole, WithoutSession } from '../operator.decorators.js';
import { NoQuery } from '../../validation/request-validation.pipe.js';
import { OperatorController } from '../operator-controller.decorator.js';
import { writeOperatorCookies } from '../operator.guard.js';
import { StartedSsoDto, StartSsoQueryDto } from './sso.dto.js';
import { BrowserCookie } from '../../oauth/browser-cookie.js';

/** Of a browser that goes to the identity provider of the operators. */
@Injectable()
export class SsoCookie extends BrowserCookie {
  constructor(@Inject(PUBLIC_URL) publicUrl: string) {
    super(publicUrl, 'uc_sso');
  }
}

/** What operators' browsers visit, on their way to the identity provider and back. */
@ApiTags('Single sign-on')
@OperatorController('sign-on')
export class SsoController {
  constructor(
    private readonly sso: SsoService,
    private readonly browsers: SsoCookie,
    private readonly limits: RateLimits,
  ) {}

  /** Send a browser to the identity provider. It comes back signed in, or to the sign-in page with `error`. */
  @Get('start')
  @WithoutSession()
  @UseGuards(NavigationGuard)
  @HttpCode(FOUND)
  async startSso(
    @Query() { returnTo }: StartSsoQueryDto,
    @Req() request: Request,
    @Res() response: Response,
    @RequestSignal() signal: AbortSignal,
  ): Promise<void> {
    await this.limits.takeSignIn(response, request.ip ?? '');
    const browser = this.browsers.readOrMake(request);
    const location = await this.sso.begin(returnTo, browser, signal);
    this.browsers.write(response, browser);
    sendTo(response, location);
  }

  /** Where the identity provider sends browsers back to. */
  @Get('callback')
  @WithoutSession()
  @UseGuards(NavigationGuard)
  @HttpCode(FOUND)
  @ApiCallbackParameters()
  async finishSso(
    @CallbackParameters() parameters: SignInResponse,
    @Req() request: Request,
    @Res() response: Response,
    @RequestSignal() signal: AbortSignal,
  ): Promise<void> {
    const { location, session } = await this.sso.finish(parameters, this.browsers.read(request), signal);
    if (session !== null) writeOperatorCookies(response, session);
    sendTo(response, location);
  }

  /** Link your identity at the identity provider: from then on you can sign in there. */
  @Post('link')
  @NeedsRole('viewer')
  @NeedsRecentSignIn()
  @HttpCode(200)
  @Fails('NotFound', 'ReauthenticationRequired')
  async linkSsoIdentity(
    @CurrentSession() { operator }: AuthenticatedSession,
    @Query() _: NoQuery,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
    @RequestSignal() signal: AbortSignal,
  ): Promise<StartedSsoDto> {
    const browser = this.browsers.readOrMake(request);
    const url = await this.sso.beginLink(operator.id, browser, signal);
    this.browsers.write(response, browser);
    return { url };
  }

  /**
   * Prove once more who you are, at the identity provider, which is told to ask. The browser comes back with a renewed
   * session, or with `error`, to a page that closes itself: open the address in a window of its own.
   */
  @Post('reauthenticate')
  @NeedsRole('viewer')
  @HttpCode(200)
  @Fails('NotFound')
  async startSsoReauthentication(
    @CurrentSession() session: AuthenticatedSession,
    @Query() _: NoQuery,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
    @RequestSignal() signal: AbortSignal,
  ): Promise<StartedSsoDto> {
    const browser = this.browsers.readOrMake(request);
    const url = await this.sso.beginReauthentication(session, browser, signal);
    this.browsers.write(response, browser);
    return { url };
  }
}

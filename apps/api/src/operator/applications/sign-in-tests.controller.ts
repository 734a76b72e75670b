import { Get, HttpCode, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { SignInTests } from '#application/oauth';
import { OperatorSettings } from '#application/operator';
import { BrowserCookie } from '../../oauth/browser-cookie.js';
import { Fails } from '../../openapi/operation.decorators.js';
import { NoQuery } from '../../validation/request-validation.pipe.js';
import { OperatorController } from '../operator-controller.decorator.js';
import { oauthProviderOf } from './oauth-provider.js';
import { SignInTestDto, StartedSignInTestDto } from './sign-in-test.dto.js';

@ApiTags('OAuth clients')
@OperatorController('applications/:applicationId')
export class SignInTestsController {
  private readonly dashboard: string;

  constructor(
    private readonly tests: SignInTests,
    private readonly browsers: BrowserCookie,
    { operatorUrl }: OperatorSettings,
  ) {
    this.dashboard = `${operatorUrl.replace(/\/+$/, '')}/dashboard`;
  }

  /**
   * Test how users of the application sign in. The browser goes to `authorizationUrl`, and comes back to the page of the
   * test. No account is made; the grant is given back, unless an account lives on it.
   */
  @Post('oauthClients/:provider/test')
  @HttpCode(200)
  @Fails('NotFound', 'Conflict')
  async startSignInTest(
    @Param('applicationId') applicationId: string,
    @Param('provider') provider: string,
    @Query() _: NoQuery,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<StartedSignInTestDto> {
    const browser = this.browsers.readOrMake(request);
    const started = await this.tests.begin(
      applicationId,
      oauthProviderOf(provider).type,
      browser,
      (testId) => `${this.dashboard}/applications/${applicationId}/sign-in?test=${testId}`,
    );
    this.browsers.write(response, browser);
    return started;
  }

  /** Read what a test has come to. A browser that has not come back within ten minutes will not. */
  @Get('signInTests/:testId')
  @Fails('NotFound')
  async getSignInTest(
    @Param('applicationId') applicationId: string,
    @Param('testId') testId: string,
    @Query() _: NoQuery,
  ): Promise<SignInTestDto> {
    return SignInTestDto.from(await this.tests.get(applicationId, testId));
  }
}

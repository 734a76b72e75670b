import { Body, Controller, HttpCode, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { SignInService } from '#application/oauth';
import type { ApplicationRef } from '#domain/applications';
import { CurrentApplication } from '../http/request.decorators.js';
import { Fails } from '../openapi/operation.decorators.js';
import { NoQuery } from '../validation/request-validation.pipe.js';
import { providerTypeOf } from './oauth.controller.js';
import { AuthorizationUrlDto, CreateAuthorizationUrlDto } from './oauth.dto.js';

@ApiTags('Authentication')
@Controller('v1/oauth/authorizationUrls')
export class AuthorizationUrlsController {
  constructor(private readonly signIns: SignInService) {}

  /**
   * Make an address at which one user can connect an account. The parameters are fixed in it: the user, or whoever wrote
   * a link, cannot change them. It can be opened once, within ten minutes, and leads to the provider of this application
   * alone. What comes of it is told on the redirect, as with the address without a key.
   */
  @Post()
  @HttpCode(200)
  @Fails('ValidationFailed', 'NotSupportedByProvider')
  createAuthorizationUrl(
    @CurrentApplication() application: ApplicationRef,
    @Body() { provider, redirectUrl, loginHint, externalId, prompt, state }: CreateAuthorizationUrlDto,
    @Query() _: NoQuery,
  ): Promise<AuthorizationUrlDto> {
    return this.signIns.prepare(application, {
      providerType: providerTypeOf(provider),
      redirectUrl: redirectUrl ?? undefined,
      loginHint: loginHint ?? undefined,
      externalId: externalId ?? undefined,
      prompt: prompt ?? undefined,
      state: state ?? undefined,
    });
  }
}

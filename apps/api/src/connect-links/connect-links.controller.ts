import { Body, Controller, HttpCode, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ConnectLinksService } from '#application/connect-links';
import type { ApplicationRef } from '#domain/applications';
import { CurrentApplication } from '../http/request.decorators.js';
import { providerTypeOf } from '../oauth/oauth.controller.js';
import { Fails } from '../openapi/operation.decorators.js';
import { NoQuery } from '../validation/request-validation.pipe.js';
import { ConnectLinkDto, CreateConnectLinkDto } from './connect-links.dto.js';

@ApiTags('Authentication')
@Controller('v1/connectLinks')
export class ConnectLinksController {
  constructor(private readonly links: ConnectLinksService) {}

  /**
   * Make a link to a page of the service where one user connects one account of any provider. The page asks for the
   * password of an Apple or CalDAV account, or the address of a calendar feed, so that these never pass through the
   * application; for the other providers it leads to their sign-in page. It ends at the redirect URL, as a sign-in
   * does: with `endUserAccountId` when the account is connected, else with `error`. A link connects one account,
   * within thirty minutes.
   */
  @Post()
  @HttpCode(200)
  @Fails('ValidationFailed', 'NotSupportedByProvider')
  createConnectLink(
    @CurrentApplication() application: ApplicationRef,
    @Body() { provider, redirectUrl, externalId, state }: CreateConnectLinkDto,
    @Query() _: NoQuery,
  ): Promise<ConnectLinkDto> {
    return this.links.create(application, {
      providerType: provider == null ? undefined : providerTypeOf(provider),
      redirectUrl: redirectUrl ?? undefined,
      externalId: externalId ?? undefined,
      state: state ?? undefined,
    });
  }
}

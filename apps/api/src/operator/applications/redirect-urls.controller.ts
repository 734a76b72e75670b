import { Body, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { RedirectUrlsService } from '#application/oauth';
import { Fails } from '../../openapi/operation.decorators.js';
import { NoQuery } from '../../validation/request-validation.pipe.js';
import { OperatorController } from '../operator-controller.decorator.js';
import { ForTokens } from '../operator.decorators.js';
import { RedirectUrlInputDto, RedirectUrlListDto } from './redirect-url.dto.js';

@ApiTags('Redirect URLs')
@OperatorController('applications/:applicationId/redirectUrls')
@ForTokens('applications')
export class RedirectUrlsController {
  constructor(private readonly urls: RedirectUrlsService) {}

  /** List where users of an application may be sent back to. The first one is the default. */
  @Get()
  @Fails('NotFound')
  listRedirectUrls(@Param('applicationId') applicationId: string, @Query() _: NoQuery): Promise<RedirectUrlListDto> {
    return this.read(applicationId);
  }

  /** Add one. An application in production takes https URLs of other machines alone. Answers with all of them. */
  @Post()
  @HttpCode(200)
  @Fails('NotFound', 'Conflict')
  async createRedirectUrl(
    @Param('applicationId') applicationId: string,
    @Body() { url }: RedirectUrlInputDto,
    @Query() _: NoQuery,
  ): Promise<RedirectUrlListDto> {
    await this.urls.add(applicationId, url);
    return this.read(applicationId);
  }

  /** Remove one. Answers with all that stay. */
  @Post('remove')
  @HttpCode(200)
  @Fails('NotFound')
  async deleteRedirectUrl(
    @Param('applicationId') applicationId: string,
    @Body() { url }: RedirectUrlInputDto,
    @Query() _: NoQuery,
  ): Promise<RedirectUrlListDto> {
    await this.urls.remove(applicationId, url);
    return this.read(applicationId);
  }

  private async read(applicationId: string): Promise<RedirectUrlListDto> {
    const urls = await this.urls.list(applicationId);
    return { data: urls.map(({ url }, index) => ({ url, isDefault: index === 0 })) };
  }
}

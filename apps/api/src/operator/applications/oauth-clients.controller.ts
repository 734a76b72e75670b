import { Body, Delete, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { OAuthClientsService, SignInProviders } from '#application';
import { invalid, type ProviderType } from '#domain';
import { Fails } from '../../openapi/fails.decorator.js';
import { NoQuery } from '../../validation/request-validation.pipe.js';
import { OperatorController } from '../operator-controller.decorator.js';
import { OAuthClientDto, OAuthClientListDto, SetOAuthClientDto } from './oauth-client.dto.js';
import { oauthProviderTypeOf } from './oauth-provider.js';

@ApiTags('OAuth clients')
@OperatorController('applications/:applicationId/oauthClients')
export class OAuthClientsController {
  constructor(
    private readonly clients: OAuthClientsService,
    private readonly providers: SignInProviders,
  ) {}

  /** List with which client the application connects accounts, for each provider that has some. */
  @Get()
  @Fails('NotFound')
  async listOAuthClients(
    @Param('applicationId') applicationId: string,
    @Query() _: NoQuery,
  ): Promise<OAuthClientListDto> {
    return { data: (await this.providers.list(applicationId)).map((view) => OAuthClientDto.from(view)) };
  }

  /**
   * Set the client of the application, in place of the one that is there. Accounts that were connected with another
   * client have to be connected again.
   */
  @Put(':provider')
  @Fails('NotFound')
  async setOAuthClient(
    @Param('applicationId') applicationId: string,
    @Param('provider') provider: string,
    @Body() body: SetOAuthClientDto,
    @Query() _: NoQuery,
  ): Promise<OAuthClientDto> {
    const providerType = oauthProviderTypeOf(provider);
    if (body.tenant != null && providerType !== 'MICROSOFT') throw invalid('tenant', 'is for microsoft alone');
    await this.clients.set({ ...body, applicationId, providerType });
    return this.read(applicationId, providerType);
  }

  /** Remove the client of the application. The installation's, if there is one, connects accounts from now on. */
  @Delete(':provider')
  @HttpCode(204)
  @Fails('NotFound')
  async removeOAuthClient(
    @Param('applicationId') applicationId: string,
    @Param('provider') provider: string,
    @Query() _: NoQuery,
  ): Promise<void> {
    await this.clients.remove(applicationId, oauthProviderTypeOf(provider));
  }

  /** Believe the refusals of a client's grants again, after they were held back for being too many at once. */
  @Post(':provider/release')
  @HttpCode(200)
  @Fails('NotFound')
  async releaseOAuthClient(
    @Param('applicationId') applicationId: string,
    @Param('provider') provider: string,
    @Query() _: NoQuery,
  ): Promise<OAuthClientDto> {
    const providerType = oauthProviderTypeOf(provider);
    await this.clients.release(applicationId, providerType);
    return this.read(applicationId, providerType);
  }

  private async read(applicationId: string, providerType: ProviderType): Promise<OAuthClientDto> {
    return OAuthClientDto.from(await this.providers.get(applicationId, providerType));
  }
}

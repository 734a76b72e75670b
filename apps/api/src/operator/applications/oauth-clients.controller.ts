import { Body, Delete, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { OAuthClientsService, SignInProviders } from '#application/oauth';
import type { ProviderType } from '#domain/accounts';
import { invalid } from '#domain/system';
import { OAUTH_PROVIDERS } from '#providers';
import { Fails } from '../../openapi/operation.decorators.js';
import { NoQuery } from '../../validation/request-validation.pipe.js';
import { OperatorController } from '../operator-controller.decorator.js';
import { ForTokens } from '../operator.decorators.js';
import { OAuthClientDto, OAuthClientListDto, SetOAuthClientDto } from './oauth-client.dto.js';
import { oauthProviderOf } from './oauth-provider.js';

/** Providers whose clients have a tenant. */
const TENANTS_OF = OAUTH_PROVIDERS.filter(({ oauthClient }) => oauthClient.tenant !== undefined)
  .map(({ slug }) => slug)
  .join(' and ');

@ApiTags('OAuth clients')
@OperatorController('applications/:applicationId/oauthClients')
@ForTokens('applications')
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
    const { type: providerType, oauthClient } = oauthProviderOf(provider);
    if (body.tenant != null && oauthClient.tenant === undefined) throw invalid('tenant', `is for ${TENANTS_OF} alone`);
    await this.clients.set({ ...body, applicationId, providerType });
    return this.read(applicationId, providerType);
  }

  /** Remove the client of the application. The installation's, if there is one, connects accounts from now on. */
  @Delete(':provider')
  @HttpCode(204)
  @Fails('NotFound')
  async deleteOAuthClient(
    @Param('applicationId') applicationId: string,
    @Param('provider') provider: string,
    @Query() _: NoQuery,
  ): Promise<void> {
    await this.clients.remove(applicationId, oauthProviderOf(provider).type);
  }

  /** Believe the refusals of a client's grants again, after they were held back for being too many at once. */
  @Post(':provider/release')
  @HttpCode(200)
  @Fails('NotFound')
  async resetOAuthClientBreaker(
    @Param('applicationId') applicationId: string,
    @Param('provider') provider: string,
    @Query() _: NoQuery,
  ): Promise<OAuthClientDto> {
    const { type: providerType } = oauthProviderOf(provider);
    await this.clients.release(applicationId, providerType);
    return this.read(applicationId, providerType);
  }

  private async read(applicationId: string, providerType: ProviderType): Promise<OAuthClientDto> {
    return OAuthClientDto.from(await this.providers.get(applicationId, providerType));
  }
}

import { Body, Controller, HttpCode, Param, Post, Query, type Type } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AccountsService } from '#application/accounts';
import type { ApplicationRef } from '#domain/applications';
import { PROVIDERS, type ConnectBody, type ConnectDefinition, type ProviderDefinition } from '#providers';
import { CurrentActor, CurrentApplication, RequestSignal } from '../http/request.decorators.js';
import { Fails } from '../openapi/operation.decorators.js';
import { NoQuery } from '../validation/request-validation.pipe.js';
import { EndUserAccountDto } from './account.dto.js';

/** One for each provider whose accounts connect without a redirect. */
export const CONNECT_CONTROLLERS: Type<object>[] = PROVIDERS.flatMap((definition) =>
  definition.connect === undefined ? [] : [connectController(definition, definition.connect)],
);

function connectController({ type, slug }: ProviderDefinition, { body, summary, namesServer }: ConnectDefinition) {
  /** The guard compares `applicationId` of the path with the application of the key. */
  @ApiTags('Authentication')
  @Controller('v1/basicAuth/connect/:applicationId')
  class ConnectController {
    constructor(private readonly accounts: AccountsService) {}

    @Post(slug)
    @HttpCode(200)
    @ApiOperation({ summary })
    @ApiBody({ type: body })
    @Fails(
      ...(['ValidationFailed', 'NotFound'] as const),
      ...(namesServer ? (['ServerNotAllowed'] as const) : []),
      ...(['CredentialsRejected', 'ProviderRateLimited', 'ProviderUnavailable', 'ProviderTimeout'] as const),
    )
    async [operationIdOf(body)](
      @CurrentApplication() application: ApplicationRef,
      @CurrentActor() { actor }: { actor: string },
      @Param('applicationId') _applicationId: string,
      @Body() credentials: ConnectBody,
      @Query() _: NoQuery,
      @RequestSignal() signal: AbortSignal,
    ): Promise<EndUserAccountDto> {
      return this.accounts.upsert(application, { ...credentials, providerType: type }, signal, actor);
    }
  }
  // What the body is validated by is known at run time alone.
  const parameters: unknown[] = [Object, Object, String, body, NoQuery, AbortSignal];
  Reflect.defineMetadata('design:paramtypes', parameters, ConnectController.prototype, operationIdOf(body));
  return ConnectController;
}

/** `ConnectCalDav`: `connectCalDav`. */
function operationIdOf({ name }: ConnectDefinition['body']): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}

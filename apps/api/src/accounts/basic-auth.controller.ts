import { Body, Controller, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AccountsService } from '#application';
import type { ApplicationRef } from '#domain';
import { CurrentActor, CurrentApplication } from '../auth/current-application.decorator.js';
import { RequestSignal } from '../http/request-signal.decorator.js';
import { Fails } from '../openapi/fails.decorator.js';
import { NoQuery } from '../validation/request-validation.pipe.js';
import { ConnectAppleDto, ConnectCalDavDto } from './account-input.dto.js';
import { EndUserAccountDto } from './account.dto.js';

/** The guard compares `applicationId` of the path with the application of the key. */
@ApiTags('Authentication')
@Controller('v1/basicAuth/connect/:applicationId')
export class BasicAuthController {
  constructor(private readonly accounts: AccountsService) {}

  /** Connect an Apple account with an app-specific password. */
  @Post('apple')
  @HttpCode(200)
  @Fails(
    'ValidationFailed',
    'NotFound',
    'CredentialsRejected',
    'ProviderRateLimited',
    'ProviderUnavailable',
    'ProviderTimeout',
  )
  connectApple(
    @CurrentApplication() application: ApplicationRef,
    @CurrentActor() { actor }: { actor: string },
    @Param('applicationId') _applicationId: string,
    @Body() body: ConnectAppleDto,
    @Query() _: NoQuery,
    @RequestSignal() signal: AbortSignal,
  ): Promise<EndUserAccountDto> {
    return this.accounts.connectWithPassword(application, { ...body, providerType: 'APPLE' }, signal, actor);
  }

  /** Connect an account at a CalDAV server. Its calendars are discovered from the server's address. */
  @Post('caldav')
  @HttpCode(200)
  @Fails(
    'ValidationFailed',
    'NotFound',
    'ServerNotAllowed',
    'CredentialsRejected',
    'ProviderRateLimited',
    'ProviderUnavailable',
    'ProviderTimeout',
  )
  connectCalDav(
    @CurrentApplication() application: ApplicationRef,
    @CurrentActor() { actor }: { actor: string },
    @Param('applicationId') _applicationId: string,
    @Body() body: ConnectCalDavDto,
    @Query() _: NoQuery,
    @RequestSignal() signal: AbortSignal,
  ): Promise<EndUserAccountDto> {
    return this.accounts.connectWithPassword(application, { ...body, providerType: 'CALDAV' }, signal, actor);
  }
}

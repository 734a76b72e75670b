import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AccountsService } from '#application/accounts';
import type { ApplicationRef } from '#domain/applications';
import { CurrentActor, CurrentApplication, RequiredScope, RequestSignal } from '../http/request.decorators.js';
import { Fails } from '../openapi/operation.decorators.js';
import { NoQuery } from '../validation/request-validation.pipe.js';
import { ListEndUserAccountsQueryDto, UpsertEndUserAccountDto } from './account-input.dto.js';
import { AccountDeletedDto, CredentialsDto, EndUserAccountDto, EndUserAccountPageDto } from './account.dto.js';

@ApiTags('End user accounts')
@Controller('v1/endUserAccounts')
export class AccountsController {
  constructor(private readonly accounts: AccountsService) {}

  /** List the end user accounts of the application, newest first. */
  @Get()
  @Fails('ValidationFailed', 'PageTokenInvalid')
  listEndUserAccounts(
    @CurrentApplication() application: ApplicationRef,
    @Query() { limit, pageSize, ...query }: ListEndUserAccountsQueryDto,
  ): Promise<EndUserAccountPageDto> {
    return this.accounts.list(application, { ...query, limit: limit ?? pageSize });
  }

  /** Read one end user account. */
  @Get(':endUserAccountId')
  @Fails('NotFound')
  getEndUserAccount(
    @CurrentApplication() application: ApplicationRef,
    @Param('endUserAccountId') id: string,
    @Query() _: NoQuery,
  ): Promise<EndUserAccountDto> {
    return this.accounts.get(application, id);
  }

  /**
   * Read the credentials of an end user account. Every read is recorded; the key needs the scope `credentials:read`.
   */
  @Get(':endUserAccountId/credentials')
  @RequiredScope('credentials:read')
  @Fails('NotFound', 'EndUserAccountExpired', 'ProviderUnavailable', 'ProviderTimeout')
  getEndUserAccountCredentials(
    @CurrentApplication() application: ApplicationRef,
    @CurrentActor() by: { actor: string; requestId: string },
    @Param('endUserAccountId') id: string,
    @Query() _: NoQuery,
    @RequestSignal() signal: AbortSignal,
  ): Promise<CredentialsDto> {
    return this.accounts.credentials(application, id, by, signal);
  }

  /**
   * Create an end user account, or give an existing one new credentials. The account is ACTIVE in the answer, and only
   * after the provider accepted the credentials.
   */
  @Post()
  @HttpCode(200)
  @Fails(
    'ValidationFailed',
    'NotSupportedByProvider',
    'ServerNotAllowed',
    'CredentialsRejected',
    'ProviderRateLimited',
    'ProviderUnavailable',
    'ProviderTimeout',
  )
  upsertEndUserAccount(
    @CurrentApplication() application: ApplicationRef,
    @CurrentActor() { actor }: { actor: string },
    @Body() body: UpsertEndUserAccountDto,
    @Query() _: NoQuery,
    @RequestSignal() signal: AbortSignal,
  ): Promise<EndUserAccountDto> {
    return this.accounts.upsert(application, body, signal, actor);
  }

  /** Remove an end user account and everything that the service keeps for it. */
  @Delete(':endUserAccountId')
  @Fails('NotFound')
  deleteEndUserAccount(
    @CurrentApplication() application: ApplicationRef,
    @Param('endUserAccountId') id: string,
    @Query() _: NoQuery,
  ): Promise<AccountDeletedDto> {
    return this.accounts.delete(application, id);
  }
}

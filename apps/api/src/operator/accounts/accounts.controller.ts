import { Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AccountReconnect, OperatorAccountsService } from '#application/operator';
import { mapPage } from '#application/webhooks';
import { RequestSignal } from '../../http/request.decorators.js';
import { Fails } from '../../openapi/operation.decorators.js';
import { NoQuery } from '../../validation/request-validation.pipe.js';
import { segmentOf } from '../applications/oauth-provider.js';
import { OperatorController } from '../operator-controller.decorator.js';
import { ForTokens } from '../operator.decorators.js';
import {
  AccountCalendarsDto,
  AccountDetailDto,
  AccountPageDto,
  AccountSummaryDto,
  AccountTimelineDto,
  ListAccountsQueryDto,
  ReconnectLinkDto,
  TimelineEntryDto,
} from './account.dto.js';

@ApiTags('Accounts')
@OperatorController('accounts')
@ForTokens('accounts')
export class OperatorAccountsController {
  constructor(
    private readonly accounts: OperatorAccountsService,
    private readonly reconnect: AccountReconnect,
  ) {}

  /** List the accounts of all applications, newest first. */
  @Get()
  @Fails('PageTokenInvalid')
  async listAccounts(@Query() query: ListAccountsQueryDto): Promise<AccountPageDto> {
    return mapPage(await this.accounts.list(query), (account) => AccountSummaryDto.from(account));
  }

  /** Read an account, with the history of its status and why it does not work. */
  @Get(':accountId')
  @Fails('NotFound')
  async getAccount(@Param('accountId') accountId: string, @Query() _: NoQuery): Promise<AccountDetailDto> {
    return AccountDetailDto.from(await this.accounts.get(accountId));
  }

  /**
   * List what happened with an account.
   *
   * All changes of its status, and all messages of its subscriptions that are still stored. Of refreshes, checks,
   * notifications and syncs the last one, of each calendar.
   */
  @Get(':accountId/timeline')
  @Fails('NotFound')
  async listAccountTimeline(@Param('accountId') accountId: string, @Query() _: NoQuery): Promise<AccountTimelineDto> {
    return { data: (await this.accounts.timeline(accountId)).map((entry) => TimelineEntryDto.from(entry)) };
  }

  /** List the calendars of an account. Its provider is asked now. */
  @Get(':accountId/calendars')
  @Fails('NotFound', 'EndUserAccountExpired', 'ProviderRateLimited', 'ProviderUnavailable', 'ProviderTimeout')
  async listAccountCalendars(
    @Param('accountId') accountId: string,
    @Query() _: NoQuery,
    @RequestSignal() signal: AbortSignal,
  ): Promise<AccountCalendarsDto> {
    return { data: await this.accounts.calendars(accountId, signal) };
  }

  /** Get a link for the user of an account, to sign in with again. */
  @Post(':accountId/reconnectLink')
  @HttpCode(200)
  @Fails('NotFound', 'Conflict')
  async createReconnectLink(@Param('accountId') accountId: string, @Query() _: NoQuery): Promise<ReconnectLinkDto> {
    const { providerType, url } = await this.reconnect.link(accountId);
    return { provider: segmentOf(providerType), url };
  }

  /** Remove an account and everything that the service keeps for it, as its application can. */
  @Delete(':accountId')
  @HttpCode(204)
  @Fails('NotFound')
  async deleteAccount(@Param('accountId') accountId: string, @Query() _: NoQuery): Promise<void> {
    await this.accounts.delete(accountId);
  }
}

import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import { SubscriptionCreator, CalendarSubscriptions } from '#application/subscriptions';
import type { ApplicationRef } from '#domain/applications';
import { invalid } from '#domain/system';
import { CurrentApplication, RequestSignal } from '../http/request.decorators.js';
import { SuccessDto } from '../calendars/calendar-page.dto.js';
import { Fails } from '../openapi/operation.decorators.js';
import { NoQuery } from '../validation/request-validation.pipe.js';
import {
  CalendarSubscriptionPageDto,
  CreateCalendarSubscriptionDto,
  CreatedCalendarSubscriptionDto,
  DeleteCalendarSubscriptionDto,
  DeleteCalendarSubscriptionQueryDto,
  ListCalendarSubscriptionsQueryDto,
} from './subscription.dto.js';

@ApiTags('Calendar subscriptions')
@Controller('v1/calendarSubscriptions/:endUserAccountId')
export class SubscriptionsController {
  constructor(
    private readonly subscriptions: CalendarSubscriptions,
    private readonly subscribing: SubscriptionCreator,
  ) {}

  /** List the subscriptions of an account, oldest first. Works while the account is EXPIRED, too. */
  @Get()
  @Fails('NotFound', 'PageTokenInvalid')
  listCalendarSubscriptions(
    @CurrentApplication() application: ApplicationRef,
    @Param('endUserAccountId') accountId: string,
    @Query() query: ListCalendarSubscriptionsQueryDto,
  ): Promise<CalendarSubscriptionPageDto> {
    return this.subscriptions.list(application, accountId, query);
  }

  /**
   * Subscribe to the events of a calendar. After each change a signed message is sent to the URL; the secret is in this
   * answer and in no other.
   */
  @Post()
  @HttpCode(200)
  @Fails(
    'NotFound',
    'EndUserAccountExpired',
    'NotSupportedByProvider',
    'ServerNotAllowed',
    'Conflict',
    'ProviderRejected',
    'ProviderRateLimited',
    'ProviderUnavailable',
    'ProviderTimeout',
  )
  createCalendarSubscription(
    @CurrentApplication() application: ApplicationRef,
    @Param('endUserAccountId') accountId: string,
    @Body() body: CreateCalendarSubscriptionDto,
    @Query() _: NoQuery,
    @RequestSignal() signal: AbortSignal,
  ): Promise<CreatedCalendarSubscriptionDto> {
    return this.subscribing.subscribe(application, accountId, body, signal);
  }

  /**
   * End a subscription. Once this has been answered, no message is sent for it. Works while the account is EXPIRED, too.
   */
  @Delete()
  @ApiBody({ type: DeleteCalendarSubscriptionDto, required: false })
  @Fails('NotFound', 'ProviderUnavailable')
  deleteCalendarSubscription(
    @CurrentApplication() application: ApplicationRef,
    @Param('endUserAccountId') accountId: string,
    @Body() body: DeleteCalendarSubscriptionDto,
    @Query() query: DeleteCalendarSubscriptionQueryDto,
  ): Promise<SuccessDto> {
    const subscriptionId = body.subscriptionId ?? query.subscriptionId;
    if (subscriptionId === undefined) throw invalid('subscriptionId', 'is required');
    if (query.subscriptionId !== undefined && query.subscriptionId !== subscriptionId) {
      throw invalid('subscriptionId', 'must be the same in the body and in the query');
    }
    return this.subscriptions.delete(application, accountId, subscriptionId);
  }
}

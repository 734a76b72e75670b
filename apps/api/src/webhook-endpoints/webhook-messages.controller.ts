import { Body, Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { EndpointMessages } from '#application/webhooks';
import type { ApplicationRef } from '#domain/applications';
import { CurrentApplication } from '../http/request.decorators.js';
import { SuccessDto } from '../calendars/calendar-page.dto.js';
import { Fails } from '../openapi/operation.decorators.js';
import { NoQuery } from '../validation/request-validation.pipe.js';
import { RecoveredMessagesDto, RecoverMessagesDto } from './webhook-endpoint.dto.js';
import {
  DeliveryAttemptListDto,
  ListWebhookMessagesQueryDto,
  SentTestMessageDto,
  WebhookMessagePageDto,
} from './webhook-message.dto.js';

/** The messages of endpoints and subscriptions. */
@ApiTags('Webhook endpoints')
@Controller('v1/webhookEndpoints/:endpointId')
export class WebhookMessagesController {
  constructor(private readonly messages: EndpointMessages) {}

  /** Send a test message, `webhook.test`, to an endpoint or a subscription, the way that all messages go. */
  @Post('test')
  @HttpCode(200)
  @Fails('NotFound', 'Conflict')
  sendTestMessage(
    @CurrentApplication() application: ApplicationRef,
    @Param('endpointId') endpointId: string,
    @Query() _: NoQuery,
  ): Promise<SentTestMessageDto> {
    return this.messages.sendTest(application, endpointId);
  }

  /** List the messages to an endpoint or a subscription, newest first. */
  @Get('messages')
  @Fails('NotFound', 'PageTokenInvalid')
  listWebhookMessages(
    @CurrentApplication() application: ApplicationRef,
    @Param('endpointId') endpointId: string,
    @Query() query: ListWebhookMessagesQueryDto,
  ): Promise<WebhookMessagePageDto> {
    return this.messages.list(application, endpointId, query);
  }

  /** List the attempts to deliver a message. */
  @Get('messages/:messageId/attempts')
  @Fails('NotFound', 'ProviderUnavailable')
  async listDeliveryAttempts(
    @CurrentApplication() application: ApplicationRef,
    @Param('endpointId') endpointId: string,
    @Param('messageId') messageId: string,
    @Query() _: NoQuery,
  ): Promise<DeliveryAttemptListDto> {
    return { data: await this.messages.attempts(application, endpointId, messageId) };
  }

  /** Send a message once more, under the same id and whatever became of it. Its schedule goes on as it was. */
  @Post('messages/:messageId/resend')
  @HttpCode(200)
  @Fails('NotFound', 'Conflict')
  resendWebhookMessage(
    @CurrentApplication() application: ApplicationRef,
    @Param('endpointId') endpointId: string,
    @Param('messageId') messageId: string,
    @Query() _: NoQuery,
  ): Promise<SuccessDto> {
    return this.messages.resend(application, endpointId, messageId);
  }

  /** Send all messages once more that failed and were made since an instant. */
  @Post('recover')
  @HttpCode(200)
  @Fails('NotFound', 'Conflict', 'ProviderUnavailable')
  recoverMessages(
    @CurrentApplication() application: ApplicationRef,
    @Param('endpointId') endpointId: string,
    @Body() { since }: RecoverMessagesDto,
    @Query() _: NoQuery,
  ): Promise<RecoveredMessagesDto> {
    return this.messages.recover(application, endpointId, since);
  }
}

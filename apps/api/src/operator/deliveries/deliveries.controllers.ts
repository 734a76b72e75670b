import { Get, Query, Body, Delete, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { OperatorDeliveriesService, DeliveryActions } from '#application/operator';
import { mapPage } from '#application/webhooks';
import { OperatorController } from '../operator-controller.decorator.js';
import { DeliveryStatsDto, StatsQueryDto } from './delivery-stats.dto.js';
import { Fails } from '../../openapi/operation.decorators.js';
import { NoQuery } from '../../validation/request-validation.pipe.js';
import { ForTokens, NeedsRecentSignIn } from '../operator.decorators.js';
import {
  UpdateEndpointDto,
  ListEndpointsQueryDto,
  EndpointSummaryDto,
  EndpointPageDto,
  RecoverDto,
  RecoveredDto,
  RotatedSecretDto,
} from './endpoint.dto.js';
import {
  ListMessagesQueryDto,
  MessageDetailDto,
  MessageSummaryDto,
  MessagePageDto,
  ResendMessagesDto,
  ResentMessagesDto,
} from './message.dto.js';

@ApiTags('Deliveries')
@OperatorController('deliveries')
@ForTokens('deliveries')
export class DeliveryStatsController {
  constructor(private readonly deliveries: OperatorDeliveriesService) {}

  /** Count attempts, and how long they took, over time. */
  @Get('stats')
  getDeliveryStats(@Query() query: StatsQueryDto): Promise<DeliveryStatsDto> {
    return this.deliveries.stats(query);
  }
}

@ApiTags('Deliveries')
@OperatorController('endpoints')
@ForTokens('deliveries')
export class OperatorEndpointsController {
  constructor(
    private readonly deliveries: OperatorDeliveriesService,
    private readonly actions: DeliveryActions,
  ) {}

  /** List the endpoints and subscriptions of all applications, newest first. */
  @Get()
  @Fails('PageTokenInvalid')
  async listEndpoints(@Query() query: ListEndpointsQueryDto): Promise<EndpointPageDto> {
    return mapPage(await this.deliveries.listEndpoints(query), (endpoint) => EndpointSummaryDto.from(endpoint));
  }

  /** Read how an endpoint or a subscription is doing. */
  @Get(':endpointId')
  @Fails('NotFound')
  async getEndpoint(@Param('endpointId') endpointId: string, @Query() _: NoQuery): Promise<EndpointSummaryDto> {
    return EndpointSummaryDto.from(await this.deliveries.endpoint(endpointId));
  }

  /** Change how fast messages may come. It is in force within two seconds. */
  @Patch(':endpointId')
  @Fails('NotFound', 'ProviderUnavailable')
  async updateEndpoint(
    @Param('endpointId') endpointId: string,
    @Body() { rateLimit }: UpdateEndpointDto,
    @Query() _: NoQuery,
  ): Promise<EndpointSummaryDto> {
    return EndpointSummaryDto.from(await this.actions.setRateLimit(endpointId, rateLimit));
  }

  /** Delete an endpoint or a subscription. Once this has been answered, no message is sent to it. */
  @Delete(':endpointId')
  @HttpCode(204)
  @Fails('NotFound', 'ProviderUnavailable')
  deleteEndpoint(@Param('endpointId') endpointId: string, @Query() _: NoQuery): Promise<void> {
    return this.actions.remove(endpointId);
  }

  /** Enable one that was disabled. What it missed can be recovered. */
  @Post(':endpointId/enable')
  @HttpCode(204)
  @Fails('NotFound', 'ProviderUnavailable')
  enableEndpoint(@Param('endpointId') endpointId: string, @Query() _: NoQuery): Promise<void> {
    return this.actions.enable(endpointId);
  }

  /** Send a test message, `webhook.test`, the way that all messages go. */
  @Post(':endpointId/test')
  @HttpCode(202)
  @Fails('NotFound', 'Conflict')
  testEndpoint(@Param('endpointId') endpointId: string, @Query() _: NoQuery): Promise<void> {
    return this.actions.sendTest(endpointId);
  }

  /** Send all messages once more that failed and were made since an instant. */
  @Post(':endpointId/recover')
  @HttpCode(200)
  @Fails('NotFound', 'Conflict', 'ProviderUnavailable')
  recoverEndpoint(
    @Param('endpointId') endpointId: string,
    @Body() { since }: RecoverDto,
    @Query() _: NoQuery,
  ): Promise<RecoveredDto> {
    return this.actions.recover(endpointId, since);
  }

  /** Replace the secret. For a day every message carries a signature with each of the two. */
  @Post(':endpointId/rotateSecret')
  @ForTokens('keys')
  @NeedsRecentSignIn()
  @HttpCode(200)
  @Fails('NotFound', 'Conflict', 'ProviderUnavailable', 'ReauthenticationRequired')
  rotateEndpointSecret(@Param('endpointId') endpointId: string, @Query() _: NoQuery): Promise<RotatedSecretDto> {
    return this.actions.rotateSecret(endpointId);
  }
}

@ApiTags('Deliveries')
@OperatorController('messages')
@ForTokens('deliveries')
export class OperatorMessagesController {
  constructor(
    private readonly deliveries: OperatorDeliveriesService,
    private readonly actions: DeliveryActions,
  ) {}

  /** List the messages to all endpoints, newest first. */
  @Get()
  @Fails('PageTokenInvalid')
  async listMessages(@Query() query: ListMessagesQueryDto): Promise<MessagePageDto> {
    return mapPage(await this.deliveries.listMessages(query), (message) => MessageSummaryDto.from(message));
  }

  /** Read a message with its body and every attempt. */
  @Get(':messageId')
  @Fails('NotFound', 'ProviderUnavailable')
  async getMessage(@Param('messageId') messageId: string, @Query() _: NoQuery): Promise<MessageDetailDto> {
    return MessageDetailDto.from(await this.deliveries.message(messageId));
  }

  /**
   * Send finished messages once more, oldest first, at most 1,000 with one request. Messages to disabled or removed
   * endpoints are left out. Each gets one attempt under its id; its state follows the outcome.
   */
  @Post('resend')
  @HttpCode(200)
  resendMessages(@Body() body: ResendMessagesDto, @Query() _: NoQuery): Promise<ResentMessagesDto> {
    return this.actions.resendMatching(body);
  }

  /** Send a message once more, under the same id and whatever became of it. Its schedule goes on as it was. */
  @Post(':messageId/resend')
  @HttpCode(202)
  @Fails('NotFound', 'Conflict')
  resendMessage(@Param('messageId') messageId: string, @Query() _: NoQuery): Promise<void> {
    return this.actions.resend(messageId);
  }
}

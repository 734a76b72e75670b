import { Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { DeliveriesService, DeliveryActions, mapPage } from '#application';
import { Fails } from '../../openapi/fails.decorator.js';
import { NoQuery } from '../../validation/request-validation.pipe.js';
import { OperatorController } from '../operator-controller.decorator.js';
import { ListMessagesQueryDto, MessageDetailDto, OverseenMessageDto, OverseenMessagePageDto } from './message.dto.js';

@ApiTags('Deliveries')
@OperatorController('messages')
export class OverseenMessagesController {
  constructor(
    private readonly deliveries: DeliveriesService,
    private readonly actions: DeliveryActions,
  ) {}

  /** List the messages to all endpoints, newest first. */
  @Get()
  @Fails('PageTokenInvalid')
  async listMessages(@Query() query: ListMessagesQueryDto): Promise<OverseenMessagePageDto> {
    return mapPage(await this.deliveries.listMessages(query), (message) => OverseenMessageDto.from(message));
  }

  /** Read a message with its body and every attempt. */
  @Get(':messageId')
  @Fails('NotFound', 'ProviderUnavailable')
  async getMessage(@Param('messageId') messageId: string, @Query() _: NoQuery): Promise<MessageDetailDto> {
    return MessageDetailDto.from(await this.deliveries.message(messageId));
  }

  /** Send a message once more, under the same id and whatever became of it. Its schedule goes on as it was. */
  @Post(':messageId/resend')
  @HttpCode(202)
  @Fails('NotFound', 'Conflict')
  resendMessage(@Param('messageId') messageId: string, @Query() _: NoQuery): Promise<void> {
    return this.actions.resend(messageId);
  }
}

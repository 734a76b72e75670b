import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import { WebhookEndpoints } from '#application/webhooks';
import type { ApplicationRef } from '#domain/applications';
import { CurrentApplication } from '../http/request.decorators.js';
import { SuccessDto } from '../calendars/calendar-page.dto.js';
import { Fails } from '../openapi/operation.decorators.js';
import { NoQuery } from '../validation/request-validation.pipe.js';
import {
  CreatedWebhookEndpointDto,
  CreateWebhookEndpointDto,
  ListWebhookEndpointsQueryDto,
  RotatedEndpointSecretDto,
  RotateEndpointSecretDto,
  UpdateWebhookEndpointDto,
  WebhookEndpointDto,
  WebhookEndpointPageDto,
} from './webhook-endpoint.dto.js';

@ApiTags('Webhook endpoints')
@Controller('v1/webhookEndpoints')
export class WebhookEndpointsController {
  constructor(private readonly endpoints: WebhookEndpoints) {}

  /** List the endpoints of the application, oldest first. Subscriptions are not among them. */
  @Get()
  @Fails('PageTokenInvalid')
  listWebhookEndpoints(
    @CurrentApplication() application: ApplicationRef,
    @Query() query: ListWebhookEndpointsQueryDto,
  ): Promise<WebhookEndpointPageDto> {
    return this.endpoints.list(application, query);
  }

  /**
   * Create an endpoint that receives the events of the application's accounts. Only this response contains the secret.
   */
  @Post()
  @HttpCode(200)
  @Fails('ServerNotAllowed', 'Conflict')
  createWebhookEndpoint(
    @CurrentApplication() application: ApplicationRef,
    @Body() body: CreateWebhookEndpointDto,
    @Query() _: NoQuery,
  ): Promise<CreatedWebhookEndpointDto> {
    return this.endpoints.create(application, body);
  }

  /** Read how an endpoint or a subscription is doing. */
  @Get(':endpointId')
  @Fails('NotFound')
  getWebhookEndpoint(
    @CurrentApplication() application: ApplicationRef,
    @Param('endpointId') endpointId: string,
    @Query() _: NoQuery,
  ): Promise<WebhookEndpointDto> {
    return this.endpoints.get(application, endpointId);
  }

  /** Change how fast messages may come at an endpoint or a subscription. It is in force within two seconds. */
  @Patch(':endpointId')
  @Fails('NotFound', 'ProviderUnavailable')
  updateWebhookEndpoint(
    @CurrentApplication() application: ApplicationRef,
    @Param('endpointId') endpointId: string,
    @Body() { rateLimit }: UpdateWebhookEndpointDto,
    @Query() _: NoQuery,
  ): Promise<WebhookEndpointDto> {
    return this.endpoints.setRateLimit(application, endpointId, rateLimit);
  }

  /** Delete an endpoint of the application. Once this has been answered, no message is sent to it. */
  @Delete(':endpointId')
  @Fails('NotFound', 'ProviderUnavailable')
  deleteWebhookEndpoint(
    @CurrentApplication() application: ApplicationRef,
    @Param('endpointId') endpointId: string,
    @Query() _: NoQuery,
  ): Promise<SuccessDto> {
    return this.endpoints.delete(application, endpointId);
  }

  /** Enable an endpoint or a subscription that was disabled. What it missed can be recovered. */
  @Post(':endpointId/enable')
  @HttpCode(200)
  @Fails('NotFound', 'ProviderUnavailable')
  enableWebhookEndpoint(
    @CurrentApplication() application: ApplicationRef,
    @Param('endpointId') endpointId: string,
    @Query() _: NoQuery,
  ): Promise<WebhookEndpointDto> {
    return this.endpoints.enable(application, endpointId);
  }

  /**
   * Replace the secret of an endpoint or a subscription. For the overlap, a day by default, every message
   * carries a signature with each secret.
   */
  @Post(':endpointId/rotateSecret')
  @ApiBody({ type: RotateEndpointSecretDto, required: false })
  @HttpCode(200)
  @Fails('NotFound', 'Conflict', 'ProviderUnavailable')
  rotateEndpointSecret(
    @CurrentApplication() application: ApplicationRef,
    @Param('endpointId') endpointId: string,
    @Body() { overlapSeconds }: RotateEndpointSecretDto,
    @Query() _: NoQuery,
  ): Promise<RotatedEndpointSecretDto> {
    return this.endpoints.rotateSecret(application, endpointId, overlapSeconds);
  }
}

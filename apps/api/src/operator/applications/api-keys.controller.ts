import { Body, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ApiKeysService } from '#application/applications';
import { Fails } from '../../openapi/operation.decorators.js';
import { NoQuery } from '../../validation/request-validation.pipe.js';
import { ForTokens, NeedsRecentSignIn } from '../operator.decorators.js';
import { OperatorController } from '../operator-controller.decorator.js';
import { ApiKeyDto, ApiKeyListDto, CreateApiKeyDto, NewApiKeyDto } from './api-key.dto.js';

@ApiTags('API keys')
@OperatorController('applications/:applicationId/apiKeys')
@ForTokens('keys')
export class ApiKeysController {
  constructor(private readonly keys: ApiKeysService) {}

  /** List the keys of an application, oldest first, revoked ones too. */
  @Get()
  @Fails('NotFound')
  async listApiKeys(@Param('applicationId') applicationId: string, @Query() _: NoQuery): Promise<ApiKeyListDto> {
    return { data: (await this.keys.list(applicationId)).map((key) => ApiKeyDto.from(key)) };
  }

  /** Create a key. Its text is in this answer and in no other. */
  @Post()
  @NeedsRecentSignIn()
  @HttpCode(200)
  @Fails('NotFound', 'ReauthenticationRequired')
  async createApiKey(
    @Param('applicationId') applicationId: string,
    @Body() body: CreateApiKeyDto,
    @Query() _: NoQuery,
  ): Promise<NewApiKeyDto> {
    const key = await this.keys.create({ ...body, applicationId });
    return { ...ApiKeyDto.from(key), apiKey: key.apiKey };
  }

  /** Revoke a key. Within a second it is refused everywhere. */
  @Delete(':apiKeyId')
  @HttpCode(204)
  @Fails('NotFound')
  async revokeApiKey(
    @Param('applicationId') applicationId: string,
    @Param('apiKeyId') apiKeyId: string,
    @Query() _: NoQuery,
  ): Promise<void> {
    await this.keys.revoke(apiKeyId, applicationId);
  }
}

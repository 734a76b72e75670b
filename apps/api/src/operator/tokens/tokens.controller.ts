import { Body, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { OperatorTokens, type AuthenticatedSession } from '#application/operator';
import { Fails } from '../../openapi/operation.decorators.js';
import { NoQuery } from '../../validation/request-validation.pipe.js';
import { CurrentSession, NeedsRecentSignIn } from '../operator.decorators.js';
import { OperatorController } from '../operator-controller.decorator.js';
import { CreateOperatorTokenDto, NewOperatorTokenDto, OperatorTokenDto, OperatorTokenListDto } from './token.dto.js';

@ApiTags('Operator tokens')
@OperatorController('tokens')
export class OperatorTokensController {
  constructor(private readonly tokens: OperatorTokens) {}

  /** List the tokens with which programs use this API. */
  @Get()
  async listTokens(@Query() _: NoQuery): Promise<OperatorTokenListDto> {
    return { data: (await this.tokens.list()).map((token) => OperatorTokenDto.from(token)) };
  }

  /** Create a token. Only this response contains its text. It ends with the operator who created it, at the latest. */
  @Post()
  @NeedsRecentSignIn()
  @HttpCode(200)
  @Fails('ReauthenticationRequired')
  async createToken(
    @CurrentSession() { operator }: AuthenticatedSession,
    @Body() body: CreateOperatorTokenDto,
    @Query() _: NoQuery,
  ): Promise<NewOperatorTokenDto> {
    const created = await this.tokens.create(body, operator);
    return { ...OperatorTokenDto.from(created), token: created.token };
  }

  /** Revoke a token. The next request with it is rejected. */
  @Delete(':tokenId')
  @HttpCode(204)
  @Fails('NotFound')
  revokeToken(@Param('tokenId') tokenId: string, @Query() _: NoQuery): Promise<void> {
    return this.tokens.revoke(tokenId);
  }
}

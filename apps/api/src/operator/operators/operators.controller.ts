import { Body, Delete, Get, HttpCode, Param, Patch, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { OperatorSessions, OperatorsService, type AuthenticatedSession } from '#application/operator';
import { Fails } from '../../openapi/operation.decorators.js';
import { NoQuery } from '../../validation/request-validation.pipe.js';
import { CurrentSession } from '../operator.decorators.js';
import { OperatorController } from '../operator-controller.decorator.js';
import { UpdateOperatorDto, OperatorDto, OperatorListDto } from './operator.dto.js';

@ApiTags('Operators')
@OperatorController('operators')
export class OperatorsController {
  constructor(
    private readonly operators: OperatorsService,
    private readonly sessions: OperatorSessions,
  ) {}

  /** List the operators. */
  @Get()
  async listOperators(@Query() _: NoQuery): Promise<OperatorListDto> {
    return { data: (await this.operators.list()).map((operator) => OperatorDto.from(operator)) };
  }

  /**
   * Change an operator; into an admin within five minutes of signing in. Another role ends their sessions. The last admin
   * stays one.
   */
  @Patch(':operatorId')
  @Fails('NotFound', 'Conflict', 'ReauthenticationRequired')
  async updateOperator(
    @CurrentSession() session: AuthenticatedSession,
    @Param('operatorId') operatorId: string,
    @Body() body: UpdateOperatorDto,
    @Query() _: NoQuery,
  ): Promise<OperatorDto> {
    if (body.role === 'admin') this.sessions.assertRecent(session);
    return OperatorDto.from(await this.operators.change(operatorId, body));
  }

  /** Remove an operator. Their sessions end at once. The last admin stays. */
  @Delete(':operatorId')
  @HttpCode(204)
  @Fails('NotFound', 'Conflict')
  deleteOperator(@Param('operatorId') operatorId: string, @Query() _: NoQuery): Promise<void> {
    return this.operators.remove(operatorId);
  }
}

import { Delete, Get, HttpCode, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { OperatorSessions, type ProvenSession } from '#application';
import { Fails } from '../../openapi/fails.decorator.js';
import { NoQuery } from '../../validation/request-validation.pipe.js';
import { CurrentSession } from '../current-operator.decorator.js';
import { NeedsRecentSignIn, NeedsRole } from '../operator.decorators.js';
import { OperatorController } from '../operator-controller.decorator.js';
import { OwnSessionListDto } from './session.dto.js';

@ApiTags('Session')
@OperatorController('sessions')
export class OwnSessionsController {
  constructor(private readonly sessions: OperatorSessions) {}

  /** List the browsers that you are signed in with. */
  @Get()
  async listOwnSessions(@CurrentSession() session: ProvenSession, @Query() _: NoQuery): Promise<OwnSessionListDto> {
    return { data: await this.sessions.listOwn(session) };
  }

  /** End all your sessions but this one, at once. */
  @Delete()
  @NeedsRole('viewer')
  @NeedsRecentSignIn()
  @HttpCode(204)
  @Fails('ReauthenticationRequired')
  endOtherSessions(@CurrentSession() session: ProvenSession, @Query() _: NoQuery): Promise<void> {
    return this.sessions.endOthers(session);
  }

  /** End another session of yours, at once. */
  @Delete(':sessionId')
  @NeedsRole('viewer')
  @NeedsRecentSignIn()
  @HttpCode(204)
  @Fails('NotFound', 'Conflict', 'ReauthenticationRequired')
  endOwnSession(
    @CurrentSession() session: ProvenSession,
    @Param('sessionId') sessionId: string,
    @Query() _: NoQuery,
  ): Promise<void> {
    return this.sessions.endOwn(session, sessionId);
  }
}

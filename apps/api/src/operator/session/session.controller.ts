import { Delete, Get, HttpCode, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { OperatorSessions, toSessionView, type ProvenSession } from '#application';
import { NoQuery } from '../../validation/request-validation.pipe.js';
import { CurrentSession } from '../current-operator.decorator.js';
import { NeedsRole } from '../needs-role.decorator.js';
import { OperatorController } from '../operator-controller.decorator.js';
import { clearOperatorCookie } from '../operator-cookie.js';
import { SessionDto } from './session.dto.js';

@ApiTags('Session')
@OperatorController('session')
export class SessionController {
  constructor(private readonly sessions: OperatorSessions) {}

  /** Read who is logged in. */
  @Get()
  getSession(@CurrentSession() session: ProvenSession, @Query() _: NoQuery): SessionDto {
    return toSessionView(session);
  }

  /** Log out. The session ends at once. */
  @Delete()
  @NeedsRole('viewer')
  @HttpCode(204)
  async logOut(
    @CurrentSession() session: ProvenSession,
    @Query() _: NoQuery,
    @Res({ passthrough: true }) response: Response,
  ): Promise<void> {
    await this.sessions.end(session);
    clearOperatorCookie(response);
  }
}

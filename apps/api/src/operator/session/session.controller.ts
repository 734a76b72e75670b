import { Body, Delete, Get, HttpCode, Ip, Post, Put, Query, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { OperatorLogins, OperatorSessions, type BegunSession, type ProvenSession } from '#application';
import { clientNetwork } from '../../auth/client-network.js';
import { Fails } from '../../openapi/fails.decorator.js';
import { NoQuery } from '../../validation/request-validation.pipe.js';
import { ByPassword, NeedsRole, WithoutSession } from '../operator.decorators.js';
import { CurrentSession } from '../current-operator.decorator.js';
import { OperatorController } from '../operator-controller.decorator.js';
import { clearOperatorCookie, readDeviceCookie, writeOperatorCookies } from '../operator-cookie.js';
import { ChangePasswordDto, LoginDto, ReauthenticateDto, SessionDto } from './session.dto.js';

@ApiTags('Session')
@OperatorController('session')
export class SessionController {
  constructor(
    private readonly sessions: OperatorSessions,
    private readonly logins: OperatorLogins,
  ) {}

  /** Sign in. An address without an operator is answered as a wrong password is. */
  @Post()
  @WithoutSession()
  @ByPassword()
  @Fails('PasswordsDisabled')
  @HttpCode(200)
  async logIn(
    @Body() body: LoginDto,
    @Query() _: NoQuery,
    @Ip() address: string,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SessionDto> {
    const deviceOf = (operatorId: string) => readDeviceCookie(request, operatorId);
    return begun(response, await this.logins.logIn(body, clientNetwork(address), deviceOf));
  }

  /** Read who is signed in. */
  @Get()
  getSession(@CurrentSession() session: ProvenSession, @Query() _: NoQuery): SessionDto {
    return SessionDto.from(session);
  }

  /** Sign out. The session ends at once. */
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

  /** Prove once more who you are, by your password. The session goes on, with a new cookie and CSRF token. */
  @Post('reauthenticate')
  @NeedsRole('viewer')
  @ByPassword()
  @HttpCode(200)
  @Fails('Conflict', 'PasswordsDisabled')
  async reauthenticate(
    @CurrentSession() session: ProvenSession,
    @Body() { password }: ReauthenticateDto,
    @Query() _: NoQuery,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SessionDto> {
    return begun(response, await this.logins.reauthenticate(session, password));
  }

  /** Change your password. Every session of yours ends; the answer is a new one. */
  @Put('password')
  @NeedsRole('viewer')
  @ByPassword()
  @Fails('Conflict', 'PasswordsDisabled')
  async changePassword(
    @CurrentSession() { operator }: ProvenSession,
    @Body() body: ChangePasswordDto,
    @Query() _: NoQuery,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SessionDto> {
    return begun(response, await this.logins.changePassword(operator, body));
  }
}

/** Hands the browser its session. */
export function begun(response: Response, session: BegunSession): SessionDto {
  writeOperatorCookies(response, session);
  return SessionDto.from(session.session);
}

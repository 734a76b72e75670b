import { Get, Query, Body, Delete, HttpCode, Ip, Post, Put, Req, Res, Param } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import {
  OperatorSettings,
  OperatorsService,
  SsoService,
  PasswordSignIn,
  OperatorSessions,
  type NewSession,
  type AuthenticatedSession,
} from '#application/operator';
import { NoQuery } from '../../validation/request-validation.pipe.js';
import { OperatorController } from '../operator-controller.decorator.js';
import { ByPassword, CurrentSession, NeedsRecentSignIn, NeedsRole, WithoutSession } from '../operator.decorators.js';
import {
  SignInOptionsDto,
  UpdatePasswordDto,
  SignInDto,
  ReauthenticateDto,
  SessionDto,
  OwnSessionListDto,
} from './session.dto.js';
import { clientNetwork } from '../../http/client-network.js';
import { Fails } from '../../openapi/operation.decorators.js';
import { clearOperatorCookie, readDeviceCookie, writeOperatorCookies } from '../operator.guard.js';

@ApiTags('Session')
@OperatorController('welcome')
export class SignInOptionsController {
  constructor(
    private readonly operators: OperatorsService,
    private readonly sso: SsoService,
    private readonly settings: OperatorSettings,
  ) {}

  /** Read how to get in. */
  @Get()
  @WithoutSession()
  async signInOptions(@Query() _: NoQuery): Promise<SignInOptionsDto> {
    const { label } = this.sso;
    return {
      needsSetup: await this.operators.isEmpty(),
      hasPasswords: this.settings.hasPasswords,
      sso: label === null ? null : { label },
    };
  }
}

@ApiTags('Session')
@OperatorController('session')
export class SessionController {
  constructor(
    private readonly sessions: OperatorSessions,
    private readonly passwordSignIn: PasswordSignIn,
  ) {}

  /** Sign in. An address without an operator is answered as a wrong password is. */
  @Post()
  @WithoutSession()
  @ByPassword()
  @Fails('PasswordsDisabled')
  @HttpCode(200)
  async signIn(
    @Body() body: SignInDto,
    @Query() _: NoQuery,
    @Ip() address: string,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SessionDto> {
    const deviceOf = (operatorId: string) => readDeviceCookie(request, operatorId);
    return begun(response, await this.passwordSignIn.signIn(body, clientNetwork(address), deviceOf));
  }

  /** Read who is signed in. */
  @Get()
  getSession(@CurrentSession() session: AuthenticatedSession, @Query() _: NoQuery): SessionDto {
    return SessionDto.from(session);
  }

  /** Sign out. The session ends at once. */
  @Delete()
  @NeedsRole('viewer')
  @HttpCode(204)
  async signOut(
    @CurrentSession() session: AuthenticatedSession,
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
    @CurrentSession() session: AuthenticatedSession,
    @Body() { password }: ReauthenticateDto,
    @Query() _: NoQuery,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SessionDto> {
    return begun(response, await this.passwordSignIn.reauthenticate(session, password));
  }

  /** Change your password. Every session of yours ends; the answer is a new one. */
  @Put('password')
  @NeedsRole('viewer')
  @ByPassword()
  @Fails('Conflict', 'PasswordsDisabled')
  async updatePassword(
    @CurrentSession() { operator }: AuthenticatedSession,
    @Body() body: UpdatePasswordDto,
    @Query() _: NoQuery,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SessionDto> {
    return begun(response, await this.passwordSignIn.updatePassword(operator, body));
  }
}

/** Hands the browser its session. */
export function begun(response: Response, session: NewSession): SessionDto {
  writeOperatorCookies(response, session);
  return SessionDto.from(session.session);
}

@ApiTags('Session')
@OperatorController('sessions')
export class OwnSessionsController {
  constructor(private readonly sessions: OperatorSessions) {}

  /** List the browsers that you are signed in with. */
  @Get()
  async listOwnSessions(
    @CurrentSession() session: AuthenticatedSession,
    @Query() _: NoQuery,
  ): Promise<OwnSessionListDto> {
    return { data: await this.sessions.listOwn(session) };
  }

  /** End all your sessions but this one, at once. */
  @Delete()
  @NeedsRole('viewer')
  @NeedsRecentSignIn()
  @HttpCode(204)
  @Fails('ReauthenticationRequired')
  endOtherSessions(@CurrentSession() session: AuthenticatedSession, @Query() _: NoQuery): Promise<void> {
    return this.sessions.endOthers(session);
  }

  /** End another session of yours, at once. */
  @Delete(':sessionId')
  @NeedsRole('viewer')
  @NeedsRecentSignIn()
  @HttpCode(204)
  @Fails('NotFound', 'Conflict', 'ReauthenticationRequired')
  endOwnSession(
    @CurrentSession() session: AuthenticatedSession,
    @Param('sessionId') sessionId: string,
    @Query() _: NoQuery,
  ): Promise<void> {
    return this.sessions.endOwn(session, sessionId);
  }
}

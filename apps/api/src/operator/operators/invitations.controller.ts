import { Body, Delete, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import {
  InvitationAcceptance,
  OperatorInvitations,
  OperatorSessions,
  type AuthenticatedSession,
} from '#application/operator';
import { Fails } from '../../openapi/operation.decorators.js';
import { NoQuery } from '../../validation/request-validation.pipe.js';
import { ByPassword, CurrentSession, WithoutSession } from '../operator.decorators.js';
import { OperatorController } from '../operator-controller.decorator.js';
import { begun } from '../session/session.controllers.js';
import { SessionDto } from '../session/session.dto.js';
import {
  AcceptInvitationDto,
  InvitationDto,
  InvitationListDto,
  CreateInvitationDto,
  NewInvitationDto,
  OpenedInvitationDto,
  OpenInvitationDto,
} from './invitation.dto.js';

@ApiTags('Operators')
@OperatorController('invitations')
export class InvitationsController {
  constructor(
    private readonly invitations: OperatorInvitations,
    private readonly acceptance: InvitationAcceptance,
    private readonly sessions: OperatorSessions,
  ) {}

  /** List the invitations that are open. */
  @Get()
  async listInvitations(@Query() _: NoQuery): Promise<InvitationListDto> {
    return { data: (await this.invitations.list()).map((invitation) => InvitationDto.from(invitation)) };
  }

  /**
   * Invite somebody; an admin within five minutes of signing in. The link is in this answer and in no other; the one
   * before for the same address stops working.
   */
  @Post()
  @HttpCode(200)
  @Fails('Conflict', 'ReauthenticationRequired')
  async createInvitation(
    @CurrentSession() session: AuthenticatedSession,
    @Body() body: CreateInvitationDto,
    @Query() _: NoQuery,
  ): Promise<NewInvitationDto> {
    if (body.role === 'admin') this.sessions.assertRecent(session);
    const invited = await this.invitations.invite(body, session.operator.id);
    return { ...InvitationDto.from(invited), link: invited.link };
  }

  /** Withdraw an invitation. */
  @Delete(':invitationId')
  @HttpCode(204)
  @Fails('NotFound')
  withdrawInvitation(@Param('invitationId') invitationId: string, @Query() _: NoQuery): Promise<void> {
    return this.invitations.withdraw(invitationId);
  }

  /** Read what a link is for. */
  @Post('open')
  @WithoutSession()
  @HttpCode(200)
  @Fails('NotFound')
  async openInvitation(@Body() { token }: OpenInvitationDto, @Query() _: NoQuery): Promise<OpenedInvitationDto> {
    return OpenedInvitationDto.from(await this.acceptance.open(token));
  }

  /** Become an operator by a link, and be signed in. The link works once. */
  @Post('accept')
  @WithoutSession()
  @ByPassword()
  @HttpCode(200)
  @Fails('NotFound', 'Conflict', 'PasswordsDisabled')
  async acceptInvitation(
    @Body() body: AcceptInvitationDto,
    @Query() _: NoQuery,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SessionDto> {
    return begun(response, await this.acceptance.accept(body));
  }
}

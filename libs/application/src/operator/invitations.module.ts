import { Module } from '@nestjs/common';
import { OperatorInvitations } from './operator-invitations.js';

@Module({ providers: [OperatorInvitations], exports: [OperatorInvitations] })
export class InvitationsModule {}

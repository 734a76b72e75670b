import { Module } from '@nestjs/common';
import { OperatorInvitations } from './operator-invitations.js';
import { OperatorTokens } from './operator-tokens.js';

const services = [OperatorInvitations, OperatorTokens];

/** How people and programs are given access, in the dashboard and at the command line alike. */
@Module({ providers: services, exports: services })
export class OperatorAccessModule {}

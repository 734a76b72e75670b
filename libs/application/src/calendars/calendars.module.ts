import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { TokensModule } from '../tokens/tokens.module.js';
import { CalendarsService } from './calendars.service.js';

@Module({ imports: [AccountsModule, TokensModule], providers: [CalendarsService], exports: [CalendarsService] })
export class CalendarsModule {}

import { Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { FreeBusyService } from '../free-busy/free-busy.service.js';
import { TokensModule } from '../tokens/tokens.module.js';
import { EventsService } from './events.service.js';

const services = [EventsService, FreeBusyService];

@Module({ imports: [AccountsModule, TokensModule], providers: services, exports: services })
export class EventsModule {}

import { Module } from '@nestjs/common';
import { OAuthClientsModule } from '../oauth/oauth-clients.module.js';
import { AccountEvents } from './account-events.js';
import { AccountExpiry } from './account-expiry.js';
import { LostKeys } from './lost-keys.js';

const services = [AccountEvents, AccountExpiry, LostKeys];

/** How accounts become EXPIRED, and what tells of it. */
@Module({ imports: [OAuthClientsModule], providers: services, exports: services })
export class AccountExpiryModule {}

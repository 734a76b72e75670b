import { Module } from '@nestjs/common';
import { AccountEvents } from './account-events.js';
import { AccountExpiry } from './account-expiry.js';
import { LostKeys } from './lost-keys.js';

const services = [AccountEvents, AccountExpiry, LostKeys];

/** How accounts become EXPIRED, and what tells of it. */
@Module({ providers: services, exports: services })
export class AccountExpiryModule {}

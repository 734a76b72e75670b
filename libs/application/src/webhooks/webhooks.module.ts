import { Global, Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { CalendarChanges } from './calendar-changes.js';
import { CalendarLooks } from './calendar-looks.js';
import { ChangeHints } from './change-hints.js';
import { ChannelKeeper } from './channel-keeper.js';
import { ChannelKeys } from './channel-keys.js';
import { ChannelOpenings, NotificationAddresses } from './channel-openings.js';
import { FirstLooks } from './first-looks.js';
import { ProviderPushes } from './provider-pushes.js';

const internals = [CalendarChanges, ChannelKeys, ChannelOpenings, NotificationAddresses];

const services = [CalendarLooks, ChangeHints, ChannelKeeper, FirstLooks, ProviderPushes];

/** How changes reach applications. The ports are global. */
@Global()
@Module({ imports: [AccountsModule], providers: [...internals, ...services], exports: services })
export class WebhooksModule {}

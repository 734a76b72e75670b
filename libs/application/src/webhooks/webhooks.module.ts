import { Module, type DynamicModule } from '@nestjs/common';
import { Clock, ProviderChannelRepository, WatchedCalendarRepository } from '#domain';
import { CalendarChanges } from './calendar-changes.js';
import { CalendarLooks, LOOK_INTERVALS } from './calendar-looks.js';
import { ChangeHints } from './change-hints.js';
import { ChannelKeeper } from './channel-keeper.js';
import { ChannelKeys } from './channel-keys.js';
import { ChannelOpenings, NotificationAddresses } from './channel-openings.js';
import { FirstLooks } from './first-looks.js';
import { ProviderPushes } from './provider-pushes.js';

const internals = [CalendarChanges, ChannelKeys, ChannelOpenings];

const services = [ChangeHints, ChannelKeeper, FirstLooks, ProviderPushes];

/** How changes reach applications. Global: import it once, in the root module. The ports are global, too. */
@Module({})
export class WebhooksModule {
  /**
   * @param accounts `AccountsModule`, the very one that the process has
   * @param publicUrl under which providers reach this service
   */
  static forRoot(accounts: DynamicModule, { publicUrl }: { publicUrl: string }): DynamicModule {
    return {
      module: WebhooksModule,
      global: true,
      imports: [accounts],
      providers: [
        ...internals,
        ...services,
        {
          provide: CalendarLooks,
          inject: [WatchedCalendarRepository, ProviderChannelRepository, CalendarChanges, Clock],
          useFactory: (
            calendars: WatchedCalendarRepository,
            channels: ProviderChannelRepository,
            changes: CalendarChanges,
            clock: Clock,
          ) => new CalendarLooks(calendars, channels, changes, clock, LOOK_INTERVALS),
        },
        { provide: NotificationAddresses, useFactory: () => new NotificationAddresses(publicUrl) },
      ],
      exports: [...services, CalendarLooks],
    };
  }
}

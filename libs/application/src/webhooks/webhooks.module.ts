import { Module, type DynamicModule } from '@nestjs/common';
import { ChangeHints } from './change-hints.js';
import { ChannelKeys } from './channel-keys.js';
import { ProviderPushes } from './provider-pushes.js';

const internals = [ChannelKeys];

const services = [ChangeHints, ProviderPushes];

/** How changes reach applications. Global: import it once, in the root module. The ports are global, too. */
@Module({})
export class WebhooksModule {
  /** @param accounts `AccountsModule`, the very one that the process has */
  static forRoot(accounts: DynamicModule): DynamicModule {
    return {
      module: WebhooksModule,
      global: true,
      imports: [accounts],
      providers: [...internals, ...services],
      exports: services,
    };
  }
}
